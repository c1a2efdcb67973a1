"""Thousands of campaigns from seeds: whatever is asked for, what we make of it breaks no rule."""

from __future__ import annotations

from collections import Counter

from app.plan.rules.schedule import Schedule, schedule
from app.plan.rules.validator import violations
from tests.plan.seeded import Campaign, campaign

MANY = 800


def made_of(given: Campaign) -> Schedule:
    return schedule(given.steps, given.lots, given.people, elsewhere=given.elsewhere)


def kind_of(made: Schedule) -> str:
    if made.end_min is None:
        return "unplaced"
    if made.fits:
        return "fits"
    return "undecided" if made.undecided else "proved"


def test_no_schedule_of_thousands_breaks_a_rule() -> None:
    """The validator is silent, the same input gives the same plan, no bound is above its end."""
    kinds: Counter[str] = Counter()
    for seed in range(3 * MANY):
        given = campaign(seed, most=60 if seed < MANY else 15)
        made = made_of(given)
        found = violations(given.steps, given.lots, given.people, made, elsewhere=given.elsewhere)
        assert found == (), f"seed {seed}: {found[0].text}"
        if seed % 3 == 0:
            assert made_of(campaign(seed, most=60 if seed < MANY else 15)) == made, f"seed {seed}"
        if made.end_min is None:
            assert made.proof is not None, f"seed {seed}: unplaced for no reason"
        else:
            assert made.lower_bound_min is not None
            assert made.lower_bound_min <= made.end_min, f"seed {seed}"
        kinds[kind_of(made)] += 1
        kinds["reserve"] += any(bar.reserve for bar in made.placements)
        kinds["dropped"] += bool(made.dropped)
        kinds["may be dropped"] += bool(made.may_be_dropped)
        kinds["would fit"] += bool(made.would_fit)
    # The campaigns are worth nothing if they are all of one kind.
    assert min(kinds.values()) >= 40, kinds
    assert len(kinds) == 8


def test_what_is_proved_impossible_overruns_and_what_is_not_proved_says_nothing() -> None:
    for seed in range(150):
        made = made_of(campaign(seed))
        if made.fits:
            assert (made.proof, made.undecided) == (None, False)
        elif made.end_min is not None:
            assert made.exceeds_min
            assert made.undecided is (made.proof is None)
