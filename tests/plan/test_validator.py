"""The validator accepts every schedule we make and finds every corruption of one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.plan.rules import validator
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step
from app.plan.rules.schedule import Placement, Schedule, schedule
from app.plan.rules.scheduled import Dropped
from app.plan.rules.validator import violations
from app.texts import text
from tests.plan.campaigns import family, lot, lots_of, step, steps_of

SLOW = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def rules_broken(
    steps: Sequence[Step], lots: Sequence[LotWindow], people: int, made: Schedule
) -> set[str]:
    return {found.rule for found in violations(steps, lots, people, made)}


@SLOW
@given(steps_of(), lots_of(), st.integers(1, 4))
def test_every_schedule_we_make_is_accepted(
    steps: list[Step], lots: list[LotWindow], people: int
) -> None:
    made = schedule(steps, lots, people)

    assert [str(found.text) for found in violations(steps, lots, people, made)] == []
    assert made.problems == ()


@SLOW
@given(steps_of(most=20), lots_of(), st.integers(1, 3), st.data())
def test_a_bar_that_is_moved_before_what_binds_it_is_found(
    steps: list[Step], lots: list[LotWindow], people: int, data: st.DataObject
) -> None:
    """Any bar of some length, moved to the start of another on its own GPU or person, meets it."""
    made = schedule(steps, lots, people)
    pairs = [
        (one, other)
        for one in made.placements
        for other in made.placements
        if one is not other
        and one.end_min > one.start_min
        and other.end_min > other.start_min
        and ((one.lot == other.lot and set(one.gpus) & set(other.gpus)) or _same_person(one, other))
    ]
    assume(pairs)
    one, other = data.draw(st.sampled_from(pairs))
    by = other.start_min - one.start_min
    moved = replace(one, start_min=one.start_min + by, end_min=one.end_min + by)

    assert "overlap" in rules_broken(steps, lots, people, _with(made, one, moved))


@SLOW
@given(steps_of(most=20), lots_of(), st.data())
def test_a_bar_of_another_length_is_found(
    steps: list[Step], lots: list[LotWindow], data: st.DataObject
) -> None:
    made = schedule(steps, lots)
    assume(made.placements)
    one = data.draw(st.sampled_from(made.placements))
    by = data.draw(st.sampled_from([-60, -1, 1, 60]))

    longer = replace(one, end_min=one.end_min + by)
    assert "length" in rules_broken(steps, lots, 1, _with(made, one, longer))


@SLOW
@given(steps_of(most=20), lots_of(), st.data())
def test_a_bar_that_is_taken_out_is_found(
    steps: list[Step], lots: list[LotWindow], data: st.DataObject
) -> None:
    made = schedule(steps, lots)
    assume(made.placements and made.end_min is not None)
    one = data.draw(st.sampled_from(made.placements))

    broken = rules_broken(steps, lots, 1, _with(made, one, None))
    assert broken & {"class", "per_lot"}


def test_the_validator_knows_nothing_of_the_placing() -> None:
    folder = Path(validator.__file__).parent
    imported = {
        node.module
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
    }
    rules = {name.removeprefix("app.plan.rules.") for name in imported if name}

    assert {name for name in rules if not name.startswith("validator.")} == {
        "app.texts",
        "checkpoints",
        "collections.abc",
        "dataclasses",
        "lots",
        "model",
        "scheduled",
        "typed.labels",
    }


def _same_person(one: Placement, other: Placement) -> bool:
    return one.person is not None and one.person == other.person


def _with(made: Schedule, old: Placement, new: Placement | None) -> Schedule:
    bars = [new if bar is old else bar for bar in made.placements]
    return replace(made, placements=tuple(bar for bar in bars if bar is not None))


def _bar(made: Schedule, name: str) -> Placement:
    return next(bar for bar in made.placements if bar.id == name)


def _moved(made: Schedule, name: str, by: int) -> Schedule:
    one = _bar(made, name)
    return _with(made, one, replace(one, start_min=one.start_min + by, end_min=one.end_min + by))


def _put(name: str, change: Callable[[Placement], Placement]) -> Callable[[Schedule], Schedule]:
    return lambda made: _with(made, _bar(made, name), change(_bar(made, name)))


CORRUPTIONS: dict[str, tuple[str, Callable[[Schedule], Schedule]]] = {
    "a run before the decision": ("order", lambda made: _moved(made, "control", -120)),
    "one minute of overlap": ("overlap", lambda made: _moved(made, "a", -1)),
    "a retrieval before the last run ends": ("order", lambda made: _moved(made, "retrieve", -1)),
    "work before hour 0": ("start", lambda made: _moved(made, "prepare", -60)),
    "past the end of the lot": ("window", lambda made: _moved(made, "retrieve", 24 * 60 + 1)),
    "a GPU the lot has not": ("lane", _put("a", lambda b: replace(b, gpus=(1,)))),
    "no GPU": ("lane", _put("a", lambda b: replace(b, gpus=()))),
    "two GPUs for a step of one": ("lane", _put("a", lambda b: replace(b, gpus=(0, 1)))),
    "another lane than its GPU": ("lane", _put("a", lambda b: replace(b, lane="people"))),
    "a lot that is not there": ("unknown", _put("a", lambda b: replace(b, lot="lot-9"))),
    "a machine without a lot": ("lane", _put("a", lambda b: replace(b, lot=None))),
    "a step that is not there": ("unknown", _put("a", lambda b: replace(b, step="z"))),
    "a bar twice": (
        "unknown",
        lambda made: replace(made, placements=(*made.placements, made.placements[0])),
    ),
    "a person who is not there": ("lane", _put("decide", lambda b: replace(b, person=1))),
    "nobody": ("lane", _put("decide", lambda b: replace(b, person=None))),
    "a transfer on a GPU": (
        "lane",
        _put("retrieve", lambda b: replace(b, lane="lot-1/gpu-0", gpus=(0,))),
    ),
    "another id than its step's": ("lane", _put("a", lambda b: replace(b, id="other"))),
    "an essential step left out": (
        "class",
        lambda made: _with(made, _bar(made, "control"), None),
    ),
    "without what it is after": ("needed", lambda made: _with(made, _bar(made, "decide"), None)),
    "a dropped step that is in": (
        "class",
        lambda made: replace(made, dropped=(*made.dropped, Dropped("c", text("No")))),
    ),
    "a dropped step that is not named": ("class", lambda made: replace(made, dropped=())),
    "a dropped step that does not exist": (
        "class",
        lambda made: replace(made, dropped=(*made.dropped, Dropped("z", text("No")))),
    ),
    "an essential step dropped": (
        "class",
        lambda made: replace(made, dropped=(*made.dropped, Dropped("control", text("No")))),
    ),
    "another end": ("figures", lambda made: replace(made, end_min=48 * 60)),
    "another window": ("figures", lambda made: replace(made, window_min=168 * 60)),
    "more spare than there is": ("figures", lambda made: replace(made, uncommitted_min=24 * 60)),
    "a bound above the end": ("figures", lambda made: replace(made, lower_bound_min=69 * 60)),
    "no bound": ("figures", lambda made: replace(made, lower_bound_min=None)),
    "not fitting, though it does": (
        "figures",
        lambda made: replace(made, fits=False, uncommitted_min=None, exceeds_min=0),
    ),
    "no end, but figures": ("figures", lambda made: replace(made, end_min=None)),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corruption_of_a_valid_schedule_is_found(name: str) -> None:
    steps, lots = family("cde"), [lot()]
    made = schedule(steps, lots)
    assert violations(steps, lots, 1, made) == ()

    rule, corrupt = CORRUPTIONS[name]
    assert rule in rules_broken(steps, lots, 1, corrupt(made))


def test_the_spans_of_one_gpu_are_half_open() -> None:
    """E12: [0, 10 h) and [10 h, 20 h) do not meet; from 9:59 on they do."""
    steps, lots = [step("x", "machine", 10), step("y", "machine", 10)], [lot()]
    made = schedule(steps, lots)
    assert [(bar.start_min, bar.end_min) for bar in made.placements] == [(0, 600), (600, 1200)]
    assert violations(steps, lots, 1, made) == ()

    assert "overlap" in rules_broken(steps, lots, 1, _moved(made, "y", -1))


def test_a_piece_of_no_length_lies_between_two_others_but_not_within_one() -> None:
    steps = [
        step("x", "human", 2),
        step("point", "decision_point", 0, after=["x"]),
        step("y", "human", 2),
    ]
    made = schedule(steps, [lot()])
    assert _bar(made, "point").start_min == 120
    assert violations(steps, [lot()], 1, made) == ()

    assert "overlap" in rules_broken(steps, [lot()], 1, _moved(made, "point", 1))


def test_a_run_that_reaches_over_the_end_is_outside_by_the_rest() -> None:
    """E15: from hour 66 on 10 h, and the lot ends at 72."""
    steps, lots = [step("run", "machine", 10)], [lot()]
    late = _moved(schedule(steps, lots), "run", 66 * 60)

    said = [str(found.text) for found in violations(steps, lots, 1, late)]
    assert "run: 240 min outside its lot" in said


def test_a_dropped_step_cannot_be_planned_beside_an_essential_part_that_does_not_fit() -> None:
    steps, lots = [*family("cde", further="essential"), step("more", "human", 1, "useful")], [lot()]
    made = schedule(steps, lots)
    assert violations(steps, lots, 1, made) == ()

    more = Placement("more", "more", 0, 60, "people", person=0)
    assert "class" in rules_broken(
        steps, lots, 1, replace(made, placements=(*made.placements, more))
    )
    for wrong in (None, 5 * 60, 7 * 60):
        assert "figures" in rules_broken(steps, lots, 1, replace(made, exceeds_min=wrong))


def test_a_step_per_lot_is_on_every_lot_and_before_what_needs_it_there() -> None:
    steps = [
        step("install", "machine", 2, per_lot=True),
        step("x", "machine", 5, after=["install"]),
        step("y", "machine", 5, after=["install"]),
    ]
    lots = [lot(), lot("lot-2")]
    made = schedule(steps, lots)
    assert violations(steps, lots, 1, made) == ()

    second = _bar(made, "install@lot-2")
    assert "per_lot" in rules_broken(steps, lots, 1, _with(made, second, None))
    assert "order" in rules_broken(steps, lots, 1, _moved(made, "install@lot-2", 1))


def test_files_are_fetched_before_the_lot_they_lie_on_ends() -> None:
    steps = [
        step("x", "machine", 20),
        step("report", "human", 1, after=["x"]),
        step("fetch", "transfer", 3, after=["report"]),
    ]
    lots = [lot(hours=24), lot("lot-2", hours=72)]
    made = schedule(steps, lots)
    assert made.fits
    assert _bar(made, "fetch").lane == "lot-1/transfer"

    assert "window" in rules_broken(steps, lots, 1, _moved(made, "fetch", 1))


def test_a_schedule_for_steps_in_a_circle_has_no_bars_and_is_not_judged() -> None:
    steps = [step("x", "human", 1, after=["y"]), step("y", "human", 1, after=["x"])]

    assert violations(steps, [lot()], 1, schedule(steps, [lot()])) == ()
