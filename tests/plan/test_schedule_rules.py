"""Which steps are in the plan, in which order, and what they share: people, GPUs, lots."""

from __future__ import annotations

import pytest

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step
from app.plan.rules.precedence import ordering_problems
from app.plan.rules.schedule import Schedule, schedule
from app.plan.rules.validator import violations
from tests.plan.campaigns import lot, step


def placed(
    steps: list[Step], lots: list[LotWindow] | None = None, people: int = 1
) -> dict[str, tuple[float, float]]:
    """The hours of each bar, of a schedule that the validator accepts."""
    return hours(accepted(steps, lots, people))


def accepted(steps: list[Step], lots: list[LotWindow] | None = None, people: int = 1) -> Schedule:
    windows = [lot()] if lots is None else lots
    made = schedule(steps, windows, people)
    assert violations(steps, windows, people, made) == ()
    return made


def hours(made: Schedule) -> dict[str, tuple[float, float]]:
    return {one.id: (one.start_min / 60, one.end_min / 60) for one in made.placements}


def test_useful_steps_come_by_rank_and_a_shorter_one_may_still_find_room() -> None:
    steps = [
        step("must", "machine", 60),
        step("long", "machine", 20, "useful"),
        step("short", "machine", 10, "useful"),
        step("tiny", "machine", 3, "useful"),
    ]
    made = accepted(steps)

    assert [one.id for one in made.dropped] == ["long", "tiny"]
    assert hours(made)["short"] == (60, 70)


def test_useful_steps_go_before_exploratory_ones_whatever_their_rank() -> None:
    steps = [
        step("play", "machine", 40, "exploratory", include=True),
        step("good", "machine", 40, "useful"),
    ]
    made = accepted(steps)

    assert [one.id for one in made.placements] == ["good"]
    assert [one.id for one in made.dropped] == ["play"]


def test_an_exploratory_step_is_planned_only_when_ticked() -> None:
    made = accepted([step("x", "human", 1), step("play", "machine", 1, "exploratory")])

    assert [one.id for one in made.placements] == ["x"]
    assert made.not_included == ("play",)
    assert made.dropped == ()


def test_an_optional_step_brings_what_it_is_after() -> None:
    steps = [
        step("result", "machine", 10, "useful", after=["data"]),
        step("data", "human", 4, "useful"),
    ]
    assert placed(steps) == {"data": (0, 4), "result": (4, 14)}

    crowded = accepted([*steps, step("must", "machine", 65)])
    assert [one.id for one in crowded.dropped] == ["result"]
    assert hours(crowded)["data"] == (0, 4)


def test_nothing_is_planned_without_what_it_is_after() -> None:
    steps = [
        step("must", "human", 1),
        step("play", "machine", 1, "exploratory"),
        step("next", "machine", 1, "useful", after=["play"]),
    ]
    made = accepted(steps)

    assert [(one.id, str(one.why)) for one in made.dropped] == [
        ("next", "next needs play, which is not included")
    ]


def test_follows_is_order_only() -> None:
    steps = [
        step("play", "machine", 5, "exploratory"),
        step("then", "machine", 1, follows=["play"]),
    ]
    assert placed(steps) == {"then": (0, 1)}

    ticked = [step("play", "machine", 5, "exploratory", include=True), steps[1]]
    assert placed(ticked) == {"play": (0, 5), "then": (5, 6)}


def test_the_star_means_all_that_is_in_the_plan_and_does_not_come_after() -> None:
    steps = [
        step("fetch", "transfer", 2, follows=["*"]),
        step("report", "human", 3, after=["fetch"]),
        step("run", "machine", 10),
        step("end", "decision_point", 0, follows=["*"]),
    ]
    assert placed(steps) == {"run": (0, 10), "fetch": (10, 12), "report": (12, 15), "end": (15, 15)}


def test_one_person_does_one_thing_at_a_time_and_two_do_two() -> None:
    steps = [step("x", "human", 3), step("y", "human", 3), step("d", "decision_point", 1)]

    assert placed(steps) == {"x": (0, 3), "y": (3, 6), "d": (6, 7)}
    two = accepted(steps, people=2)
    assert hours(two) == {"x": (0, 3), "y": (0, 3), "d": (3, 4)}
    assert [(one.id, one.lane, one.person) for one in two.placements] == [
        ("x", "people", 0),
        ("y", "people", 1),
        ("d", "people", 0),
    ]


def test_a_moment_of_decision_waits_until_a_person_is_free() -> None:
    steps = [
        step("check", "human", 8),
        step("run", "machine", 3),
        step("point", "decision_point", 0, after=["run"]),
        step("report", "human", 2),
    ]
    assert placed(steps) == {"check": (0, 8), "run": (0, 3), "report": (8, 10), "point": (8, 8)}


def test_people_and_gpus_work_beside_each_other_and_transfers_take_neither() -> None:
    steps = [
        step("x", "human", 3),
        step("run", "machine", 3),
        step("up", "transfer", 3),
        step("down", "transfer", 3),
    ]
    assert set(placed(steps).values()) == {(0, 3)}


def test_a_wide_step_waits_for_gpus_of_one_lot_and_a_gap_is_used() -> None:
    steps = [
        step("x", "machine", 4),
        step("wide", "machine", 5, gpus=2),
        step("y", "machine", 3),
        step("z", "machine", 1),
    ]
    made = accepted(steps, [lot(gpus=2)])

    assert hours(made) == {"x": (0, 4), "wide": (4, 9), "y": (0, 3), "z": (3, 4)}
    assert [(one.id, one.lane, one.gpus) for one in made.placements] == [
        ("y", "lot-1/gpu-1", (1,)),
        ("x", "lot-1/gpu-0", (0,)),
        ("z", "lot-1/gpu-1", (1,)),
        ("wide", "lot-1/gpu-0", (0, 1)),
    ]


def test_a_later_lot_begins_at_its_own_hour() -> None:
    steps = [step("x", "machine", 60), step("y", "machine", 60)]
    made = accepted(steps, [lot(), lot("lot-2", start=100)])

    assert hours(made) == {"x": (0, 60), "y": (100, 160)}
    assert made.window_min == 172 * 60
    assert made.fits
    # The first lot has closed by then, and nothing is left of it: no negative spare.
    assert made.uncommitted_min == 0


def test_the_uncommitted_hours_run_to_the_first_end_of_a_lot_that_is_used() -> None:
    steps = [step("x", "machine", 10), step("y", "machine", 10)]

    both = accepted(steps, [lot(hours=168), lot("lot-2", hours=72)])
    one = accepted(steps[:1], [lot(hours=168), lot("lot-2", hours=72)])
    assert both.uncommitted_min == 62 * 60
    assert one.uncommitted_min == 158 * 60


def test_a_transfer_ends_before_every_lot_it_fetches_from() -> None:
    steps = [
        step("x", "machine", 70),
        step("y", "machine", 70),
        step("fetch", "transfer", 4, follows=["*"]),
    ]
    made = accepted(steps, [lot(hours=80), lot("lot-2", hours=72)])

    assert not made.fits
    assert made.exceeds_min == 2 * 60
    assert next(one.lane for one in made.placements if one.id == "fetch") == "lot-2/transfer"


def test_work_before_the_window_ends_at_hour_0_in_its_order() -> None:
    steps = [
        step("read", "human", 5, before_window=True),
        step("write", "human", 4, before_window=True, after=["read"]),
        step("load", "transfer", 1, before_window=True),
        step("run", "machine", 10, after=["write", "load"]),
    ]
    made = accepted(steps)

    assert hours(made) == {"read": (-9, -4), "write": (-4, 0), "load": (-1, 0), "run": (0, 10)}
    assert (made.end_min, made.lower_bound_min) == (600, 600)


def test_transfers_before_the_window_keep_their_order_without_a_person() -> None:
    steps = [
        step("pull", "transfer", 3, before_window=True),
        step("check", "human", 1, before_window=True, after=["pull"]),
        step("push", "transfer", 2, before_window=True, after=["check"]),
    ]
    made = accepted(steps)

    assert hours(made) == {"pull": (-6, -3), "check": (-3, -2), "push": (-2, 0)}
    assert (made.end_min, made.lower_bound_min, made.fits) == (0, 0, True)


def test_of_two_starred_steps_the_later_one_follows_all_that_comes_after_the_first() -> None:
    steps = [
        step("fetch", "transfer", 2, follows=["*"]),
        step("end", "decision_point", 1, follows=["*"]),
        step("report", "human", 3, after=["end"]),
        step("check", "human", 1, after=["fetch"]),
        step("run", "machine", 10),
    ]
    assert placed(steps) == {
        "run": (0, 10),
        "fetch": (10, 12),
        "check": (12, 13),
        "end": (13, 14),
        "report": (14, 17),
    }


def test_work_that_waits_for_the_window_is_not_moved_before_it() -> None:
    steps = [
        step("run", "machine", 10),
        step("look", "human", 1, before_window=True, after=["run"]),
        step("early-run", "machine", 1, before_window=True),
    ]
    assert placed(steps) == {"run": (0, 10), "look": (10, 11), "early-run": (10, 11)}


def test_a_step_per_lot_keeps_its_id_with_one_lot_and_is_copied_to_several() -> None:
    steps = [
        step("install", "machine", 2, per_lot=True),
        step("x", "machine", 10, after=["install"]),
        step("y", "machine", 10, after=["install"]),
        step("fetch", "transfer", 1, per_lot=True, follows=["*"]),
    ]
    assert placed(steps) == {"install": (0, 2), "x": (2, 12), "y": (12, 22), "fetch": (22, 23)}
    assert placed(steps, [lot(), lot("lot-2", start=5)]) == {
        "install@lot-1": (0, 2),
        "x": (2, 12),
        "install@lot-2": (5, 7),
        "y": (7, 17),
        "fetch@lot-1": (12, 13),
        "fetch@lot-2": (17, 18),
    }


def test_a_run_waits_for_the_set_up_of_its_own_lot_only() -> None:
    steps = [
        step("set-up", "human", 3, per_lot=True),
        step("x", "machine", 10, after=["set-up"]),
        step("y", "machine", 10, after=["set-up"]),
        step("report", "human", 1, after=["set-up"]),
    ]
    assert placed(steps, [lot(), lot("lot-2")]) == {
        "set-up@lot-1": (0, 3),
        "set-up@lot-2": (3, 6),
        "x": (3, 13),
        "y": (6, 16),
        "report": (6, 7),
    }


def test_a_step_after_one_per_lot_runs_only_where_that_one_ran() -> None:
    steps = [
        step("install", "machine", 1, per_lot=True, gpus=2),
        step("x", "machine", 10, after=["install"]),
        step("y", "machine", 10, after=["install"]),
    ]
    made = accepted(steps, [lot(gpus=1), lot("lot-2", gpus=2)])

    assert [(one.id, one.lane) for one in made.placements] == [
        ("install@lot-2", "lot-2/gpu-0"),
        ("x", "lot-2/gpu-0"),
        ("y", "lot-2/gpu-1"),
    ]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            [step("x", "human", 1, after=["z"]), step("y", "human", 1, follows=["x"]),
             step("z", "human", 1, after=["y"])],
            "x → z → y → x: these steps wait for each other",
        ),
        ([step("x", "human", 1, after=["x"])], "x → x: these steps wait for each other"),
        ([step("x", "human", 1, after=["w"])], "x comes after w, but no step has that id"),
        ([step("x", "human", 1, after=["*"])], "x comes after *, but no step has that id"),
        (
            [step("x", "human", 1, after=["y"]), step("y", "human", 1, "exploratory")],
            "x → y: an essential step cannot be after one that may be dropped",
        ),
    ],
)  # fmt: skip
def test_an_impossible_order_is_refused_with_its_path(steps: list[Step], said: str) -> None:
    """E28."""
    assert [str(problem) for problem in ordering_problems(steps)] == [said]


def test_an_essential_step_may_follow_an_optional_one() -> None:
    steps = [step("x", "human", 1, follows=["y", "*"]), step("y", "human", 1, "exploratory")]

    assert ordering_problems(steps) == ()
