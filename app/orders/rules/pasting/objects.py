"""JSON as it was pasted: its values with their own digits, and the line that each stands in."""

from __future__ import annotations

import bisect
import json
from collections.abc import Iterator
from dataclasses import dataclass

MOST_DEPTH = 60
MOST_LEAVES = 5000


class Figure(str):
    """A number of JSON with the digits that were written."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value with the names that lead to it; places in lists are left out of the path."""

    path: tuple[str, ...]
    value: str | bool
    line: int

    @property
    def member(self) -> str:
        """The leaf as a person may see it: "total.amount: 47.14"."""
        said = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{'.'.join(self.path)}: {said}"

    @property
    def is_figure(self) -> bool:
        """Whether it is a number, not text."""
        return isinstance(self.value, Figure)


def parse(text: str) -> object | None:
    """The value of a JSON text (or of JSON lines); None where it is none.

    Numbers keep their digits; NaN and the infinities are nothing.
    """
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        many = [_loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    return many if many and all(isinstance(one, dict) for one in many) else None


def _loads(text: str) -> object:
    made: object = json.loads(
        text, parse_float=Figure, parse_int=Figure, parse_constant=lambda _: None
    )
    return made


class Places:
    """Finds the line of each name of a JSON text, asked in the order in which they stand."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        self._text = text
        self._breaks = [place for place, one in enumerate(text) if one == "\n"]
        self._first = first_line
        self._at = 0

    def of(self, name: str) -> int:
        """The line of the next place where this name or value is written."""
        written = json.dumps(name, ensure_ascii=False)
        found = self._text.find(written, self._at)
        if found < 0:
            written = json.dumps(name)
            found = self._text.find(written, self._at)
        if found >= 0:
            self._at = found + len(written)
        return self._first + bisect.bisect_left(self._breaks, max(0, self._at - 1))


def leaves(value: object, places: Places) -> Iterator[Leaf]:
    """Every text, number, yes and no of a value, in the order of the text."""
    for n, leaf in enumerate(_leaves(value, (), places)):
        if n == MOST_LEAVES:
            return
        yield leaf


def _leaves(value: object, path: tuple[str, ...], places: Places) -> Iterator[Leaf]:
    if len(path) > MOST_DEPTH:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            line = places.of(name)
            if isinstance(inner, dict | list):
                yield from _leaves(inner, (*path, name), places)
            elif isinstance(inner, str | bool):
                yield Leaf((*path, name), inner, line)
    elif isinstance(value, list):
        for inner in value[:MOST_LEAVES]:
            if isinstance(inner, dict | list):
                yield from _leaves(inner, path, places)
            elif isinstance(inner, str | bool):
                yield Leaf(path, inner, places.of(inner) if isinstance(inner, str) else 1)
