"""The hours of a lot: paid, usable, planned, and what became of those that passed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.orders.rules.hours import Busy, LotHours, PlannedUse, covered_s, lot_hours
from app.orders.rules.records import OrderedLot

BEGAN = datetime(2026, 11, 30, 7, tzinfo=UTC)
HOUR_S = 3600
UNPLANNED = PlannedUse()


def _at(hours: float) -> datetime:
    return BEGAN + timedelta(hours=hours)


def _lot(hours: float = 72, usable: float | None = None) -> OrderedLot:
    return OrderedLot(
        order_number=1,
        position=0,
        planned_lot="lot-1",
        gpus=1,
        gpu="RTX 4090",
        starts_at=BEGAN,
        ends_at=_at(hours),
        usable_until=_at(usable if usable is not None else hours),
    )


def _hours(
    now: float,
    *,
    runs: list[Busy] | None = None,
    people: list[Busy] | None = None,
    use: PlannedUse = UNPLANNED,
    usable: float = 71.5,
) -> LotHours:
    return lot_hours(_lot(72, usable), use, runs or [], people or [], _at(now))


def test_a_lot_before_its_start() -> None:
    found = _hours(-3, use=PlannedUse(48 * HOUR_S, 6 * HOUR_S))
    assert (found.paid_s, found.usable_s) == (72 * HOUR_S, 257_400)
    assert (found.planned_s, found.uncommitted_s) == (48 * HOUR_S, 84_600)
    assert found.retrieve_by == _at(65.5)
    assert (found.elapsed_s, found.left_s, found.has_begun) == (0, found.usable_s, False)


def test_a_plan_that_exceeds_its_lot_is_below_zero() -> None:
    assert _hours(0, use=PlannedUse(78 * HOUR_S), usable=72).uncommitted_s == -6 * HOUR_S


def test_what_nobody_planned_is_not_zero() -> None:
    found = _hours(0)
    assert (found.planned_s, found.uncommitted_s, found.retrieve_by) == (None, None, None)


def test_runs_count_before_people_and_the_rest_is_idle() -> None:
    runs = [(_at(2), _at(12)), (_at(10), _at(20))]
    people = [(_at(0), _at(4)), (_at(30), _at(31))]
    found = _hours(40, runs=runs, people=people)
    assert (found.runs_s, found.people_s) == (18 * HOUR_S, 3 * HOUR_S)
    assert found.idle_s == 19 * HOUR_S
    assert (found.elapsed_s, found.left_s) == (40 * HOUR_S, 113_400)


def test_a_run_from_hour_66_to_76_is_cut_at_72() -> None:
    found = _hours(80, runs=[(_at(66), _at(76))], usable=72)
    assert (found.runs_s, found.cut_s, found.cut_runs) == (6 * HOUR_S, 4 * HOUR_S, 1)
    assert (found.left_s, found.is_over) == (0, True)


def test_what_begins_after_the_end_is_not_cut() -> None:
    found = _hours(80, runs=[(_at(73), _at(75)), (_at(60), _at(72))], usable=72)
    assert (found.cut_s, found.cut_runs) == (0, 0)


_SECONDS = st.integers(-10_000, 300_000)
_STRETCHES = st.lists(st.tuples(_SECONDS, st.integers(0, 100_000)), max_size=8)


def _stretches(drawn: list[tuple[int, int]]) -> list[Busy]:
    return [
        (BEGAN + timedelta(seconds=at), BEGAN + timedelta(seconds=at + length))
        for at, length in drawn
    ]


@given(_STRETCHES, _STRETCHES, _SECONDS, st.integers(1, 72))
def test_hours_that_passed_are_divided_without_rest(
    runs: list[tuple[int, int]], people: list[tuple[int, int]], now_s: int, usable: int
) -> None:
    found = lot_hours(
        _lot(72, usable),
        PlannedUse(),
        _stretches(runs),
        _stretches(people),
        BEGAN + timedelta(seconds=now_s),
    )
    assert found.runs_s + found.people_s + found.idle_s == found.elapsed_s
    assert found.elapsed_s + found.left_s == found.usable_s
    assert min(found.runs_s, found.people_s, found.idle_s, found.left_s, found.cut_s) >= 0


@given(_STRETCHES)
def test_what_is_covered_is_what_seconds_one_by_one_would_say(drawn: list[tuple[int, int]]) -> None:
    coarse = [(at // 1000, length // 1000) for at, length in drawn]
    seconds = {one for at, length in coarse for one in range(at, at + length) if 0 <= one < 200}
    window = (BEGAN, BEGAN + timedelta(seconds=200))
    assert covered_s(_stretches(coarse), *window) == len(seconds)


@pytest.mark.parametrize("now", [-1, 0, 35.5, 71.5, 400])
def test_the_clock_never_says_more_than_there_is(now: float) -> None:
    found = _hours(now)
    assert 0 <= found.left_s <= found.usable_s
