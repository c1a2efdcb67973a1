"""``expected_ids``: a file holds the ids that were announced, each once.

The ids come with the check or from its corpus. ``file`` may be CSV, TSV (``column``, default
``id``), JSON lines (the same key) or one id per line. ``match`` is ``exact`` (no other ids), or
``superset`` (others may be there too, each once as well).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from punktum import reading
from punktum.checks.rows import (
    JSON_LINES,
    TABLES,
    UNREADABLE,
    NotReadable,
    json_row,
    lines_of,
    table_of,
)
from punktum.checks.verdict import Announced, Subject, Verdict, inside, some

KIND = "expected_ids"


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when nothing is missing, nothing comes twice and, unless a superset is enough, nothing
    is extra."""
    expected = _expected(announced, subject)
    if expected is None:
        return Verdict(KIND, False, "the sheet holds no ids for it")
    match = reading.text(announced.get("match")) or "exact"
    if match not in ("exact", "superset"):
        return Verdict(KIND, False, f"match is {match!r}; it is exact or superset")
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
    except UNREADABLE as error:
        return Verdict(KIND, False, f"{name}: {error}")
    wanted = dict.fromkeys(expected)
    missing = [one for one in wanted if one not in seen]
    extra = sorted(seen.difference(wanted))
    return _verdict(len(wanted), len(seen), missing, extra, list(twice), match)


def _verdict(
    expected: int, found: int, missing: list[str], extra: list[str], twice: list[str], match: str
) -> Verdict:
    groups = (("missing", missing), ("extra", extra), ("twice", twice))
    evidence: dict[str, object] = {
        "expected": expected,
        "found": found,
        **{word: {"count": len(names), "first": names[:20]} for word, names in groups},
    }
    more = match == "superset"
    wrong = [
        f"{len(names)} {word}: {some(names)}"
        for word, names in groups
        if names and not (more and word == "extra")
    ]
    if wrong:
        return Verdict(KIND, False, "; ".join(wrong), evidence)
    beside = f", and {len(extra)} more" if extra else ""
    return Verdict(
        KIND, True, f"{found - len(extra)} of {expected} ids, each once{beside}", evidence
    )


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
        if ending in TABLES:
            head, rows = table_of(path, stream)
            yield from _table_ids(head, rows, column)
        elif ending in JSON_LINES:
            for number, line in lines_of(stream):
                yield _json_id(json_row(line, number), number, column)
        else:
            for _, line in lines_of(stream):
                yield line.strip()


def _table_ids(
    head: list[str], rows: Iterator[tuple[int, list[str]]], column: str
) -> Iterator[str]:
    if column not in head:
        there = ", ".join(head) or "nothing"
        raise NotReadable(f"no column {column!r}; there is {there}")
    place = head.index(column)
    for number, row in rows:
        if len(row) <= place:
            raise NotReadable(f"row {number} has no {column!r}")
        yield row[place]


def _json_id(row: dict[str, object], number: int, column: str) -> str:
    value = row.get(column)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise NotReadable(f"line {number} has no {column!r}")
    return str(value)
