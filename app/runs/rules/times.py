"""Microseconds since 1970, in which run events are kept, and instants, in which people think."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.units import instant_text

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US = timedelta(microseconds=1)


def us_of(at: datetime) -> int:
    """An aware instant as whole microseconds since 1970."""
    return (at - EPOCH) // _US


def at_of(us: int) -> datetime:
    """Microseconds since 1970 as an instant in UTC."""
    return EPOCH + us * _US


CLOCK_WRONG_S = 120
"""A clock that is off by less is not worth a word."""

CLOCK_OFF = "clock_off_s"
"""What the server notes with a start: how far the sender's clock is behind ours."""
CLOCK_PRESUMED = "clock_presumed"
"""Noted beside it where nothing but the start's own time tells so."""


def clock_off_s(sent_us: int, now_us: int) -> int | None:
    """How far the clock of a sender is behind ours, in seconds to the minute; negative where it is
    ahead. None where it is about right.

    `sent_us` is the moment at which it sent, by its clock; the way takes seconds at most.
    """
    off_s = (now_us - sent_us) // 1_000_000
    return None if abs(off_s) < CLOCK_WRONG_S else round(off_s / 60) * 60


def text_of(us: int) -> str:
    """Microseconds since 1970 as the canonical text of an instant."""
    return instant_text(at_of(us))
