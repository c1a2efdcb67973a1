"""What is wrong in a file of offers, and where; the rows that its offers are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.offers.rules.offer import KEYS
from app.texts import Text, ntext, text


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One thing wrong in a file: its line from 1, its key or column, and what would be right."""

    line: int
    field: str
    message: Text

    @property
    def sentence(self) -> Text:
        """The whole refusal for people."""
        return of_line(self.line, self.field, self.message)

    def __str__(self) -> str:
        return str(self.sentence)


class OfLine(Protocol):
    """A problem with its line in a file, of whatever kind the file is."""

    @property
    def line(self) -> int:
        """The line, from 1."""

    @property
    def field(self) -> str:
        """The key; empty where the whole text is meant."""

    @property
    def message(self) -> Text:
        """What is wrong, and what would be right."""

    @property
    def sentence(self) -> Text:
        """The whole refusal for people."""


def of_line(line: int, field: str, message: Text) -> Text:
    """What is wrong in a line of a file."""
    if not field:
        return text("Line {line}: {message}", line=line, message=message)
    return text("Line {line}, {field}: {message}", line=line, field=field, message=message)


def refusal_of(problems: Sequence[OfLine], most: int) -> tuple[Text, list[dict[str, object]]]:
    """One sentence for all that is wrong with a file, and its first `most` problems as data."""
    first, more = problems[0], len(problems) - 1
    said = first.sentence
    if more:
        tail = ntext("{n} more problem", "{n} more problems", more)
        said = text("{first} (and {more})", first=said, more=tail)
    listed: list[dict[str, object]] = [
        {"line": one.line, "field": one.field, "detail": str(one.message)}
        for one in problems[:most]
    ]
    return said, listed


@dataclass(frozen=True, slots=True)
class Row:
    """What a file says of one offer, by key, and the lines of its keys; `values` is None where
    nothing can be read from it."""

    line: int
    lines: Mapping[str, int]
    values: Mapping[str, object] | None
    problems: tuple[FileProblem, ...] = ()


def unknown_key(line: int, key: str) -> FileProblem:
    """A key or column that no offer has."""
    shown = "".join(c if c.isprintable() else "�" for c in key[:80])
    said = text("“{key}” is no key of an offer. There are: {keys}.", key=shown, keys=KEYS)
    return FileProblem(line, shown, said)
