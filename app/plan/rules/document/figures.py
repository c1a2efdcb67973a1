"""Exact figures in a campaign file: decimals, sizes in bytes, rates, SHA-256 digests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from app.plan.rules.document.kinds import LARGEST, Kind
from app.plan.rules.document.problem import Path, Reader, quoted, shown
from app.texts import text

PLACEHOLDERS = ("…", "...")  # what the documentation prints for a hash nobody knows yet
SIZE = re.compile(r"([0-9]{1,16}) ?([KMGT]i?B|B)?")
SIZE_UNITS: dict[str, int] = {
    "B": 1,
    **{f"{letter}B": 1000**power for power, letter in enumerate("KMGT", 1)},
    **{f"{letter}iB": 1024**power for power, letter in enumerate("KMGT", 1)},
}
RATE = re.compile(r"([0-9]{1,16}(?:\.[0-9]{1,6})?) ?([kMG]?(?:bit|B)/s)")
RATE_UNITS: dict[str, int] = {
    f"{letter}{unit}/s": bits * 1000**power
    for power, letter in enumerate(("", "k", "M", "G"))
    for unit, bits in (("bit", 1), ("B", 8))
}
FIGURE = re.compile(r"[+-]?(?=\.?[0-9])[0-9]{0,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Figure(Kind):
    """An exact decimal figure, as text or as a number; never an amount of money."""

    sample: str = "0.02"

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted(self.sample)

    def read(self, reader: Reader, path: Path, value: object) -> Decimal | None:
        """The figure in its shortest form."""
        if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
            self.wrong_type(reader, path, value, text("a figure"))
            return None
        if isinstance(value, int) and abs(value) > LARGEST:
            self.wrong_type(reader, path, value, text("a figure"))
            return None
        given = value if isinstance(value, str) else str(value)
        found = figure_of(given)
        if found is not None:
            return found
        meant = figure_of(given.replace(",", "."))
        message = text(
            "{given} is not a finite figure; write for example {example}.",
            given=shown(value),
            example=self.example if meant is None else quoted(figure_text(meant)),
        )
        reader.refuse(path, message, value)
        return None

    def write(self, value: object, currency: str) -> object:
        """Plain digits without an exponent or surplus zeros."""
        assert isinstance(value, Decimal)
        return figure_text(value)


def figure_of(given: str) -> Decimal | None:
    """The decimal that a text says, without surplus zeros; None where it is none.

    At most 30 digits on either side of the point are taken, so that the plain form stays short.
    """
    if not FIGURE.fullmatch(given):
        return None
    found = Decimal(given)
    if not found:
        return Decimal(0)
    if not -30 <= found.adjusted() < 30:
        return None
    plain = Decimal(figure_text(found))
    exponent = plain.as_tuple().exponent
    return plain if isinstance(exponent, int) and exponent >= -30 else None


def figure_text(figure: Decimal) -> str:
    """Plain digits: `0.02`, `1000`; no exponent, no surplus zeros."""
    plain = format(figure, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


@dataclass(frozen=True, slots=True)
class Bytes(Kind):
    """A size as a number of bytes or as text with a unit, as in `40 GiB`."""

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted("40 GiB")

    def read(self, reader: Reader, path: Path, value: object) -> int | None:
        """Bytes."""
        plain = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
        given = str(value) if plain else value
        found = SIZE.fullmatch(given) if isinstance(given, str) else None
        size = int(found[1]) * SIZE_UNITS[found[2] or "B"] if found else None
        if size is None or size > LARGEST:
            message = text(
                "{given} is not a size in bytes; write for example {example}.",
                given=shown(value),
                example=self.example,
            )
            reader.refuse(path, message, value)
            return None
        return size

    def write(self, value: object, currency: str) -> object:
        """The largest binary unit that says it exactly."""
        assert isinstance(value, int)
        for unit in ("TiB", "GiB", "MiB", "KiB"):
            count, rest = divmod(value, SIZE_UNITS[unit])
            if count and not rest:
                return f"{count} {unit}"
        return f"{value} B"


@dataclass(frozen=True, slots=True)
class Rate(Kind):
    """A rate of transfer as text with its unit, as in `200 Mbit/s` or `25 MB/s`.

    Kept in whole bits per second. A number alone is refused: bits and bytes differ by eight.
    """

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted("200 Mbit/s")

    def read(self, reader: Reader, path: Path, value: object) -> int | None:
        """Bits per second, at least one."""
        found = RATE.fullmatch(value) if isinstance(value, str) else None
        rate = Decimal(found[1]) * RATE_UNITS[found[2]] if found else Decimal(0)
        if not 0 < rate <= LARGEST or rate != int(rate):
            message = text(
                "{given} is not a rate of transfer; write for example {example}.",
                given=shown(value),
                example=self.example,
            )
            reader.refuse(path, message, value)
            return None
        return int(rate)

    def write(self, value: object, currency: str) -> object:
        """The largest unit of bits that says it exactly."""
        assert isinstance(value, int)
        for unit in ("Gbit/s", "Mbit/s", "kbit/s"):
            count, rest = divmod(value, RATE_UNITS[unit])
            if count and not rest:
                return f"{count} {unit}"
        return f"{value} bit/s"


@dataclass(frozen=True, slots=True)
class Digest(Kind):
    """A SHA-256 in hex; the placeholder `…` stands for one not known yet."""

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted("sha256, 64 hex digits")

    def read(self, reader: Reader, path: Path, value: object) -> str | None:
        """64 small hex digits, or None while unknown."""
        if value in PLACEHOLDERS:
            return None
        if isinstance(value, str) and re.fullmatch("[0-9a-fA-F]{64}", value):
            return value.lower()
        message = text(
            "{given} is not a SHA-256: write its 64 hex digits, or leave the key out.",
            given=shown(value),
        )
        reader.refuse(path, message, value)
        return None
