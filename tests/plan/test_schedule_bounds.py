"""The lower bound is never above what some plan reaches, and a proof never says too much."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.plan.rules.bounds import chains, lower_bound
from app.plan.rules.model import Step
from app.plan.rules.pieces import Layout, lay_out
from app.plan.rules.placing import place
from app.plan.rules.precedence import Precedence, arrange
from app.plan.rules.schedule import schedule
from tests.plan.campaigns import lot, step, steps_of


def laid_out(steps: list[Step], gpus: int, people: int, hours: int) -> Layout:
    precedence = arrange(steps)
    assert isinstance(precedence, Precedence)
    return lay_out(steps, precedence, [lot(gpus=gpus, hours=hours)], people)


def least_end_and_overrun(layout: Layout, order: list[int]) -> tuple[int, int]:
    """The best of the serial passes over every order of some pieces that keeps their edges.

    For one lot they hold a shortest plan and one that overruns least.
    """
    ends: list[tuple[int, int]] = []
    for some in permutations(order):
        place_of = {number: at for at, number in enumerate(some)}
        if all(
            place_of[earlier] < place_of[number]
            for number in some
            for earlier in layout.pieces[number].before
            if earlier in place_of
        ):
            done = place(layout, some, layout.minutes())
            ends.append((max(done.end[number] for number in some), done.overrun))
    return min(end for end, _ in ends), min(overrun for _, overrun in ends)


@settings(max_examples=150, deadline=None)
@given(steps_of(least=2, most=5), st.integers(1, 3), st.integers(1, 2))
def test_no_plan_ends_before_the_lower_bound(steps: list[Step], gpus: int, people: int) -> None:
    layout = laid_out(steps, gpus, people, hours=720)
    order = layout.active(rank for rank in range(len(steps)) if rank not in layout.blocked)
    if order:
        bound = lower_bound(layout, chains(layout, order))
        assert bound <= max(0, least_end_and_overrun(layout, order)[0])


@settings(max_examples=150, deadline=None)
@given(steps_of(least=2, most=5), st.integers(1, 3), st.integers(10, 30))
def test_a_plan_that_is_proved_impossible_overruns_its_lot_in_every_order(
    steps: list[Step], gpus: int, hours: int
) -> None:
    made = schedule(steps, [lot(gpus=gpus, hours=hours)])
    if made.proof is not None and made.end_min is not None:
        layout = laid_out(steps, gpus, 1, hours)
        in_plan = {one.step for one in made.placements}
        order = layout.active(rank for rank, one in enumerate(steps) if one.id in in_plan)
        assert least_end_and_overrun(layout, order)[1] > 0


def test_the_work_of_people_bounds_a_plan_too() -> None:
    steps = [step(name, "human", 5) for name in "vwxyz"]

    assert schedule(steps, [lot()], people=1).lower_bound_min == 25 * 60
    assert schedule(steps, [lot()], people=2).lower_bound_min == 15 * 60


def test_a_lot_holds_one_wide_step_at_a_time() -> None:
    steps = [step(name, "machine", 10, gpus=2) for name in "xyz"]

    assert schedule(steps, [lot(gpus=3)]).lower_bound_min == 30 * 60


def test_the_start_of_a_later_lot_counts() -> None:
    steps = [step("wide", "machine", 10, gpus=2), step("fetch", "transfer", 1, after=["wide"])]
    made = schedule(steps, [lot(), lot("lot-2", gpus=2, start=30)])

    assert (made.lower_bound_min, made.end_min) == (41 * 60, 41 * 60)


def test_a_step_outside_every_lot_is_named_although_the_plan_ends_in_the_window() -> None:
    steps = [step("wait", "human", 70), step("run", "machine", 10, after=["wait"], gpus=2)]
    made = schedule(steps, [lot(gpus=2), lot("lot-2", hours=720)])

    assert made.exceeds_min == 8 * 60
    assert str(made.proof) == (
        "run can begin after 70 h at the earliest and takes 10 h: "
        "8 h outside every lot that can hold it"
    )


def test_more_work_than_the_gpus_have_time_for_is_said_with_both_figures() -> None:
    steps = [step(name, "machine", 20) for name in "vwxyz"]
    made = schedule(steps, [lot(hours=24), lot("lot-2", hours=24, start=100)])

    assert made.exceeds_min == 36 * 60
    assert str(made.proof) == "The GPU steps need 100 h of GPU time; the lots hold 48 h"


def test_no_proof_is_claimed_where_no_bound_shows_it() -> None:
    """Three runs of 40 h do not fit two lots of 72 h, but the hours alone would."""
    made = schedule([step(name, "machine", 40) for name in "xyz"], [lot(), lot("lot-2", start=100)])

    assert not made.fits
    assert made.exceeds_min == 8 * 60
    assert made.proof is None
