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
from app.plan.rules.model import Plan
from app.plan.rules.schedule import Schedule, schedule
from app.plan.rules.working import WAKING, WorkingHours, hours_written, read_hours
from tests.plan.campaigns import family, lot, step
from tests.plan.drafts import small

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


@given(HOURS, st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)), st.integers(0, 3000))
def test_work_is_done_no_earlier_than_it_takes(
    hours: WorkingHours, at: datetime, minutes: int
) -> None:
    at = at.replace(tzinfo=UTC)
    done = hours.done(at, minutes, BERLIN)
    assert done >= hours.next(at, BERLIN) + timedelta(minutes=minutes)
    assert hours.done(at, 0, BERLIN) == hours.next(at, BERLIN)


def test_work_stops_in_the_evening_and_goes_on_in_the_morning() -> None:
    at = datetime(2026, 12, 4, 15, tzinfo=UTC)  # a Friday, 16:00 in Berlin
    assert OFFICE.done(at, 120, BERLIN) == at + timedelta(hours=2)
    done = OFFICE.done(at, 180, BERLIN).astimezone(BERLIN)
    assert done.strftime("%a %H:%M") == "Mon 10:00"


def _case(
    start: datetime, gpus: int = 1, hours: WorkingHours | None = None
) -> tuple[Plan, Schedule, list[LotWindow]]:
    lots = [replace(lot(gpus=gpus), starts_at=start, ends_at=start + timedelta(hours=72))]
    plan = replace(small(), steps=tuple(family()), working_hours=hours)
    return plan, schedule(plan.steps, lots), lots


NIGHT = datetime(2026, 12, 1, 16, tzinfo=UTC)
"""17:00 in Berlin: prepare 4, install 2, pilot 4, so the decision begins at 03:00."""


@pytest.mark.parametrize(
    ("gpus", "hours", "idle_h", "until"),
    [(1, None, 4, 9), (2, None, 8, 9), (2, WorkingHours(9 * 60, 18 * 60), 12, 11)],
)
def test_a_decision_at_night_is_planned_and_its_idle_hours_are_said(
    gpus: int, hours: WorkingHours | None, idle_h: int, until: int
) -> None:
    """Two hours of work that begin at 07:00 (or 09:00) instead of 03:00; nothing else can run."""
    plan, made, lots = _case(NIGHT, gpus, hours)
    found = next(one for one in idling(plan, made, lots) if one.step == "decide")
    assert found.begins_at.astimezone(BERLIN).hour == 3
    assert found.done_at.astimezone(BERLIN).hour == until
    assert found.gpu_min == idle_h * 60
    decide = next(bar for bar in made.placements if bar.step == "decide")
    assert decide.start_min == 10 * 60


def test_work_that_runs_into_the_night_is_flagged_too() -> None:
    """Prepare from 21:00 to 01:00: at 22:00 the person goes home, and the GPU waits."""
    plan, made, lots = _case(datetime(2026, 12, 1, 20, tzinfo=UTC))
    found = next(one for one in idling(plan, made, lots) if one.step == "prepare")
    assert found.done_at.astimezone(BERLIN).strftime("%d %H:%M") == "02 10:00"
    assert found.gpu_min == 9 * 60


def test_what_runs_meanwhile_is_no_idle_gpu() -> None:
    """A long check of the data that needs no decision keeps the GPU busy through the night."""
    plan, _, lots = _case(NIGHT)
    busy = step("check", "machine", 20, after=["pilot"])
    plan = replace(plan, steps=(*plan.steps[:3], busy, *plan.steps[3:]))
    made = schedule(plan.steps, lots)
    check = next(bar for bar in made.placements if bar.step == "check")
    decide = next(bar for bar in made.placements if bar.step == "decide")
    assert check.start_min <= decide.end_min
    assert [one for one in idling(plan, made, lots) if one.step == "decide"] == []


def test_nothing_waits_for_work_behind_which_no_machine_runs() -> None:
    plan, _, lots = _case(datetime(2026, 12, 1, 8, tzinfo=UTC))
    last = step("analysis", "human", 12, after=["b"])
    plan = replace(plan, steps=(*plan.steps, last))
    made = schedule(plan.steps, lots)
    assert "analysis" not in [one.step for one in idling(plan, made, lots)]


def test_the_start_that_avoids_it() -> None:
    plan, made, lots = _case(NIGHT)
    start = better_start(plan, made, lots)
    assert start is not None
    assert idling(*_case(start)) == ()
    assert idling(*_case(start - timedelta(minutes=15))) != ()


def test_nothing_is_said_by_day_or_while_the_plan_counts_in_hours() -> None:
    by_day = _case(datetime(2026, 12, 1, 7, tzinfo=UTC))
    assert idling(*by_day) == ()
    assert better_start(*by_day) is None
    plan, made, _ = by_day
    assert idling(plan, made, [lot()]) == ()


def test_a_weekend_waits_until_monday() -> None:
    """A decision on Saturday morning, with office hours from Monday to Friday."""
    case = _case(datetime(2026, 12, 4, 22, tzinfo=UTC), hours=OFFICE)
    found = next(one for one in idling(*case) if one.step == "decide")
    assert found.done_at.astimezone(BERLIN).strftime("%a %H:%M") == "Mon 11:00"
