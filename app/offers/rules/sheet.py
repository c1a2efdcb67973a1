"""The rows of a CSV file of offers: columns by their names, in any order; a blank is unknown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from app.offers.rules.offer import KEYS, NEEDED
from app.offers.rules.trouble import FileProblem, Row, unknown_key
from app.texts import text

DELIMITERS = ",;\t"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
"""Beginnings that a spreadsheet would not take as text; such a cell has an apostrophe before it."""


def cell(said: str) -> str:
    """A text as a cell that a spreadsheet leaves alone."""
    return f"'{said}" if said.startswith(FORMULA) else said


def uncell(written: str) -> str:
    """The text of a cell that `cell` wrote; any other one is itself."""
    return written[1:] if written[:1] == "'" and written[1:].startswith(FORMULA) else written


def rows_of(written: str) -> list[Row] | FileProblem:
    """The rows of a CSV text under its header; a FileProblem where it cannot be read at all."""
    lines = written.splitlines()
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return FileProblem(1, "", text("The file holds no offer."))
    delimiter = max(DELIMITERS, key=lines[first].count)
    reader = csv.reader(io.StringIO(written, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    rows: list[Row] = []
    line = 1
    try:
        for cells in reader:
            begins, line = line, reader.line_num + 1
            if not any(said.strip() for said in cells):
                continue
            if header:
                rows.append(_row(begins, header, cells))
                continue
            header = [name.strip().lower() for name in cells]
            if wrong := _wrong_header(begins, header):
                return wrong
    except csv.Error as error:
        said = text("This line is not valid CSV: {reason}.", reason=str(error))
        return FileProblem(reader.line_num or 1, "", said)
    return rows


def _wrong_header(line: int, header: Sequence[str]) -> FileProblem | None:
    for place, name in enumerate(header):
        if not name and not any(header[place:]):
            break  # a separator at the end of every line
        if name not in KEYS:
            return unknown_key(line, name)
        if name in header[:place]:
            return FileProblem(line, name, text("This column is there twice; keep one of them."))
    missing = next((key for key in NEEDED if key not in header), None)
    if missing is None:
        return None
    said = text("The first line names the columns; this one is missing.")
    return FileProblem(line, missing, said)


def _row(line: int, header: Sequence[str], cells: Sequence[str]) -> Row:
    if len(cells) > len(header):
        said = text(
            "This line has {n} cells, the first line names {m} columns. A text with a separator in "
            "it stands in quotes.",
            n=len(cells),
            m=len(header),
        )
        return Row(line, {}, None, (FileProblem(line, "", said),))
    values = {key: uncell(said.strip()) for key, said in zip(header, cells, strict=False)}
    return Row(line, {}, {key: said for key, said in values.items() if key and said})
