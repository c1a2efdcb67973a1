"""The lower bound is never above what some plan reaches, and a proof never says too much."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from app.plan.rules.bounds import chains, lower_bound
from app.plan.rules.checkpoints import reserve_min
from app.plan.rules.laying import lay_out
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepClass
from app.plan.rules.pieces import Layout, planned_minutes, tied
from app.plan.rules.placing import NOWHERE, place
from app.plan.rules.precedence import Precedence, arrange
from app.plan.rules.schedule import keep, schedule
from tests.plan.campaigns import lot, step, steps_of
from tests.plan.seeded import Campaign, campaign


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


def test_a_reserve_bounds_a_plan_like_time_of_its_step() -> None:
    """Nothing else uses its GPUs meanwhile, and what comes after waits for it."""
    compared = 0
    for seed in range(150):
        given = campaign(seed, most=30)
        longer = [
            replace(
                one,
                p50_s=(planned_minutes(one) or 0) * 60 + reserve_min(one) * 60,
                parts=None,
                checkpoint=None,
            )
            if reserve_min(one)
            else one
            for one in given.steps
            if one.klass is StepClass.ESSENTIAL
        ]
        essential = [one for one in given.steps if one.klass is StepClass.ESSENTIAL]
        kept = [_only_among(essential, one) for one in essential]
        without = [_only_among(essential, one) for one in longer]
        with_reserves = schedule(kept, given.lots, given.people)
        lengthened = schedule(without, given.lots, given.people)
        if lengthened.end_min is not None and any(map(reserve_min, kept)):
            compared += 1
            assert with_reserves.lower_bound_min == lengthened.lower_bound_min, f"seed {seed}"
    assert compared > 50


def _only_among(steps: list[Step], one: Step) -> Step:
    names = {other.id for other in steps} | {"*"}
    return replace(one, follows=tuple(name for name in one.follows if name in names))


def least_on_several_lots(given: Campaign, layout: Layout) -> tuple[int, int]:
    """The least end and the least overrun over every order and every choice of lots."""
    order, pieces = layout.order, layout.pieces
    tied_ranks = {rank for rank, one in enumerate(given.steps) if tied(one)}
    ends: list[int] = []
    overruns: list[int] = []
    choices = [pieces[n].lots if not pieces[n].is_reserve else (NOWHERE,) for n in order]
    for chosen in product(*(lots or (NOWHERE,) for lots in choices)):
        on = dict(zip(order, chosen, strict=True))
        together = {on[n] for n in order if pieces[n].rank in tied_ranks and on[n] != NOWHERE}
        if given.elsewhere is False and len(together) > 1:
            continue
        bound = [
            replace(piece, lots=(on[n],)) if on[n] != NOWHERE else piece
            for n, piece in enumerate(pieces)
        ]
        fixed = replace(layout, pieces=tuple(bound))
        for some in permutations(n for n in order if not pieces[n].is_reserve):
            place_of = {number: at for at, number in enumerate(some)}
            place_of |= {pieces[n].reserve or n: at for n, at in place_of.items()}
            if all(place_of[one] < place_of[n] for n in some for one in layout.edges[n]):
                done = place(fixed, some, layout.minutes())
                ends.append(max(done.end))
                overruns.append(done.overrun)
    return min(ends), min(overruns)


def test_no_bound_and_no_proof_on_several_lots_says_too_much() -> None:
    """Against every order and every lot for each step of small campaigns."""
    seen: Counter[str] = Counter()
    for seed in range(500):
        given = campaign(seed, least=3, most=5)
        steps = tuple(replace(one, klass=StepClass.ESSENTIAL) for one in given.steps)
        given = replace(given, steps=steps, lots=tuple(_shorter(one) for one in given.lots[:3]))
        kept = keep(given.steps, given.lots, given.people, elsewhere=given.elsewhere)
        layout, made = kept.layout, kept.schedule
        if layout is None or made.end_min is None or len(layout.pieces) > 7:
            continue
        assert made.lower_bound_min is not None
        whole = lay_out(given.steps, _arranged(steps), given.lots, given.people)
        end, overrun = least_on_several_lots(given, whole)
        assert made.lower_bound_min <= max(0, end) <= made.end_min, f"seed {seed}"
        assert made.fits or made.exceeds_min >= overrun, f"seed {seed}"  # type: ignore[operator]
        if made.proof is not None:
            assert overrun > 0, f"seed {seed}: {made.proof}"
        seen["proved" if made.proof else "fits" if made.fits else "undecided"] += 1
        seen["shortest"] += end == made.end_min
        seen["all"] += 1
    assert min(seen["proved"], seen["fits"]) > 20, seen
    assert seen["shortest"] >= 0.95 * seen["all"], seen


def _shorter(one: LotWindow) -> LotWindow:
    """A lot of a sixth of its hours, so that small campaigns do not always fit."""
    end = one.start_min + (one.end_min - one.start_min) // 6
    return replace(one, start_min=one.start_min // 6, end_min=end, usable_min=end)


def _arranged(steps: tuple[Step, ...]) -> Precedence:
    found = arrange(steps)
    assert isinstance(found, Precedence)
    return found
