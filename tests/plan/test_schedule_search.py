"""How near the search comes to the shortest plan there is, and what it may not do for that."""

from __future__ import annotations

from itertools import permutations

import pytest

from app.plan.rules import searching
from app.plan.rules.improving import pushed_late
from app.plan.rules.placing import place
from app.plan.rules.schedule import Kept, keep, schedule
from app.plan.rules.validator import violations
from tests.plan.campaigns import family, lot, step
from tests.plan.instances import Instance, instance, shortest
from tests.plan.seeded import Campaign, campaign

SEEDS = [seed for seed in range(140) if seed != 72]
"""To prove the optimum of 72 takes longer than that of all the others together."""


def kept_of(problem: Instance) -> Kept:
    return keep(problem.steps, [problem.lot], problem.people)


def end_of(kept: Kept) -> int:
    assert kept.schedule.end_min is not None
    return kept.schedule.end_min


def test_the_plans_are_hardly_longer_than_the_shortest_there_is() -> None:
    """On problems of twelve steps whose optimum is known: 1.5 % on average at most."""
    gaps = []
    for seed in SEEDS:
        problem = instance(seed)
        kept = kept_of(problem)
        end, bound = end_of(kept), kept.schedule.lower_bound_min
        best = shortest(problem, end)
        assert bound is not None
        assert bound <= best <= end
        gaps.append(end / best - 1)

    assert sum(gaps) / len(gaps) <= 0.015
    assert sum(gap == 0 for gap in gaps) >= 0.9 * len(gaps)


def test_the_shortest_plan_of_small_problems_is_that_of_trying_every_order() -> None:
    """The measure itself, measured: six steps in each of their orders."""
    for seed in range(40):
        problem = instance(seed, count=6)
        kept = kept_of(problem)
        layout = kept.layout
        assert layout is not None
        ends = []
        for order in permutations(layout.order):
            at = {number: n for n, number in enumerate(order)}
            if all(at[one] < at[n] for n in order for one in layout.edges[n]):
                ends.append(max(place(layout, order, layout.minutes()).end))
        assert shortest(problem, sum(layout.minutes())) == min(ends)


def test_without_rules_and_improvement_the_plans_would_be_longer() -> None:
    typed = sum(_typed_end(kept_of(instance(seed))) for seed in SEEDS)
    found = sum(end_of(kept_of(instance(seed))) for seed in SEEDS)

    assert found < 0.96 * typed


def _typed_end(kept: Kept) -> int:
    layout = kept.layout
    assert layout is not None
    return max(place(layout, layout.order, layout.minutes()).end)


def test_pushing_late_keeps_every_edge_and_ends_no_later() -> None:
    for seed in range(100):
        given = campaign(seed)
        kept = keep(given.steps, given.lots, given.people)
        layout = kept.layout
        if layout is None or not kept.order:
            continue
        minutes = layout.minutes()
        placed = place(layout, kept.order, minutes)
        late = pushed_late(layout, kept.order, placed)
        last = max(placed.end[n] for n in kept.order)
        for n in kept.order:
            assert placed.start[n] <= late[n] <= last - minutes[n]
            for one in layout.pieces[n].before:
                if one in kept.order:
                    assert late[one] + minutes[one] <= late[n]


def test_the_pass_that_is_kept_makes_the_schedule_again() -> None:
    """A draw of durations is that pass once more, so it must be the one that was shown."""
    for seed in range(100):
        given = campaign(seed)
        kept = keep(given.steps, given.lots, given.people, elsewhere=given.elsewhere)
        if kept.layout is None:
            continue
        placed = place(kept.layout, kept.order, kept.layout.minutes())
        bars = {bar.id: (bar.start_min, bar.end_min) for bar in kept.schedule.placements}
        pieces = kept.layout.pieces
        assert bars == {pieces[n].id: (placed.start[n], placed.end[n]) for n in kept.order}


def test_a_plan_in_which_nothing_is_gained_looks_as_it_was_typed() -> None:
    """By latest finish `b` would go first; both orders end after 6 h."""
    steps = [step("a", "machine", 1), step("b", "machine", 2), step("c", "machine", 3)]
    made = schedule(steps, [lot()])

    assert [bar.id for bar in made.placements] == ["a", "b", "c"]
    assert [bar.id for bar in schedule(steps[::-1], [lot()]).placements] == ["c", "b", "a"]


def test_a_step_that_others_wait_for_is_taken_first_where_that_ends_earlier() -> None:
    steps = [
        step("long", "machine", 6),
        step("first", "machine", 1),
        step("read", "human", 8, after=["first"]),
    ]
    made = schedule(steps, [lot()])

    assert [(bar.id, bar.start_min // 60) for bar in made.placements] == [
        ("first", 0),
        ("long", 1),
        ("read", 1),
    ]
    assert made.end_min == 9 * 60 == made.lower_bound_min


def test_random_passes_are_made_only_where_no_rule_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    whole = searching.Search._at_random

    def counted(self: searching.Search, *given: object) -> searching.Found:
        asked.append(len(self.steps))
        return whole(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(searching.Search, "_at_random", counted)
    assert schedule(family("cde"), [lot(hours=168)]).fits
    assert schedule(family("cde"), [lot()]).fits  # e is refused, and a bound proves it
    assert schedule(instance(4).steps, [instance(4).lot], instance(4).people).fits
    assert asked == []

    unproved = [step(name, "machine", 40) for name in "xyz"]
    assert schedule(unproved, [lot(), lot("lot-2", start=100)]).undecided
    assert asked == [3]


def test_random_passes_find_room_that_no_rule_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    with_them = [campaign(seed, most=30) for seed in range(20)]
    found = [_in_the_plan(one) for one in with_them]
    monkeypatch.setattr(searching, "RANDOM_PASSES", 0)
    without = [_in_the_plan(one) for one in with_them]

    assert sum(found) > sum(without)


def _in_the_plan(given: Campaign) -> int:
    made = schedule(given.steps, given.lots, given.people)
    return made.fits * 1000 + len(made.may_be_dropped)


def test_work_is_bounded_however_many_steps_find_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty optional steps of which no bound proves that they have no room."""
    placed: list[int] = []
    whole = searching.Search._pass

    def counted(self: searching.Search, order: tuple[int, ...]) -> searching.Found:
        placed.append(len(order))
        return whole(self, order)

    monkeypatch.setattr(searching.Search, "_pass", counted)
    steps = [step(f"m{n}", "machine", 40) for n in range(2)]
    steps += [step(f"o{n}", "machine", 40, "useful") for n in range(58)]
    lots = [lot(), lot("lot-2", start=100)]
    made = schedule(steps, lots)

    assert violations(steps, lots, 1, made) == ()
    assert len(made.dropped) == 58
    assert sum(placed) < 30_000
