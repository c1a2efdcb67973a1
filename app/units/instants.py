"""Instants, local times and half-open spans; everything that leaves here is aware UTC.

Adding hours to a local time is wrong across a clock change, so arithmetic goes through
UTC, and a local time that happens twice or never is told apart from one that is plain.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

from app.units.refusal import Reason, UnitError, typed

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})"
    r"(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?"
    r"([Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)
_ZONE_NAME = re.compile(r"[A-Z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*")
_NOT_A_PLACE = frozenset({"Factory"})

FIRST_YEAR, LAST_YEAR = 1970, 2199
"""Years outside of these are slips of typing; at the calendar's ends no zone can be shown."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A local time that names one instant."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A local time that happens twice, because the clock was set back over it."""

    first_at: datetime
    second_at: datetime


@dataclass(frozen=True, slots=True)
class Missing:
    """A local time that never happens; `before` and `after` are its local neighbours.

    `before` is the last minute ahead of the jump, `after` the first moment behind it, both
    without a zone as a person would read them off the clock.
    """

    before: datetime
    after: datetime


@dataclass(frozen=True, slots=True)
class Span:
    """The half-open interval [starts_at, ends_at) in UTC; it may be empty.

    Raises UnitError where the end comes before the start or an end is naive.
    """

    starts_at: datetime
    ends_at: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts_at", to_utc(self.starts_at))
        object.__setattr__(self, "ends_at", to_utc(self.ends_at))
        if self.ends_at < self.starts_at:
            given = f"{instant_text(self.starts_at)} – {instant_text(self.ends_at)}"
            raise UnitError(Reason.ENDS_BEFORE_START, given)

    @property
    def seconds(self) -> int:
        """Whole elapsed seconds."""
        return (self.ends_at - self.starts_at) // timedelta(seconds=1)

    def overlaps(self, other: Span) -> bool:
        """Whether some moment is in both; spans that only touch do not overlap."""
        return max(self.starts_at, other.starts_at) < min(self.ends_at, other.ends_at)

    def contains(self, at: datetime) -> bool:
        """Whether the instant is inside; the end itself is not."""
        return self.starts_at <= at < self.ends_at

    def holds(self, other: Span) -> bool:
        """Whether the other lies wholly inside; an empty one may stand at the very end."""
        return self.starts_at <= other.starts_at and other.ends_at <= self.ends_at

    def common(self, other: Span) -> Span | None:
        """The part in both, None where they do not overlap."""
        if not self.overlaps(other):
            return None
        return Span(max(self.starts_at, other.starts_at), min(self.ends_at, other.ends_at))


def parse_instant(text: object) -> datetime:
    """An instant such as "2026-11-30T08:00:00+01:00", in UTC.

    Seconds may be left out, an offset or Z may not. Raises UnitError, also outside of the years
    `FIRST_YEAR` to `LAST_YEAR`.
    """
    given = typed(text)
    naive, offset = _date_time(given)
    if offset is None:
        raise UnitError(Reason.NO_OFFSET, given, suggestion=f"{given}Z")
    try:
        at = to_utc(naive.replace(tzinfo=timezone(_offset(offset, given))))
    except OverflowError:
        raise UnitError(Reason.OUT_OF_RANGE, given) from None
    if not is_plausible(at):
        raise UnitError(Reason.OUT_OF_RANGE, given)
    return at


def stored_instant(written: object) -> datetime:
    """An instant that `instant_text` wrote into the record, whatever its year: what was taken once
    is read for ever. Raises UnitError for anything else."""
    given = typed(written)
    naive, offset = _date_time(given)
    if offset not in ("Z", "z"):
        raise UnitError(Reason.NO_OFFSET, given)
    return naive.replace(tzinfo=UTC)


def is_plausible(on: date) -> bool:
    """Whether a day or an instant lies in the years that this program keeps."""
    return FIRST_YEAR <= on.year <= LAST_YEAR


def parse_local(text: object) -> datetime:
    """A naive local time as a form sends it, "2026-10-25T02:30"; see `resolve_local`.

    Raises UnitError, also where an offset is given.
    """
    given = typed(text)
    naive, offset = _date_time(given)
    if offset is not None:
        raise UnitError(Reason.HAS_OFFSET, given, suggestion=given.removesuffix(offset))
    return naive


def instant_text(at: datetime) -> str:
    """The canonical spelling "2026-12-01T08:00:00Z", with a fraction only where there is one."""
    return to_utc(at).replace(tzinfo=None).isoformat() + "Z"


def to_utc(at: datetime) -> datetime:
    """The same instant in UTC; raises UnitError for a naive time."""
    if at.utcoffset() is None:
        raise UnitError(Reason.NO_OFFSET, at.isoformat())
    return at.astimezone(UTC)


def add(at: datetime, seconds: int) -> datetime:
    """The instant that many elapsed seconds later (or earlier), in UTC."""
    try:
        return to_utc(at) + timedelta(seconds=seconds)
    except OverflowError:
        raise UnitError(Reason.OUT_OF_RANGE, f"{instant_text(at)} + {seconds} s") from None


def zone(name: str) -> ZoneInfo:
    """A time zone by its IANA name; raises UnitError with the nearest name.

    Names that mean another zone on every machine ("localtime") are refused.
    """
    if _ZONE_NAME.fullmatch(name) and name not in _NOT_A_PLACE:
        try:
            return ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            pass
    raise UnitError(Reason.UNKNOWN_ZONE, name, suggestion=_nearest_zone(name))


def resolve_local(
    naive: datetime, zone_name: str, fold: int | None = None
) -> Resolved | Ambiguous | Missing:
    """What a local time means in a zone.

    `fold` is a person's answer where it happens twice: 0 the first, 1 the second time; it
    changes nothing elsewhere. Raises UnitError for an unknown zone, an aware time, or a year
    that nobody means.
    """
    if naive.tzinfo is not None:
        raise UnitError(Reason.HAS_OFFSET, naive.isoformat())
    if not is_plausible(naive):
        raise UnitError(Reason.OUT_OF_RANGE, naive.isoformat(timespec="minutes"))
    place = zone(zone_name)
    try:
        earlier, later = (
            naive.replace(tzinfo=place, fold=which).astimezone(UTC) for which in (0, 1)
        )
        if earlier == later:
            return Resolved(earlier)
        if _wall(earlier, place) == naive.replace(fold=0):
            return _twice(earlier, later, fold)
        return _never(later, earlier, place)
    except OverflowError:
        raise UnitError(Reason.OUT_OF_RANGE, naive.isoformat()) from None


def _twice(first_at: datetime, second_at: datetime, fold: int | None) -> Resolved | Ambiguous:
    if fold is None:
        return Ambiguous(first_at, second_at)
    return Resolved(second_at if fold else first_at)


def _never(low: datetime, high: datetime, place: ZoneInfo) -> Missing:
    """The neighbours of a gap, whose jump lies in (low, high]: found by halving."""
    low = low.replace(microsecond=0)
    high = high.replace(microsecond=0) + timedelta(seconds=1)
    offset_before = low.astimezone(place).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
        if middle.astimezone(place).utcoffset() == offset_before:
            low = middle
        else:
            high = middle
    return Missing(_wall(high - timedelta(minutes=1), place), _wall(high, place))


def _wall(at: datetime, place: ZoneInfo) -> datetime:
    return at.astimezone(place).replace(tzinfo=None, fold=0)


def _date_time(given: str) -> tuple[datetime, str | None]:
    if _DATE.fullmatch(given):
        raise UnitError(Reason.NO_TIME, given)
    match = _DATE_TIME.fullmatch(given)
    if match is None:
        raise UnitError(Reason.NOT_A_TIME, given)
    *fields, fraction, offset = match.groups()
    year, month, day, hour, minute, second = (int(field or 0) for field in fields)
    # Finer than a microsecond is cut, never rounded into the next second.
    microsecond = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, microsecond), offset
    except ValueError:
        raise UnitError(Reason.NOT_A_TIME, given) from None


def _offset(offset: str, given: str) -> timedelta:
    if offset in "Zz":
        return timedelta(0)
    hours, minutes = int(offset[1:3]), int(offset[-2:])
    if hours > 23 or minutes > 59:
        raise UnitError(Reason.NOT_A_TIME, given)
    size = timedelta(hours=hours, minutes=minutes)
    return -size if offset.startswith("-") else size


def _nearest_zone(name: str) -> str | None:
    known = {zone_name.casefold(): zone_name for zone_name in available_timezones()}
    near = difflib.get_close_matches(name.casefold()[:40], known, n=1, cutoff=0.75)
    return known[near[0]] if near else None
