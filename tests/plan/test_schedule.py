"""The schedule family of the illustrative 48 h, and what it means to fit a lot."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Parts, Step
from app.plan.rules.schedule import Placement, Schedule, schedule
from app.plan.rules.validator import violations
from tests.plan.campaigns import family, lot, lots_of, step, steps_of


def in_h(made: Schedule) -> tuple[float | None, ...]:
    """End, uncommitted and exceeded hours."""
    figures = (made.end_min, made.uncommitted_min, made.exceeds_min)
    return tuple(None if minutes is None else minutes / 60 for minutes in figures)


def bar(made: Schedule, name: str) -> Placement:
    return next(one for one in made.placements if one.id == name)


def hours(made: Schedule, name: str) -> tuple[float, float]:
    return bar(made, name).start_min / 60, bar(made, name).end_min / 60


@pytest.mark.parametrize(
    ("steps", "lots", "expected", "dropped"),
    [
        pytest.param(family(), [lot()], (48, 24, None), [], id="S2: 48 h in 72 h"),
        pytest.param(
            family("cde", further="essential"), [lot()], (78, None, 6), [], id="S3: 78 h in 72 h"
        ),
        pytest.param(family("cde"), [lot(hours=168)], (78, 90, None), [], id="S4: in seven days"),
        pytest.param(family("cde"), [lot()], (68, 4, None), ["e"], id="drops E only"),
        pytest.param(family("c"), [lot()], (58, 14, None), [], id="without D and E"),
        pytest.param(family(), [lot(), lot("lot-2")], (38, 34, None), [], id="two lots"),
        pytest.param(family(), [lot(gpus=2)], (38, 34, None), [], id="a lot of two GPUs"),
    ],
)
def test_the_schedule_family(
    steps: list[Step], lots: list[LotWindow], expected: tuple[float, ...], dropped: list[str]
) -> None:
    made = schedule(steps, lots)

    assert in_h(made) == expected
    assert made.fits is (expected[2] is None)
    assert [one.id for one in made.dropped] == dropped
    assert made.lower_bound_min == made.end_min
    assert made.proof is None or not made.fits
    assert violations(steps, lots, 1, made) == ()


def test_the_bars_of_the_illustrative_schedule() -> None:
    made = schedule(family(), [lot()])

    assert [
        (one.id, one.start_min // 60, one.end_min // 60, one.lane) for one in made.placements
    ] == [
        ("prepare", 0, 4, "people"),
        ("install", 4, 6, "lot-1/gpu-0"),
        ("pilot", 6, 10, "lot-1/gpu-0"),
        ("decide", 10, 12, "people"),
        ("control", 12, 22, "lot-1/gpu-0"),
        ("a", 22, 32, "lot-1/gpu-0"),
        ("b", 32, 42, "lot-1/gpu-0"),
        ("retrieve", 42, 48, "lot-1/transfer"),
    ]
    assert made.window_min == 72 * 60


def test_a_dropped_step_says_by_how_much_it_finds_no_room() -> None:
    made = schedule(family("cde"), [lot()])

    assert [str(one.why) for one in made.dropped] == ["With it the plan exceeds its lot by 6 h"]


def test_an_essential_part_that_is_too_long_is_placed_alone_and_proved_too_long() -> None:
    steps = [*family("cde", further="essential"), step("extra", "machine", 1, "useful")]
    made = schedule(steps, [lot()])

    assert in_h(made) == (78, None, 6)
    assert [one.id for one in made.dropped] == ["extra"]
    assert str(made.proof) == (
        "The essential part needs at least 78 h: 6 h more than the window of 72 h"
    )


def test_a_step_longer_than_every_lot_has_no_end_and_the_proof_names_it() -> None:
    """E13: two lots of 72 h do not hold one step of 80 h."""
    made = schedule([step("long", "machine", 80)], [lot(), lot("lot-2")])

    assert (made.end_min, made.fits) == (None, False)
    assert (made.exceeds_min, made.lower_bound_min) == (None, None)
    assert str(made.proof) == "long takes 80 h: 8 h longer than the longest window"
    assert made.placements == ()


def test_lots_do_not_merge_their_memory() -> None:
    """S16: a step of two GPUs, and two lots of one each."""
    steps = [step("wide", "machine", 5, gpus=2)]
    apart = schedule(steps, [lot(), lot("lot-2")])
    together = schedule(steps, [lot(), lot("lot-2", gpus=2)])

    assert apart.end_min is None
    assert not apart.fits
    assert str(apart.proof) == (
        "wide needs 2 GPUs in one lot, the largest has 1: lots do not merge their memory"
    )
    assert bar(together, "wide").lane == "lot-2/gpu-0"
    assert bar(together, "wide").gpus == (0, 1)


def test_a_wide_step_is_measured_against_the_lots_that_are_wide_enough() -> None:
    made = schedule(
        [step("wide", "machine", 30, gpus=2)], [lot(gpus=2, hours=24), lot("lot-2", hours=72)]
    )

    assert str(made.proof) == "wide takes 30 h: 6 h longer than the longest window with 2 GPUs"


def test_what_can_be_placed_beside_an_impossible_step_is_still_shown() -> None:
    steps = [
        step("prepare", "human", 4),
        step("long", "machine", 80, after=["prepare"]),
        step("report", "human", 1, after=["long"]),
        step("other", "human", 1, "useful"),
    ]
    made = schedule(steps, [lot()])

    assert [one.id for one in made.placements] == ["prepare"]
    assert made.end_min is None
    assert [one.id for one in made.dropped] == ["other"]
    assert violations(steps, [lot()], 1, made) == ()


def test_a_piece_of_no_length_may_lie_at_the_end_of_the_lot_and_one_minute_may_not() -> None:
    """E11."""
    run = step("run", "machine", 72)
    point = step("point", "decision_point", 0, after=["run"])
    minute = step("point", "decision_point", 1 / 60, after=["run"])

    assert in_h(schedule([run, point], [lot()])) == (72, 0, None)
    assert schedule([run, minute], [lot()]).exceeds_min == 1


def test_a_run_that_cannot_end_in_its_lot_is_outside_by_the_rest() -> None:
    """E15: from hour 66 on 10 h, and the lot ends at 72."""
    made = schedule(
        [step("wait", "human", 66), step("run", "machine", 10, after=["wait"])], [lot()]
    )

    assert (in_h(made), made.fits) == ((76, None, 4), False)


def test_seconds_are_rounded_up_to_minutes_and_parts_are_summed() -> None:
    run = replace(step("run", "machine", 1), p50_s=3601)
    parts = replace(run, id="parts", p50_s=None, parts=Parts(load_s=30, per_unit_s=7, units=10))
    made = schedule([run, parts], [lot()])

    assert [one.end_min - one.start_min for one in made.placements] == [61, 2]


def test_a_step_without_an_estimate_is_a_problem_and_not_nothing() -> None:
    steps = [step("x", "human", 1), step("run", "machine", None, after=["x"])]
    made = schedule(steps, [lot()])
    optional = schedule([*family(), step("more", "machine", None, "useful")], [lot()])

    assert (made.end_min, made.fits, made.proof) == (None, False, None)
    assert [str(problem) for problem in made.problems] == ["run has no estimate"]
    assert [one.id for one in made.placements] == ["x"]
    assert in_h(optional) == (48, 24, None)
    assert [one.id for one in optional.dropped] == ["more"]
    assert [str(problem) for problem in optional.problems] == ["more has no estimate"]


def test_a_decision_point_without_an_estimate_takes_no_time() -> None:
    made = schedule(
        [step("x", "human", 1), step("d", "decision_point", None, after=["x"])], [lot()]
    )

    assert hours(made, "d") == (1, 1)
    assert made.problems == ()


def test_without_a_lot_there_is_no_window_and_no_place_for_a_run() -> None:
    made = schedule(family(), [])
    by_hand = schedule([step("x", "human", 3), step("send", "transfer", 1, after=["x"])], [])

    assert (made.end_min, made.window_min, made.fits, made.proof) == (None, None, False, None)
    assert [str(problem) for problem in made.problems] == ["No lot is planned yet"]
    assert (by_hand.end_min, by_hand.uncommitted_min, by_hand.exceeds_min) == (240, None, None)
    assert bar(by_hand, "send").lane == "transfer"
    assert violations(family(), [], 1, made) == ()


def test_a_plan_without_steps_says_so() -> None:
    made = schedule([], [lot()])

    assert (made.end_min, made.window_min, made.fits) == (None, 72 * 60, False)
    assert [str(problem) for problem in made.problems] == ["The plan has no steps yet"]


def test_a_plan_needs_a_person() -> None:
    with pytest.raises(ValueError, match="one person"):
        schedule(family(), [lot()], people=0)


def test_a_circle_leaves_the_plan_unplaced() -> None:
    steps = [step("x", "human", 1, after=["y"]), step("y", "human", 1, follows=["x"])]
    made = schedule(steps, [lot()])

    assert (made.end_min, made.placements) == (None, ())
    assert [str(problem) for problem in made.problems] == [
        "x → y → x: these steps wait for each other"
    ]


@settings(max_examples=60, deadline=None)
@given(steps_of(most=25), lots_of(), st.integers(1, 3))
def test_the_same_input_gives_the_same_schedule(
    steps: list[Step], lots: list[LotWindow], people: int
) -> None:
    assert schedule(steps, lots, people) == schedule(tuple(steps), tuple(lots), people)
