"""``schema``: a table (CSV, TSV) or JSON lines has the announced columns and number of rows.

``columns`` must be there, in any order and beside others; ``rows`` is the exact number without
the head, ``min_rows`` the least. Every row must be as long as the head, every JSON line an object
with all columns. The file is read row by row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from punktum import reading, talk
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

KIND: Final = "schema"


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when the columns are there and the rows as many as announced."""
    name = reading.text(announced.get("file")) or ""
    path = inside(subject, name)
    if path is None or not path.is_file():
        return Verdict(KIND, False, f"{name or 'file'} is not there")
    wanted = reading.texts(announced.get("columns"))
    try:
        columns, rows = _counted(path, wanted)
    except UNREADABLE as error:
        return Verdict(KIND, False, f"{name}: {error}")
    evidence: dict[str, object] = {"rows": rows, "columns": columns[:200]}
    counted = talk.count(rows, "row", "rows")
    exact, least = reading.whole(announced.get("rows")), reading.whole(announced.get("min_rows"))
    if exact is not None and rows != exact:
        return Verdict(KIND, False, f"{counted}, announced are {exact}", evidence)
    if least is not None and rows < least:
        return Verdict(KIND, False, f"{counted}, at least {least} are announced", evidence)
    said = f", columns {some(wanted)}" if wanted else ""
    return Verdict(KIND, True, f"{counted}{said}", evidence)


def _counted(path: Path, wanted: list[str]) -> tuple[list[str], int]:
    """The columns and the number of rows. Raises NotReadable with the first row that is wrong."""
    ending = path.suffix.lower()
    if ending not in (*TABLES, *JSON_LINES):
        known = ", ".join((*TABLES, *JSON_LINES))
        raise NotReadable(f"only {known} have columns and rows")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        if ending in JSON_LINES:
            columns: dict[str, None] = {}
            count = 0
            for number, line in lines_of(stream):
                row = json_row(line, number)
                _refuse_missing(wanted, row, f"line {number}: ")
                if count == 0:
                    columns = dict.fromkeys(row)
                count += 1
            return list(columns), count
        head, rows = table_of(path, stream)
        _refuse_missing(wanted, head, "")
        twice = [name for name in dict.fromkeys(head) if head.count(name) > 1]
        if twice:
            raise NotReadable(f"the column {some(twice)} is there twice")
        count = 0
        for number, cells in rows:
            if len(cells) != len(head):
                raise NotReadable(f"row {number} has {len(cells)} cells, the head has {len(head)}")
            count += 1
        return head, count


def _refuse_missing(wanted: list[str], there: list[str] | dict[str, object], place: str) -> None:
    missing = [name for name in wanted if name not in there]
    if missing:
        found = ", ".join(there) or "nothing"
        raise NotReadable(f"{place}no column {some(missing)}; there is {found}")
