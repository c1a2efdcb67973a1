"""Single values of an event as JSON gives them, read and checked, or refused with what is right.

A reader takes a value and the name of its field, and returns what is kept. Nothing in here is
ever a float that is not finite, an integer beyond 64 bits, or a text with control characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from app.runs.rules.times import us_of
from app.texts import Text, text
from app.units import UnitError, parse_instant
from punktum import links
from punktum.values import as_number

Reader = Callable[[Any, str], Any]

MOST: Final = (1 << 63) - 1
MOST_SEQ: Final = (1 << 53) - 1
"""The greatest whole number that every reader of JSON takes exactly."""
LOG_TAIL_BYTES: Final = 10_240
METRICS: Final = 500
_NAME: Final = 128
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_HEX64: Final = re.compile(r"[0-9a-f]{64}\Z")
_LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)
_EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Unreadable(ValueError):
    """A field that is not what it should be; `said` tells what would be right."""

    def __init__(self, field: str, said: Text, allowed: Sequence[str] | None = None) -> None:
        super().__init__(f"{field}: {said}")
        self.field = field
        self.said = said
        self.allowed = allowed


def whole(least: int, most: int = MOST) -> Reader:
    """Whole numbers in a range."""

    def read(value: Any, field: str) -> int:
        if type(value) is int and least <= value <= most:
            return value
        _refuse_too_long(value, field)
        said = text(
            "{field} is a whole number from {least} to {most}.", field=field, least=least, most=most
        )
        raise Unreadable(field, said)

    return read


def _refuse_too_long(value: Any, field: str) -> None:
    """Refuse a whole number beyond 64 bits for what it is, be it right otherwise or not."""
    if type(value) is int and not -MOST <= value <= MOST:
        said = text("{field}: a number is too long; at most {n} is taken.", field=field, n=MOST)
        raise Unreadable(field, said)


def words(most: int) -> Reader:
    """Text of at most so many characters, without control characters."""

    def read(value: Any, field: str) -> str:
        if not isinstance(value, str):
            raise Unreadable(field, text("{field} is text.", field=field))
        if len(value) > most:
            said = text("{field} has at most {most} characters.", field=field, most=most)
            raise Unreadable(field, said)
        if not value.isprintable() and _CONTROLS.search(value):
            raise Unreadable(field, text("{field} holds control characters.", field=field))
        return value

    return read


def matching(pattern: re.Pattern[str], right: Text, allowed: Sequence[str] | None = None) -> Reader:
    """Text of one form; `right` says which, `allowed` shows it."""

    def read(value: Any, field: str) -> str:
        if isinstance(value, str) and pattern.match(value):
            return value
        raise Unreadable(field, text("{field}: {right}", field=field, right=right), allowed)

    return read


def one_of(allowed: Sequence[str]) -> Reader:
    """One of a few words."""

    def read(value: Any, field: str) -> str:
        if isinstance(value, str) and value in allowed:
            return value
        raise Unreadable(
            field, text("{field} is one of the words that are allowed.", field=field), allowed
        )

    return read


def flag(value: Any, field: str) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    raise Unreadable(field, text("{field} is true or false.", field=field), ("true", "false"))


def finite(value: Any, field: str) -> float:
    """A finite number that is not negative."""
    _refuse_too_long(value, field)
    if type(value) in (int, float) and 0 <= value < math.inf:
        return float(value)
    raise Unreadable(field, text("{field} is a number, 0 or more.", field=field))


def instant(value: Any, field: str) -> int:
    """An instant with its offset, as microseconds since 1970."""
    try:
        at = datetime.fromisoformat(value) if len(value) >= 17 else None
    except (TypeError, ValueError):
        at = None
    if at is None or at.tzinfo is None:
        try:
            at = parse_instant(value)
        except UnitError as error:
            said = text("{field}: {reason}", field=field, reason=Text(error.msgid, error.params))
            raise Unreadable(field, said) from None
    if not _EARLIEST <= at < _LATEST:
        raise Unreadable(
            field, text("{field} lies outside of the years 1970 to 2199.", field=field)
        )
    return us_of(at)


def metrics(value: Any, field: str) -> dict[str, float | str]:
    """Names and numbers; those that are not finite become the texts `nan`, `inf`, `-inf`."""
    if not isinstance(value, Mapping) or len(value) > METRICS:
        raise Unreadable(
            field, text("{field} is an object of at most {n} numbers.", field=field, n=METRICS)
        )
    return {
        _name(name, field): _metric(number, f"{field}.{name}") for name, number in value.items()
    }


def _metric(value: Any, field: str) -> float | str:
    kind = type(value)
    if kind is float:
        if math.isfinite(value):
            return float(value)
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    if kind is int:
        return int(value) if -MOST <= value <= MOST else _beyond(value)
    if kind is str and len(value) <= 64 and value.isprintable() and as_number(value) is not None:
        number = as_number(value)
        if number is not None and math.isfinite(number):
            return str(value).strip()
        return "nan" if number != number else "inf" if (number or 0) > 0 else "-inf"
    raise Unreadable(field[:200], text("{field} is a number, nan, inf or -inf.", field=field[:200]))


def _beyond(value: int) -> float | str:
    """A whole number beyond 64 bits as the nearest float; what no float reaches is infinite."""
    return _metric(as_number(value), "")


def _name(name: Any, field: str) -> str:
    if isinstance(name, str) and 0 < len(name) <= _NAME and not _CONTROLS.search(name):
        return name
    said = text(
        "Names in {field} have 1 to {n} characters and no control characters.", field=field, n=_NAME
    )
    raise Unreadable(field, said)


def texts_by_name(most: int, length: int = 4096) -> Reader:
    """An object of texts."""
    read_value = words(length)

    def read(value: Any, field: str) -> dict[str, str]:
        if not isinstance(value, Mapping) or len(value) > most:
            raise Unreadable(
                field, text("{field} is an object of at most {n} texts.", field=field, n=most)
            )
        return {
            _name(key, field): read_value(item, f"{field}.{key}"[:200])
            for key, item in value.items()
        }

    return read


def addresses_by_name(value: Any, field: str) -> dict[str, str]:
    """An object of addresses that a page may link to: what a browser would run is none."""
    found: dict[str, str] = texts_by_name(links.MOST, links.ADDRESS_LENGTH)(value, field)
    for name, said in found.items():
        if not links.is_address(said):
            named = f"{field}.{name}"[:200]
            right = text("{field} is an address that begins with http:// or https://.", field=named)
            raise Unreadable(named, right, links.ALLOWED)
    return found


def listed(reader: Reader, most: int) -> Reader:
    """A list of values that each pass a reader."""

    def read(value: Any, field: str) -> list[Any]:
        if not isinstance(value, list) or len(value) > most:
            raise Unreadable(
                field, text("{field} is a list of at most {n} values.", field=field, n=most)
            )
        return [reader(item, field) for item in value]

    return read


def table(readers: Mapping[str, Reader], needed: Sequence[str] = ()) -> Reader:
    """An object with these members; null is absent, others are refused by name."""

    def read(value: Any, field: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise Unreadable(field, text("{field} is an object.", field=field))
        found = {}
        for key, item in value.items():
            reader = readers.get(key)
            if reader is None:
                raise unknown(f"{field}.{key}", tuple(readers))
            if item is not None:
                found[key] = reader(item, f"{field}.{key}")
        for key in needed:
            if key not in found:
                name = f"{field}.{key}"
                raise Unreadable(name, text("{field} is missing.", field=name))
        return found

    return read


def part_of(reader: Reader, part: str, whole_name: str) -> Reader:
    """A table one of whose counts is a part of another, and so not above it where both are said."""

    def read(value: Any, field: str) -> dict[str, Any]:
        found: dict[str, Any] = reader(value, field)
        if part in found and whole_name in found and found[part] > found[whole_name]:
            named = f"{field}.{part}"
            said = text("{field} is at most {most}.", field=named, most=found[whole_name])
            raise Unreadable(named, said)
        return found

    return read


def tables_by_name(reader: Reader, most: int) -> Reader:
    """An object of objects."""

    def read(value: Any, field: str) -> dict[str, Any]:
        if not isinstance(value, Mapping) or len(value) > most:
            raise Unreadable(
                field, text("{field} is an object of at most {n} entries.", field=field, n=most)
            )
        return {
            _name(key, field): reader(item, f"{field}.{key}"[:200]) for key, item in value.items()
        }

    return read


def log_tail(value: Any, field: str) -> str:
    """The last 10 kB of a log, control characters made visible."""
    if not isinstance(value, str):
        raise Unreadable(field, text("{field} is text.", field=field))
    shown = _UNSEEN.sub(lambda match: f"\\x{ord(match[0]):02x}", value)
    return shown.encode()[-LOG_TAIL_BYTES:].decode("utf-8", "ignore")


def sha256(value: Any, field: str) -> str:
    """A SHA-256 in hexadecimal."""
    if isinstance(value, str) and _HEX64.match(value):
        return value
    raise Unreadable(
        field, text("{field} is a SHA-256: 64 of the characters 0-9 and a-f.", field=field)
    )


def unknown(field: str, allowed: Sequence[str]) -> Unreadable:
    """A field that nobody knows here; only its printable part is repeated."""
    shown = _CONTROLS.sub("?", field)[:200]
    return Unreadable(shown, text("There is no field {field} here.", field=shown), tuple(allowed))
