"""The lines of a CSV file: columns by their names, in any order; a blank is unknown. And its cells,
written so that a spreadsheet leaves them alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.offers.rules.offer import KEYS, NEEDED
from app.offers.rules.trouble import FileProblem, Row, unknown_key
from app.texts import Text, text

DELIMITERS = ",;\t"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
"""Beginnings that a spreadsheet would not take as text; such a cell has an apostrophe before it."""


def cell(said: str) -> str:
    """A text as a cell that a spreadsheet leaves alone."""
    return f"'{said}" if said.startswith(FORMULA) else said


def uncell(written: str) -> str:
    """The text of a cell that `cell` wrote; any other one is itself."""
    return written[1:] if written[:1] == "'" and written[1:].startswith(FORMULA) else written


@dataclass(frozen=True, slots=True)
class Columns:
    """What the first line of a file may name: all columns, those that must be there, what is said
    of any other one, and what of a file that holds nothing."""

    names: Sequence[str]
    needed: Sequence[str]
    unknown: Callable[[int, str], FileProblem]
    empty: Text


@dataclass(frozen=True, slots=True)
class Line:
    """The cells of a line under the names of the first one; `number` counts from 1."""

    number: int
    header: Sequence[str]
    cells: Sequence[str]

    @property
    def values(self) -> dict[str, str]:
        """What the line says, by column; blank cells are left out."""
        named = zip(self.header, self.cells, strict=False)
        values = {name: uncell(said.strip()) for name, said in named}
        return {name: said for name, said in values.items() if name and said}

    @property
    def too_long(self) -> FileProblem:
        """What is said of a line with more cells than there are columns."""
        said = text(
            "This line has {n} cells, the first line names {m} columns. A text with a separator in "
            "it stands in quotes.",
            n=len(self.cells),
            m=len(self.header),
        )
        return FileProblem(self.number, "", said)


def lines_of(written: str, columns: Columns) -> list[Line] | FileProblem:
    """The lines of a CSV text under its first one, blank ones left out; a FileProblem where it
    cannot be read at all. The separator is the one that the first line has most of."""
    first = next((line for line in written.splitlines() if line.strip()), None)
    if first is None:
        return FileProblem(1, "", columns.empty)
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(written, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    found: list[Line] = []
    line = 1
    try:
        for cells in reader:
            begins, line = line, reader.line_num + 1
            if not any(said.strip() for said in cells):
                continue
            if header:
                found.append(Line(begins, header, cells))
                continue
            header = [name.strip().lower() for name in cells]
            if wrong := _wrong_header(begins, header, columns):
                return wrong
    except csv.Error as error:
        said = text("This line is not valid CSV: {reason}.", reason=str(error))
        return FileProblem(reader.line_num or 1, "", said)
    return found


def _wrong_header(line: int, header: Sequence[str], columns: Columns) -> FileProblem | None:
    for place, name in enumerate(header):
        if not name and not any(header[place:]):
            break  # a separator at the end of every line
        if name not in columns.names:
            return columns.unknown(line, name)
        if name in header[:place]:
            return FileProblem(line, name, text("This column is there twice; keep one of them."))
    missing = next((name for name in columns.needed if name not in header), None)
    if missing is None:
        return None
    said = text("The first line names the columns; this one is missing.")
    return FileProblem(line, missing, said)


_OFFERS = Columns(KEYS, NEEDED, unknown_key, text("The file holds no offer."))


def rows_of(written: str) -> list[Row] | FileProblem:
    """The rows of a CSV text of offers; a FileProblem where it cannot be read at all."""
    lines = lines_of(written, _OFFERS)
    return lines if isinstance(lines, FileProblem) else [_row(line) for line in lines]


def _row(line: Line) -> Row:
    if len(line.cells) > len(line.header):
        return Row(line.number, {}, None, (line.too_long,))
    return Row(line.number, {}, line.values)
