"""Working hours, and GPUs that wait for a person at night."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.plan.rules.idling import better_start, idling
from app.plan.rules.lots import LotWindow
from app.plan.rules.schedule import schedule
from app.plan.rules.working import WAKING, WorkingHours, hours_written, read_hours
from tests.plan.campaigns import family, lot

BERLIN = ZoneInfo("Europe/Berlin")
OFFICE = WorkingHours(9 * 60, 18 * 60, frozenset(range(5)))

HOURS = st.builds(
    lambda first, last, days: WorkingHours(min(first, last), max(first, last) + 1, frozenset(days)),
    st.integers(0, 1439),
    st.integers(0, 1439),
    st.sets(st.integers(0, 6), min_size=1),
)


@pytest.mark.parametrize(
    ("written", "hours", "canonical"),
    [
        ("mon-fri 09:00-18:00", OFFICE, "mon-fri 09:00-18:00"),
        ("Mon, Tue,wed-FRI 09:00-18:00", OFFICE, "mon-fri 09:00-18:00"),
        ("07:00-22:00", WAKING, "07:00-22:00"),
        (
            "sat-mon 00:00-24:00",
            WorkingHours(0, 1440, frozenset({5, 6, 0})),
            "mon,sat-sun 00:00-24:00",
        ),
    ],
)
def test_hours_are_read_and_written(written: str, hours: WorkingHours, canonical: str) -> None:
    assert read_hours(written) == hours
    assert hours_written(hours) == canonical


@pytest.mark.parametrize(
    "written", ["", "9-18", "09:00-09:00", "18:00-09:00", "mo-fr 09:00-18:00", "09:00-25:00", "mon"]
)
def test_what_is_no_working_hours(written: str) -> None:
    assert read_hours(written) is None


@given(HOURS)
def test_written_hours_are_read_again(hours: WorkingHours) -> None:
    assert read_hours(hours_written(hours)) == hours


@given(HOURS, st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)))
def test_the_next_working_moment_is_one_and_not_before(hours: WorkingHours, at: datetime) -> None:
    at = at.replace(tzinfo=UTC)
    found = hours.next(at, BERLIN)
    assert found >= at
    assert found == at or found - at < timedelta(days=8)
    # An hour that a change of clocks leaves out moves the first minute behind it.
    assert hours.are_on(found, BERLIN) or hours.are_on(found + timedelta(hours=1), BERLIN)


def _at(start: datetime) -> list[LotWindow]:
    return [replace(lot(), starts_at=start, ends_at=start + timedelta(hours=72))]


def test_a_decision_at_night_is_planned_and_its_idle_hours_are_said() -> None:
    """Prepare 4, install 2, pilot 4: the decision begins at hour 10, at 03:00 on a clock."""
    lots = _at(datetime(2026, 12, 1, 16, tzinfo=UTC))  # 17:00 in Berlin
    made = schedule(family(), lots)
    (found,) = [one for one in idling(made, lots, BERLIN, None) if one.step == "decide"]
    assert found.begins_at.astimezone(BERLIN).hour == 3
    assert found.resumes_at.astimezone(BERLIN).hour == 7
    decide = next(bar for bar in made.placements if bar.step == "decide")
    assert decide.start_min == 10 * 60
    # Two of the four hours wait for the decision itself; then the control would have begun.
    assert found.gpu_min == 2 * 60


def test_the_start_that_avoids_it() -> None:
    lots = _at(datetime(2026, 12, 1, 16, tzinfo=UTC))
    made = schedule(family(), lots)
    start = better_start(made, lots, BERLIN, None)
    assert start is not None
    assert idling(made, _at(start), BERLIN, None) == ()
    assert idling(made, _at(start - timedelta(minutes=15)), BERLIN, None) != ()


def test_nothing_is_said_by_day_or_while_the_plan_counts_in_hours() -> None:
    by_day = _at(datetime(2026, 12, 1, 7, tzinfo=UTC))
    made = schedule(family(), by_day)
    assert [one.step for one in idling(made, by_day, BERLIN, None)] == []
    assert better_start(made, by_day, BERLIN, None) is None
    assert idling(made, [lot()], BERLIN, None) == ()


def test_a_weekend_waits_until_monday() -> None:
    """A decision on Saturday morning, with office hours from Monday to Friday."""
    lots = _at(datetime(2026, 12, 4, 22, tzinfo=UTC))
    made = schedule(family(), lots)
    found = next(one for one in idling(made, lots, BERLIN, OFFICE) if one.step == "decide")
    assert found.resumes_at.astimezone(BERLIN).strftime("%a %H:%M") == "Mon 09:00"
