"""``expected_ids``: a file holds exactly the ids that were announced, each once.

The ids come with the check or from its corpus. ``file`` may be CSV, TSV (``column``, default
``id``), JSON lines (the same key) or one id per line.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from punktum import reading
from punktum.checks.verdict import Announced, Subject, Verdict, inside, some

KIND = "expected_ids"


class NotReadable(ValueError):
    """The file is not what its name promises; the text says where."""


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when nothing is missing, nothing is extra and nothing comes twice."""
    expected = _expected(announced, subject)
    if expected is None:
        return Verdict(KIND, False, "the sheet holds no ids for it")
    name = reading.text(announced.get("file")) or ""
    path = inside(subject, name)
    if path is None or not path.is_file():
        return Verdict(KIND, False, f"{name or 'file'} is not there")
    column = reading.text(announced.get("column")) or "id"
    seen: set[str] = set()
    twice: dict[str, None] = {}
    try:
        for found in read_ids(path, column):
            if found in seen:
                twice[found] = None
            seen.add(found)
    except (NotReadable, UnicodeDecodeError, csv.Error) as error:
        return Verdict(KIND, False, f"{name}: {error}")
    missing = [wanted for wanted in dict.fromkeys(expected) if wanted not in seen]
    extra = sorted(seen.difference(expected))
    return _verdict(len(set(expected)), len(seen), missing, extra, list(twice))


def _verdict(
    expected: int, found: int, missing: list[str], extra: list[str], twice: list[str]
) -> Verdict:
    groups = (("missing", missing), ("extra", extra), ("twice", twice))
    evidence: dict[str, object] = {
        "expected": expected,
        "found": found,
        **{word: {"count": len(names), "first": names[:20]} for word, names in groups},
    }
    wrong = [f"{len(names)} {word}: {some(names)}" for word, names in groups if names]
    if wrong:
        return Verdict(KIND, False, "; ".join(wrong), evidence)
    return Verdict(KIND, True, f"{found} of {expected} ids, each once", evidence)


def _expected(announced: Announced, subject: Subject) -> list[str] | None:
    own = reading.texts(announced.get("ids"))
    if own:
        return own
    corpus = subject.sheet.corpus(reading.text(announced.get("corpus")) or "")
    return (reading.texts(corpus.get("ids")) or None) if corpus else None


def read_ids(path: Path, column: str) -> Iterator[str]:
    """The ids of a file, line by line. Raises NotReadable with the line's number."""
    ending = path.suffix.lower()
    with path.open(encoding="utf-8-sig", newline="") as stream:
        if ending in (".csv", ".tsv", ".tab"):
            csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
            yield from _table_ids(
                csv.reader(stream, delimiter="," if ending == ".csv" else "\t"), column
            )
        elif ending in (".jsonl", ".ndjson"):
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield _json_id(line, number, column)
        else:
            for line in stream:
                if line.strip():
                    yield line.strip()


def _table_ids(rows: Iterator[list[str]], column: str) -> Iterator[str]:
    head = [name.strip() for name in next(rows, [])]
    if column not in head:
        there = ", ".join(head) or "nothing"
        raise NotReadable(f"no column {column!r}; there is {there}")
    place = head.index(column)
    for number, row in enumerate(rows, 2):
        if not row:
            continue
        if len(row) <= place:
            raise NotReadable(f"row {number} has no {column!r}")
        yield row[place]


def _json_id(line: str, number: int, column: str) -> str:
    try:
        value = reading.record(json.loads(line)).get(column)
    except ValueError:
        raise NotReadable(f"line {number} is not JSON") from None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise NotReadable(f"line {number} has no {column!r}")
    return str(value)
