"""The plan's lots as windows: what comes from the offer, hour 0, elapsed hours, prices."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings

from app.offers.rules import read_catalogue
from app.plan.rules.lots import LotWindow, ResolvedLots, resolve_lots, zero_at
from app.plan.rules.model import DecisionRule, Plan, PlannedLot, Step
from app.plan.rules.schedule import schedule
from app.plan.rules.validator import violations
from tests.plan.campaigns import family, lot, lots_of, steps_of

BERLIN = ZoneInfo("Europe/Berlin")
RULE = DecisionRule(metric="f1", better="higher", take="final", yes="Ship.", no="Keep.")


def resolved(*lots: PlannedLot, currency: str = "EUR") -> ResolvedLots:
    plan = Plan("c", "Which?", "Europe/Berlin", currency, RULE, lots=lots)
    return resolve_lots(plan, read_catalogue())


@pytest.mark.parametrize(
    ("offer", "hours", "minor"),
    [
        ("iteragpu/rtx-4090/3d", 72, 4714),
        ("iteragpu/rtx-4090/7d", 168, 11000),
        ("iteragpu/rtx-4090/30d", 720, 39000),
    ],
)
def test_a_lot_takes_gpus_hours_and_price_from_its_offer(
    offer: str, hours: int, minor: int
) -> None:
    (window,) = resolved(PlannedLot("lot-1", offer)).windows

    assert (window.gpus, window.gpu) == (1, "RTX 4090")
    assert (window.start_min, window.end_min, window.usable_min) == (0, hours * 60, hours * 60)
    assert (window.price_minor, window.currency) == (minor, "USD")
    assert (window.starts_at, window.ends_at) == (None, None)


def test_what_the_plan_states_itself_wins_over_the_offer() -> None:
    own = PlannedLot("lot-1", "iteragpu/b200", hours=100, price_minor=5000)
    (window,) = resolved(own).windows

    assert (window.gpus, window.end_min) == (2, 6000)
    assert (window.price_minor, window.currency) == (5000, "EUR")


def test_a_lot_without_an_offer_may_have_no_price() -> None:
    (window,) = resolved(PlannedLot("lot-1", gpus=4, hours=24)).windows

    assert (window.price_minor, window.currency, window.gpu) == (None, None, None)


@pytest.mark.parametrize(
    ("lot", "said"),
    [
        (PlannedLot("lot-1", "none/such"), "lot-1: no offer none/such in the catalogue"),
        (PlannedLot("lot-1", "iteragpu/b200"), "lot-1: state for how many hours the lot is rented"),
        (PlannedLot("lot-1", hours=3), "lot-1: state how many GPUs the lot has"),
    ],
)
def test_a_lot_that_nobody_describes_is_left_out_and_said(lot: PlannedLot, said: str) -> None:
    made = resolved(lot, PlannedLot("lot-2", gpus=1, hours=72))

    assert [str(problem) for problem in made.problems] == [said]
    assert [window.id for window in made.windows] == ["lot-2"]


def test_hour_0_is_the_first_start_and_hours_are_elapsed_ones() -> None:
    """The clock goes back between the two starts: 24 local hours are 25."""
    made = resolved(
        PlannedLot("late", gpus=1, hours=72, starts_at=datetime(2026, 10, 25, 18, tzinfo=BERLIN)),
        PlannedLot("first", gpus=1, hours=72, starts_at=datetime(2026, 10, 24, 18, tzinfo=BERLIN)),
        PlannedLot("open", gpus=1, hours=24),
    )

    assert [(w.id, w.start_min // 60, w.end_min // 60) for w in made.windows] == [
        ("late", 25, 97),
        ("first", 0, 72),
        ("open", 0, 24),
    ]
    assert zero_at(made.windows) == datetime(2026, 10, 24, 16, tzinfo=UTC)
    assert made.windows[1].ends_at == datetime(2026, 10, 27, 16, tzinfo=UTC)  # E1


def test_72_hours_over_the_change_to_summer_time() -> None:
    """E2."""
    at = datetime(2027, 3, 27, 18, tzinfo=BERLIN)
    (window,) = resolved(PlannedLot("lot-1", gpus=1, hours=72, starts_at=at)).windows

    assert window.ends_at is not None
    assert window.ends_at.astimezone(BERLIN).isoformat() == "2027-03-30T19:00:00+02:00"


def test_a_start_within_a_minute_is_narrowed_to_whole_minutes() -> None:
    made = resolved(
        PlannedLot("a", gpus=1, hours=1, starts_at=datetime(2026, 12, 1, 8, 0, 20, tzinfo=UTC)),
        PlannedLot("b", gpus=1, hours=1, starts_at=datetime(2026, 12, 1, 9, 0, 30, tzinfo=UTC)),
    )

    assert [(w.start_min, w.end_min) for w in made.windows] == [(0, 60), (61, 120)]
    assert zero_at(made.windows) == datetime(2026, 12, 1, 8, 0, 20, tzinfo=UTC)


def test_without_a_start_hour_0_has_no_instant() -> None:
    assert zero_at(resolved(PlannedLot("lot-1", gpus=1, hours=72)).windows) is None
    assert zero_at(()) is None


@pytest.mark.parametrize(
    ("hours", "variants", "end"),
    [((12, 72), "", 48), ((30, 72), "", 48), ((72, 12), "", 48), ((40, 80), "cde", 78)],
)
def test_a_further_lot_never_makes_a_fitting_plan_worse(
    hours: tuple[int, int], variants: str, end: int
) -> None:
    """Files on two lots must be fetched before the first of them ends: one lot may be better."""
    lots = [lot(f"lot-{n}", hours=length) for n, length in enumerate(hours)]
    found = schedule(family(variants), lots)
    assert (found.fits, found.dropped) == (True, ())
    assert found.end_min is not None
    assert found.end_min <= end * 60
    assert violations(family(variants), lots, 1, found) == ()


@settings(max_examples=60)
@given(steps_of(most=25), lots_of())
def test_all_lots_together_are_at_least_as_good_as_any_one(
    steps: list[Step], lots: list[LotWindow]
) -> None:
    plain = [replace(step, per_lot=False) for step in steps]
    alone = [schedule(plain, [one]) for one in lots]
    found = schedule(plain, lots)
    if any(one.fits for one, where in zip(alone, lots, strict=True) if where.start_min == 0):
        assert found.fits
