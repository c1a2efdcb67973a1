"""When a person is at work: hours of the wall clock on days of the week, in a campaign's zone.

Working hours never move a step: they say which planned moments no person will be there for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_EVERY = frozenset(range(7))
_HOURS = re.compile(r"(?:([a-z,\- ]+) )?([0-2][0-9]):([0-5][0-9])-([0-2][0-9]):([0-5][0-9])")


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """Days of the week from 0 (Monday), and minutes of the day from and to."""

    from_min: int
    to_min: int
    days: frozenset[int] = _EVERY

    def are_on(self, at: datetime, zone: ZoneInfo) -> bool:
        """Whether a person is at work at an instant."""
        local = at.astimezone(zone)
        minute = local.hour * 60 + local.minute
        return local.weekday() in self.days and self.from_min <= minute < self.to_min

    def next(self, at: datetime, zone: ZoneInfo) -> datetime:
        """The instant itself where a person is at work, else the next at which one is, in UTC."""
        if self.are_on(at, zone):
            return at
        local = at.astimezone(zone)
        hour, minute = divmod(self.from_min, 60)
        for ahead in range(9):
            day = local.date() + timedelta(days=ahead)
            begins = datetime.combine(day, time(hour, minute), zone).astimezone(UTC)
            if day.weekday() in self.days and begins >= at:
                return begins
        raise ValueError("working hours have a day of the week at least")

    def done(self, at: datetime, minutes: int, zone: ZoneInfo) -> datetime:
        """When work of so many minutes is done that a person begins at an instant and does in
        working hours alone, in UTC."""
        at, left = self.next(at, zone), minutes
        while left:
            stops = self._stops(at, zone)
            here = round((stops - at).total_seconds() / 60)
            if left <= here:
                return at + timedelta(minutes=left)
            at, left = self.next(stops, zone), left - here
        return at

    def _stops(self, at: datetime, zone: ZoneInfo) -> datetime:
        """The end of the working hours in which an instant lies, in UTC."""
        day = at.astimezone(zone).date()
        hour, minute = divmod(self.to_min, 60)
        if hour == 24:
            day, hour = day + timedelta(days=1), 0
        stops = datetime.combine(day, time(hour, minute), zone).astimezone(UTC)
        return max(stops, at + timedelta(minutes=1))


WAKING = WorkingHours(7 * 60, 22 * 60)
"""What is assumed of people where a campaign states no working hours: nobody is up at night."""


def read_hours(written: str) -> WorkingHours | None:
    """Working hours from a text such as `mon-fri 09:00-18:00`; None for anything else."""
    match = _HOURS.fullmatch(" ".join(written.lower().split()))
    if match is None:
        return None
    days = _EVERY if match[1] is None else _days(match[1])
    from_min = int(match[2]) * 60 + int(match[3])
    to_min = int(match[4]) * 60 + int(match[5])
    if not days or not from_min < to_min <= 24 * 60:
        return None
    return WorkingHours(from_min, to_min, days)


def hours_written(hours: WorkingHours) -> str:
    """The text that `read_hours` reads, days in their shortest form."""
    span = f"{_clock(hours.from_min)}-{_clock(hours.to_min)}"
    if hours.days == _EVERY:
        return span
    return f"{','.join(_runs(sorted(hours.days)))} {span}"


def _days(written: str) -> frozenset[int] | None:
    found: set[int] = set()
    for part in written.replace(" ", "").split(","):
        first, dash, last = part.partition("-")
        if first not in DAYS or (dash and last not in DAYS):
            return None
        start, end = DAYS.index(first), DAYS.index(last) if dash else DAYS.index(first)
        span = (end - start) % 7
        found |= {(start + step) % 7 for step in range(span + 1)}
    return frozenset(found)


def _runs(days: list[int]) -> list[str]:
    """Days in a row as one range."""
    runs: list[list[int]] = []
    for day in days:
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return [DAYS[run[0]] if len(run) == 1 else f"{DAYS[run[0]]}-{DAYS[run[-1]]}" for run in runs]


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
