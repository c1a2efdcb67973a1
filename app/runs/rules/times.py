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


def text_of(us: int) -> str:
    """Microseconds since 1970 as the canonical text of an instant."""
    return instant_text(at_of(us))
