"""The measured kinds of value in a campaign file: durations, money, instants, zones.

They are texts in the file, so that nothing is ever rounded on its way through a float.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TypeVar
from zoneinfo import ZoneInfo

from app.plan.rules.document.kinds import LARGEST, Kind, Line
from app.plan.rules.document.problem import Path, Reader, quoted, shown
from app.plan.rules.working import WorkingHours, hours_written, read_hours
from app.texts import Text, text
from app.units import (
    UnitError,
    amount_text,
    currency_exponent,
    format_duration,
    instant_text,
    parse_amount,
    parse_duration,
    parse_instant,
    zone,
)

T = TypeVar("T")

PLAIN = (str, int, float, Decimal, date, time)


def said(error: UnitError, example: str) -> Text:
    """A unit's refusal as one sentence that ends with what would be right."""
    why = Text(error.msgid, error.params)
    if error.suggestion is not None:
        return text("{why} Did you mean {meant}?", why=why, meant=quoted(error.suggestion))
    if error.candidates:
        readings = " · ".join(quoted(reading) for reading in error.candidates)
        return text("{why} Which one: {readings}?", why=why, readings=readings)
    return text("{why} Write for example {example}.", why=why, example=example)


@dataclass(frozen=True, slots=True)
class Length(Kind):
    """A duration as text, kept in whole seconds."""

    sample: str = "4h"

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted(self.sample)

    def read(self, reader: Reader, path: Path, value: object) -> int | None:
        """Seconds."""
        return _by_unit(reader, path, value, parse_duration, self.example)

    def write(self, value: object, currency: str) -> object:
        """The canonical text, as in `1h 30m`."""
        assert isinstance(value, int)
        return format_duration(value)


@dataclass(frozen=True, slots=True)
class Amount(Kind):
    """Money in the campaign's currency as text; never a number, never below zero."""

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted("47.14")

    def read(self, reader: Reader, path: Path, value: object) -> int | None:
        """Minor units; unread while the currency itself is wrong."""
        currency = reader.currency
        if currency is None:
            return None
        given = float(value) if isinstance(value, Decimal) else value
        example = quoted(amount_text(4714, currency))
        return _by_unit(
            reader, path, given, lambda found: parse_amount(found, currency, strict=True), example
        )

    def write(self, value: object, currency: str) -> object:
        """The plain decimal with the currency's decimals."""
        assert isinstance(value, int)
        return amount_text(value, currency)


@dataclass(frozen=True, slots=True)
class Moment(Kind):
    """An instant with its offset, as text or as a TOML date-time; written in UTC.

    UTC and not the campaign's zone: a zone's rules change with each release of its data, and
    with them the text of an instant and the hash of a sealed plan.
    """

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted("2026-11-30T08:00:00+01:00")

    def read(self, reader: Reader, path: Path, value: object) -> datetime | None:
        """The instant in UTC."""
        at = _by_unit(reader, path, value, _instant, self.example)
        if at is not None and not 2000 <= at.year < 2200:
            message = text(
                "{given} is outside the years 2000 to 2199; write for example {example}.",
                given=shown(value),
                example=self.example,
            )
            reader.refuse(path, message, value)
            return None
        return at

    def write(self, value: object, currency: str) -> object:
        """The instant in UTC, ending in Z."""
        assert isinstance(value, datetime)
        return instant_text(value.astimezone(UTC))


def _instant(given: object) -> datetime:
    return parse_instant(given.isoformat() if isinstance(given, (date, time)) else given)


@dataclass(frozen=True, slots=True)
class ZoneName(Kind):
    """A time zone by its name in the IANA data."""

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted("Europe/Berlin")

    def read(self, reader: Reader, path: Path, value: object) -> str | None:
        """The name as written."""
        name = Line(longest=64, sample="Europe/Berlin").read(reader, path, value)
        if name is None or _by_unit(reader, path, name, _zone, self.example) is None:
            return None
        return name


@dataclass(frozen=True, slots=True)
class Hours(Kind):
    """Working hours as text: days of the week where not all, and two times of the day."""

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted("mon-fri 09:00-18:00")

    def read(self, reader: Reader, path: Path, value: object) -> WorkingHours | None:
        """The days and the minutes of the day."""
        found = read_hours(value) if isinstance(value, str) else None
        if found is None:
            message = text(
                "{given} is no working hours; write for example {example}.",
                given=shown(value),
                example=self.example,
            )
            reader.refuse(path, message, value)
        return found

    def write(self, value: object, currency: str) -> object:
        """Days in their shortest form."""
        assert isinstance(value, WorkingHours)
        return hours_written(value)


@dataclass(frozen=True, slots=True)
class CurrencyCode(Kind):
    """A currency by its ISO 4217 code, one in which prices are stated."""

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted("USD")

    def read(self, reader: Reader, path: Path, value: object) -> str | None:
        """The code as written, in capitals."""
        if not isinstance(value, str):
            self.wrong_type(reader, path, value, text("text in quotes"))
            return None
        try:
            currency_exponent(value)
        except UnitError as error:
            reader.refuse(path, said(error, self.example), value)
            return None
        return value


def _zone(given: object) -> ZoneInfo:
    return zone(str(given))


def _by_unit(
    reader: Reader, path: Path, value: object, parse: Callable[[object], T], example: str
) -> T | None:
    """A value by its unit's own parser, its refusal noted."""
    if not isinstance(value, PLAIN) or (isinstance(value, int) and abs(value) > LARGEST):
        message = text(
            "{given} stands where {wanted} is needed, for example {example}.",
            given=shown(value),
            wanted=text("text in quotes"),
            example=example,
        )
        reader.refuse(path, message, value)
        return None
    try:
        return parse(value)
    except UnitError as error:
        reader.refuse(path, said(error, example), value)
        return None
