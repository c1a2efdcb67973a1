"""Whether an announced check says all that it needs, and nothing without effect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from app.plan.rules.document import Path, Problem
from app.plan.rules.model import Check, CheckKind
from app.texts import Text, text

KEYS_OF_CHECK: dict[CheckKind, tuple[str, ...]] = {
    CheckKind.NON_EMPTY: ("file", "except"),
    CheckKind.EXPECTED_IDS: ("corpus", "ids", "file", "column", "match"),
    CheckKind.NO_TEMPORARY_PATHS: ("except",),
    CheckKind.BASE_REVISION: (),
    CheckKind.PARAMETERS: ("file", "keys"),
    CheckKind.SCHEMA: ("file", "columns", "rows", "min_rows"),
    CheckKind.RELOAD: ("command", "keep_env"),
    CheckKind.REPRODUCE: ("command", "value", "tolerance", "keep_env"),
}
"""What a check may say beside its kind; anything else would be without effect."""

_NEEDED: dict[CheckKind, tuple[tuple[str, Text], ...]] = {
    CheckKind.EXPECTED_IDS: (
        ("file", text('Missing: write file = "predictions.csv", where the ids are looked for.')),
    ),
    CheckKind.PARAMETERS: (
        ("file", text('Missing: write file = "parameters.json", where the parameters stand.')),
        (
            "keys",
            text('Missing: write keys = ["learning_rate"], the parameters that must be there.'),
        ),
    ),
    CheckKind.SCHEMA: (
        ("file", text('Missing: write file = "predictions.csv", whose columns and rows count.')),
    ),
    CheckKind.RELOAD: (
        ("command", text('Missing: write command = "python reload.py", which must exit with 0.')),
    ),
    CheckKind.REPRODUCE: (
        ("command", text('Missing: write command = "python score.py", which prints the value.')),
        ("value", text('Missing: write value = "0.82", which the command must print again.')),
    ),
}
"""The keys that a kind of check cannot do without, with what would be right."""


def check_problems(path: Path, check: Check) -> Iterator[Problem]:
    """What keeps a check from being run as it is announced."""
    if check.kind is CheckKind.EXPECTED_IDS and check.corpus is None and not check.ids:
        message = text("Which ids are expected? Name a corpus, or list them in ids.")
        yield Problem((*path, "corpus"), message)
    said = _said(check)
    for key, missing in _NEEDED.get(check.kind, ()):
        if said[key] in (None, ()):
            yield Problem((*path, key), missing)
    for key, value in said.items():
        if value not in (None, ()) and key not in KEYS_OF_CHECK[check.kind]:
            message = text("{key} has no effect on a {kind} check.", key=key, kind=str(check.kind))
            yield Problem((*path, key), message, value)
    yield from _figures(path, check)
    if check.file is not None and _leads_out(check.file):
        message = text("“{file}” must lie inside the output folder.", file=check.file)
        yield Problem((*path, "file"), message, check.file)


def _said(check: Check) -> dict[str, object]:
    """The keys of a check but its kind; what equals its default is not said."""
    return {
        "corpus": check.corpus, "ids": check.ids, "file": check.file, "column": check.column,
        "match": None if check.match == "exact" else check.match, "keys": check.keys,
        "columns": check.columns, "rows": check.rows, "min_rows": check.min_rows,
        "except": check.except_, "command": check.command, "value": check.value,
        "tolerance": check.tolerance, "keep_env": check.keep_env,
    }  # fmt: skip


def _figures(path: Path, check: Check) -> Iterator[Problem]:
    if check.kind is CheckKind.SCHEMA:
        if not check.columns and check.rows is None and check.min_rows is None:
            message = text("Nothing is checked: name columns, rows or min_rows.")
            yield Problem((*path, "columns"), message)
        if check.rows is not None and check.min_rows is not None:
            message = text("rows is an exact number and min_rows the least; keep one of them.")
            yield Problem((*path, "min_rows"), message, check.min_rows)
    if check.tolerance is not None and check.tolerance < 0:
        message = text("A tolerance is 0 or more.")
        yield Problem((*path, "tolerance"), message, check.tolerance)


def _leads_out(file: str) -> bool:
    """Whether a path leaves the folder that it is counted from."""
    return file.startswith("/") or ".." in PurePosixPath(file.replace("\\", "/")).parts
