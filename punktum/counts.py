"""Counts, sizes and seconds as a training gives them: read, or left out and said why.

Nothing here raises, whatever is given.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from punktum.events import plain
from punktum.values import number_of

NAME_LENGTH: Final = 128
MOST: Final = (1 << 63) - 1
"""The largest count that travels."""
LONGEST_S: Final = 1e9
"""No save or restore takes thirty years."""

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Given(Generic[Number]):
    """What is kept of a number (None: nothing), and what to say of it (None: all is well)."""

    kept: Number | None
    wrong: str | None = None


def read_count(value: object) -> Given[int]:
    """A whole number from 0 to ``MOST``; of 3.7 the 3 is kept, of what is none nothing."""
    number: int | float | None
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # numpy's integers are some too
    except Exception:  # whatever a foreign __index__ raises is not the training's concern
        number = number_of(value)
    if number is None or (isinstance(number, float) and math.isnan(number)):
        return Given(None, f"{_shown(value)} is no number; not kept")
    if number < 0:
        return Given(None, f"{_shown(value)} is below 0; not kept")
    if number > MOST:
        return Given(None, f"{_shown(value)} is above {MOST}; not kept")
    if number != int(number):
        return Given(int(number), f"{_shown(value)} is no whole number; {int(number)} is kept")
    return Given(int(number))


def read_part(part: int, whole: int | None) -> Given[int]:
    """Of how many the part is, itself where that was not told; a part is never more than all."""
    if whole is not None and whole < part:
        return Given(None, f"{part} of {whole} cannot be; not kept")
    return Given(part if whole is None else whole)


def read_seconds(value: object) -> Given[float]:
    """Seconds from 0 on."""
    number = number_of(value)
    if number is None or math.isnan(number):
        return Given(None, f"{_shown(value)} is no number of seconds; not kept")
    if not 0 <= number <= LONGEST_S:
        return Given(None, f"{_shown(value)} s is below 0 or too long to be true; not kept")
    return Given(round(number, 3))


def read_metrics(given: Mapping[str, object]) -> tuple[dict[str, float], dict[str, str]]:
    """The values under their names, and by name what to say of those that are not as given."""
    values: dict[str, float] = {}
    wrong: dict[str, str] = {}
    for said, value in given.items():
        name, number = plain(str(said), NAME_LENGTH) or "(no name)", number_of(value)
        if number is None:
            kind = type(value).__name__
            wrong[name] = f"metric {name}: cannot read a {kind} as a number; left out"
            continue
        values[name] = number
        if isinstance(value, int) and math.isinf(number):
            wrong[name] = f"metric {name}: {_shown(value)} is more than a float holds; kept as inf"
    return values, wrong


def _shown(value: object) -> str:
    """The value for a message, however long it is or odd its text."""
    try:
        if isinstance(value, int) and abs(value) > MOST:
            return f"{'-' if value < 0 else ''}10^{math.log10(abs(value)):.0f}"
        shown = value if isinstance(value, float) else repr(value)
        text = str(shown)
    except Exception:  # whatever a foreign __repr__ raises is not the training's concern
        text = f"a {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:39]}…"
