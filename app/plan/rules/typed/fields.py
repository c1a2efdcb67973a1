"""One field of a form: which key of the mapping it fills, how it is typed, what it is called."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.texts import Text

Option = tuple[str, Text | str]
"""A value that may be chosen, and its label."""


KindHint = tuple[tuple[str, ...], Text]
"""A hint, and the kinds of a row that it speaks to."""


FOLD = "_fold"
"""Ends the name of the field that says which of two equal local times is meant."""


class Control(StrEnum):
    """How a value is typed."""

    LINE = "line"
    AREA = "area"
    CHOICE = "choice"
    TICK = "tick"
    ASKED = "asked"  # yes, no, or not said: nothing is assumed
    WHOLE = "whole"
    FIGURE = "figure"
    LENGTH = "length"
    AMOUNT = "amount"
    NAMES = "names"  # ids with commas between, or boxes to tick
    LINES = "lines"  # one value on each line
    PAIRS = "pairs"  # `ours = theirs` on each line
    LOCAL = "local"  # a time on the campaign's own clock


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `name` is the key, with a dot for a key of a table inside (`parts.load`).

    `on` is what a box stands at where nothing is said, `otherwise` what then holds instead.
    `kinds` are those of its row that it has an effect for; () for all. An empty field of another
    kind is not shown. `hints` are in place of the one hint where each kind needs words of its own.
    """

    name: str
    control: Control
    label: Text
    hint: Text | None = None
    options: tuple[Option, ...] = ()
    required: bool = False
    on: bool = False
    otherwise: str = ""
    size: str = "full"  # short | medium | full
    kinds: tuple[str, ...] = ()
    hints: tuple[KindHint, ...] = ()

    @property
    def attributes(self) -> dict[str, str]:
        """What tells the style sheet when to show an empty field."""
        return {"data-kinds": " ".join(self.kinds), "placeholder": " "} if self.kinds else {}

    @property
    def path(self) -> tuple[str, ...]:
        """The keys from the table down to the value."""
        return tuple(self.name.split("."))
