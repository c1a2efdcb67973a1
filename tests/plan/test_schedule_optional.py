"""What is said of optional steps: in and may be dropped, dropped and why, or left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.plan.rules.model import Step
from app.plan.rules.schedule import schedule
from app.plan.rules.validator import violations
from tests.plan.campaigns import family, lot, step
from tests.plan.seeded import campaign


def would_fit(steps: list[Step], hours: int = 72) -> dict[str, float]:
    """By how many hours the plan would overrun its lot with each step that is not included."""
    lots = [lot(hours=hours)]
    made = schedule(steps, lots)
    assert violations(steps, lots, 1, made) == ()
    return {one.id: one.over_min / 60 for one in made.would_fit}


def test_optional_steps_that_are_in_may_be_dropped() -> None:
    made = schedule(family("cde"), [lot()])

    assert made.may_be_dropped == ("c", "d")
    assert [one.id for one in made.dropped] == ["e"]


def test_what_a_needed_step_is_after_may_not_be_dropped() -> None:
    steps = [
        step("data", "human", 1),
        step("extra-data", "human", 1, "useful"),
        step("extra", "machine", 1, "useful", after=["extra-data"]),
        step("play", "machine", 1, "exploratory", include=True),
        step("run", "machine", 1, after=["data"]),
    ]
    assert schedule(steps, [lot()]).may_be_dropped == ("extra-data", "extra", "play")


def test_of_a_step_that_nobody_ticked_it_is_said_whether_it_would_fit() -> None:
    steps = [
        *family("cd"),
        step("short", "machine", 4, "exploratory", after=["decide"]),
        step("long", "machine", 8, "exploratory", after=["decide"]),
        step("by-hand", "human", 4, "exploratory"),
    ]
    assert would_fit(steps) == {"short": 0, "long": 4, "by-hand": 0}


def test_a_step_that_is_not_included_is_measured_beside_the_optional_ones_that_are_in() -> None:
    play = step("play", "machine", 10, "exploratory", after=["decide"])

    assert would_fit([*family(), play]) == {"play": 0}
    assert would_fit([*family("cd"), play]) == {"play": 6}


def test_it_brings_what_it_is_after_also_steps_that_are_not_included() -> None:
    steps = [
        step("must", "machine", 60),
        step("data", "machine", 7, "exploratory"),
        step("play", "machine", 7, "exploratory", after=["data"]),
    ]
    assert would_fit(steps) == {"data": 0, "play": 2}


def test_nothing_is_said_of_what_has_no_place_or_no_lot_to_fit_into() -> None:
    steps = [
        step("must", "machine", 60),
        step("unknown", "machine", None, "exploratory"),
        step("long", "machine", 80, "exploratory"),
        step("wide", "machine", 1, "exploratory", gpus=2),
    ]
    assert would_fit(steps) == {}
    by_hand = [step("x", "human", 1), step("play", "human", 1, "exploratory")]
    assert schedule(by_hand, []).would_fit == ()
    too_long = [step("must", "machine", 60), step("play", "machine", 1, "exploratory")]
    assert would_fit(too_long, hours=59) == {}


def test_ticking_a_step_that_would_fit_puts_it_in() -> None:
    """For plans in which no other ticked step is tried before it."""
    asked = 0
    for seed in range(60):
        given = campaign(seed, most=25)
        made = schedule(given.steps, given.lots, given.people)
        for one in made.would_fit[-1:]:
            ticked = [
                replace(step, include=step.include or step.id == one.id) for step in given.steps
            ]
            again = schedule(ticked, given.lots, given.people)
            needs_others = set(again.not_included) & _needed(given.steps, one.id)
            if one.over_min == 0 and not needs_others and not made.dropped:
                asked += 1
                assert one.id in again.may_be_dropped
    assert asked >= 10


def _needed(steps: tuple[Step, ...], name: str) -> set[str]:
    after = {one.id: one.after for one in steps}
    found: set[str] = set()
    ahead = [name]
    while ahead:
        for one in after[ahead.pop()]:
            if one not in found:
                found.add(one)
                ahead.append(one)
    return found


@pytest.mark.parametrize("gpus", [1, 2])
def test_a_refusal_that_no_bound_proves_says_what_was_found_only(gpus: int) -> None:
    """Runs of 40 h in lots of 72 h: the hours would hold one more, the lots do not."""
    steps = [
        *(step(f"must-{n}", "machine", 40) for n in range(2 * gpus)),
        step("more", "machine", 40, "useful"),
    ]
    (dropped,) = schedule(steps, [lot(gpus=gpus), lot("lot-2", gpus=gpus, start=100)]).dropped

    assert str(dropped.why) == ("With it the best plan found exceeds its lot by 8 h")


def test_a_plan_that_is_not_proved_impossible_is_undecided() -> None:
    three = [step(name, "machine", 40) for name in "xyz"]
    undecided = schedule(three, [lot(), lot("lot-2", start=100)])
    proved = schedule([step(name, "machine", 40) for name in "xyzvw"], [lot(), lot("lot-2")])

    assert (undecided.undecided, undecided.proof) == (True, None)
    assert undecided.lower_bound_min is not None
    assert proved.proof is not None
    assert not proved.undecided
    assert not schedule(family(), [lot()]).undecided
    assert not schedule([step("long", "machine", 80)], [lot()]).undecided
