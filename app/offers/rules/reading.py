"""From a file of offers, TOML or CSV, to its offers, or to all that is wrong with it by line.

TOML is strict, like the API: an amount is text in quotes. A CSV file comes out of somebody's
spreadsheet: its amounts are read as people type them, and what can be read in two ways is
asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import tomllib

from app.offers.rules.cells import read_row
from app.offers.rules.offer import KEYS, Offer, Problem
from app.offers.rules.sheet import rows_of
from app.offers.rules.trouble import FileProblem, Row, unknown_key
from app.texts import text

TOML, CSV = "toml", "csv"
LARGEST_FILE = 1024 * 1024

Positions = Callable[[str], Mapping[tuple[str | int, ...], int]]
"""Gives the line of every table and key of a valid TOML text."""

_DEEP_KEY = re.compile(
    r"(?<![A-Za-z0-9_\\-])"
    r"""(?:(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){30}"""
)
_WHERE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")

__all__ = ["CSV", "TOML", "FileProblem", "ReadFile", "ReadRow", "kind_of", "read_offers"]


@dataclass(frozen=True, slots=True)
class ReadRow:
    """One offer of a file and the line on which it begins."""

    line: int
    offer: Offer


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a file says: all its offers, or all its problems by line and no offer."""

    rows: tuple[ReadRow, ...]
    problems: tuple[FileProblem, ...]


def kind_of(source: bytes) -> str:
    """Whether a text is TOML or CSV: a TOML file of offers begins with a table in brackets."""
    for line in source.decode("utf-8", "replace").removeprefix("\ufeff").splitlines():
        said = line.strip()
        if said and not said.startswith("#"):
            return TOML if said.startswith("[") or re.match(r"\w+\s*=", said) else CSV
    return CSV


def read_offers(source: bytes, kind: str, positions: Positions) -> ReadFile:
    """Read a file of offers of one kind (`TOML` or `CSV`); never raises for what is in it."""
    written = _decoded(source)
    if isinstance(written, FileProblem):
        return ReadFile((), (written,))
    rows = _toml_rows(written, positions) if kind == TOML else rows_of(written)
    if isinstance(rows, FileProblem):
        return ReadFile((), (rows,))
    found: list[ReadRow] = []
    problems: list[FileProblem] = []
    for row in rows:
        problems += row.problems
        if row.values is None:
            continue
        made = read_row(row.values, strict=kind == TOML)
        if isinstance(made, Offer):
            found.append(ReadRow(row.line, made))
        else:
            problems += _placed(row, made)
    problems += _twice(found)
    if not found and not problems:
        problems.append(FileProblem(1, "", text("The file holds no offer.")))
    if problems:
        return ReadFile((), tuple(sorted(problems, key=lambda one: one.line)))
    return ReadFile(tuple(found), ())


def _placed(row: Row, made: Iterable[Problem]) -> list[FileProblem]:
    """The problems of a row at their lines; a missing key stands where its offer begins."""
    return [FileProblem(row.lines.get(one.field, row.line), one.field, one.message) for one in made]


def _twice(rows: Iterable[ReadRow]) -> list[FileProblem]:
    first: dict[str, ReadRow] = {}
    problems = []
    for row in rows:
        before = first.setdefault(row.offer.id, row)
        if before is not row:
            said = text(
                "{id} stands in line {line} already; keep one of them.",
                id=row.offer.id,
                line=before.line,
            )
            problems.append(FileProblem(row.line, "id", said))
    return problems


def _decoded(source: bytes) -> str | FileProblem:
    if len(source) > LARGEST_FILE:
        return FileProblem(1, "", text("The file is larger than 1 MiB."))
    try:
        return source.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        return FileProblem(line, "", text("The file is not UTF-8 from here on."))


def _toml_rows(written: str, positions: Positions) -> list[Row] | FileProblem:
    # tomllib takes a time that grows with the square of the parts of a dotted key.
    deep = _DEEP_KEY.search(written)
    if deep is not None:
        line = written.count("\n", 0, deep.start()) + 1
        return FileProblem(line, "", text("This key has too many parts to be read."))
    try:
        content = tomllib.loads(written)
        lines = positions(written)
    except tomllib.TOMLDecodeError as error:
        return _not_toml(str(error), written)
    except RecursionError:
        said = text("Lists and tables lie too deep inside each other to be read.")
        return FileProblem(1, "", said)
    except ValueError:  # Python reads no whole number of more than 4300 digits
        return FileProblem(1, "", text("A number in the file is far too large."))
    tables = content.get("offers", [])
    strange = next((key for key in content if key != "offers"), None)
    if strange is not None or not isinstance(tables, list):
        line = lines.get((strange or "offers",), 1)
        said = text("A file of offers holds [[offers]] and nothing else.")
        return FileProblem(line, strange or "offers", said)
    return [_table_row(number, table, lines) for number, table in enumerate(tables)]


def _table_row(number: int, table: object, lines: Mapping[tuple[str | int, ...], int]) -> Row:
    line = lines.get(("offers", number), number + 1)
    if not isinstance(table, dict):
        said = text("A file of offers holds [[offers]] and nothing else.")
        return Row(line, {}, None, (FileProblem(line, "offers", said),))
    at = {key: lines.get(("offers", number, key), line) for key in table}
    unknown = tuple(unknown_key(at[key], key) for key in table if key not in KEYS)
    return Row(line, at, {key: table[key] for key in table if key in KEYS}, unknown)


def _not_toml(reason: str, written: str) -> FileProblem:
    where = _WHERE.search(reason)
    line = int(where[1]) if where and where[1] else written.count("\n") + 1
    said = text("This is not valid TOML: {reason}.", reason=_WHERE.sub("", reason))
    return FileProblem(line, "", said)
