"""What a pasted text says of an order: found, asked about, and where each value stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.texts import Text

MAX_PASTE = 65_536
"""The longest text that is read, in bytes of UTF-8."""
MOST_CHARACTERS = 160
"""How much of a line is shown as the place where a value was found."""

FIELDS = (
    "reference", "provider", "account", "price", "currency", "ordered_at", "starts_at", "ends_at",
    "usable_until", "gpus", "gpu", "memory_gib", "link", "auto_renew", "data_deleted_at",
)  # fmt: skip
TIMES = ("ordered_at", "starts_at", "ends_at", "usable_until", "data_deleted_at")

Value = str | int | bool | datetime


class Way(StrEnum):
    """How a value was found; the earlier way goes before the later one."""

    MARKUP = "schema.org"
    JSON = "json"
    LABEL = "label"
    TEXT = "text"
    WINDOW = "window"
    """The end of a window whose start and length are stated."""


@dataclass(frozen=True, slots=True)
class Found:
    """A value with the words that it was read from, the line that they stand in, and the way.

    A price is a plain decimal ("47.14"), a time an instant, everything else text, a whole number
    or yes and no.
    """

    value: Value
    written: str
    line: int
    way: Way


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several readings; `currency` is that of an amount, `zone` what a time was read in."""

    value: Value
    written: str
    line: int
    currency: str | None = None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person must say, with the readings to choose from; there may be none."""

    question: Text
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Pasted:
    """A pasted text as it was read.

    `kept` is its text, one line for each line number, with digits of cards and accounts masked;
    `sha256` is of what was pasted, before anything was done to it. `problem` says why it was not
    read at all.
    """

    sha256: str
    kept: str = ""
    found: Mapping[str, Found] = field(default_factory=dict)
    asked: Mapping[str, Asked] = field(default_factory=dict)
    remarks: tuple[Text, ...] = ()
    problem: Text | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A field as one place of the text states it, not read yet; a lower rank is the better label.

    `day_first` where the language writes the day before the month; `whole` where the number is
    the whole value of a member of JSON; `member` is that member as a person may see it.
    """

    field: str
    text: str
    line: int
    way: Way
    rank: int = 0
    day_first: bool = False
    whole: bool = False
    member: str = ""
