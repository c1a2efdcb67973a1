"""Rows of tables and of JSON lines, one at a time: no file is held whole."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

from punktum import reading

TABLES: Final = (".csv", ".tsv", ".tab")
JSON_LINES: Final = (".jsonl", ".ndjson")
LONGEST_LINE: Final = 64 << 20
"""Characters of one line; a longer one is refused."""


class NotReadable(ValueError):
    """The file is not what its name promises; the text says where."""


UNREADABLE: Final = (NotReadable, UnicodeDecodeError, csv.Error)
"""What reading a file's rows may raise."""


def lines_of(stream: TextIO) -> Iterator[tuple[int, str]]:
    """The lines that are not blank with their numbers. Raises NotReadable for an endless one."""
    return ((number, line) for number, line in _every_line(stream) if line.strip())


def table_of(path: Path, stream: TextIO) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """The head of a table (CSV, else TSV) and its rows that are not empty, with their numbers."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    rows = csv.reader(
        (line for _, line in _every_line(stream)),
        delimiter="," if path.suffix.lower() == ".csv" else "\t",
    )
    head = [name.strip() for name in next(rows, [])]
    return head, ((number, row) for number, row in enumerate(rows, 2) if row)


def _every_line(stream: TextIO) -> Iterator[tuple[int, str]]:
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            raise NotReadable(f"line {number} is longer than {LONGEST_LINE} characters")
        yield number, line


def json_row(line: str, number: int) -> dict[str, object]:
    """The object of one line. Raises NotReadable where it is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise NotReadable(f"line {number} is not JSON") from None
    if not isinstance(found, dict):
        raise NotReadable(f"line {number} is no object")
    return reading.record(found)
