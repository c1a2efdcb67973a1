"""What a server that never sees the files can still find wrong with a check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase

from app.deliverables.rules.announced import Announced
from app.deliverables.rules.manifest import File
from app.deliverables.rules.notes import Note
from app.plan.rules.document.figures import figure_text
from app.plan.rules.model import Check, CheckKind

TEMPORARY = frozenset({"tmp", "temp", ".tmp"})
"""Folder names inside an output folder that say: not meant to stay."""

BESIDE = ("extra", "unexpected")
"""How evidence may call ids that a superset may hold."""

WRONG_IDS = ("missing", "extra", "unexpected", "twice", "duplicates")
"""How evidence may call ids that should not be as they are."""

_EXACT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class BaseRevision:
    """The base model of an adapter and the revision of it that was used."""

    base: str | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class Content:
    """What a submission says beside its checks."""

    files: tuple[File, ...]
    base: BaseRevision | None = None
    reload_command: str | None = None


def recheck(announced: Announced, evidence: Mapping[str, object], content: Content) -> Note | None:
    """What contradicts a passed check; None when nothing does."""
    check = announced.check
    match check.kind:
        case CheckKind.NON_EMPTY:
            return _non_empty(check, content)
        case CheckKind.EXPECTED_IDS:
            return _expected_ids(announced, evidence, content)
        case CheckKind.NO_TEMPORARY_PATHS:
            return _temporary(check, content)
        case CheckKind.BASE_REVISION:
            return _revision(content.base)
        case CheckKind.PARAMETERS:
            return _missing_file(check.file or "", content)
        case CheckKind.SCHEMA:
            return _schema(check, evidence, content)
        case CheckKind.RELOAD:
            return _reload(check, evidence, content)
        case CheckKind.REPRODUCE:
            return _other_command(check, evidence.get("command")) or _value(check, evidence)


def _non_empty(check: Check, content: Content) -> Note | None:
    if check.file is not None:
        missing = _missing_file(check.file, content)
        if missing is not None:
            return missing
    empty = [
        file.path for file in content.files if file.size == 0 and check.file in (None, file.path)
    ]
    return Note("empty", {"n": len(empty), "path": empty[0]}) if empty else None


def _missing_file(path: str, content: Content) -> Note | None:
    if any(file.path == path for file in content.files):
        return None
    return Note("no_file", {"file": path})


def _expected_ids(
    announced: Announced, evidence: Mapping[str, object], content: Content
) -> Note | None:
    """The counts of the evidence against the sealed ones; absent counts contradict nothing."""
    if announced.check.file is not None:
        missing = _missing_file(announced.check.file, content)
        if missing is not None:
            return missing
    more = announced.check.match == "superset"
    if announced.expected is not None:
        for key in ("expected", "found"):
            counted = _counted(evidence.get(key))
            enough = more and key == "found" and (counted or 0) >= announced.expected
            if counted is not None and counted != announced.expected and not enough:
                return Note("ids", {"expected": announced.expected, "found": counted})
    wrong = [key for key in WRONG_IDS if not (more and key in BESIDE)]
    return Note("ids_wrong") if any(_counted(evidence.get(key)) for key in wrong) else None


def _counted(value: object) -> int | None:
    """A count, the length of a list, or the `count` of a group; None where none of these."""
    match value:
        case bool():
            return None
        case int():
            return value
        case list() | tuple():
            return len(value)
        case Mapping():
            return _counted(value.get("count"))
        case _:
            return None


def _temporary(check: Check, content: Content) -> Note | None:
    for file in content.files:
        folders = file.path.lower().split("/")[:-1]
        if TEMPORARY.isdisjoint(folders):
            continue
        if not any(fnmatchcase(file.path, pattern) for pattern in check.except_):
            return Note("temporary", {"path": file.path})
    return None


def _revision(base: BaseRevision | None) -> Note | None:
    """A branch or a tag moves on; a commit (or the hash of a local base's files) stays."""
    if base is None or not base.revision:
        return Note("no_revision")
    if not _EXACT.fullmatch(base.revision):
        return Note("loose_revision", {"revision": base.revision[:80]})
    return None


def _schema(check: Check, evidence: Mapping[str, object], content: Content) -> Note | None:
    """The counted rows of the evidence against the announced ones."""
    missing = _missing_file(check.file or "", content)
    rows = _counted(evidence.get("rows"))
    if missing is not None or rows is None:
        return missing
    if rows < (check.min_rows or 0) or check.rows not in (None, rows):
        wanted = check.rows if check.rows is not None else check.min_rows or 0
        return Note("rows", {"expected": wanted, "found": rows})
    return None


def _reload(check: Check, evidence: Mapping[str, object], content: Content) -> Note | None:
    """The command that the evidence of this very check names, else that of the submission."""
    return _other_command(check, evidence.get("command") or content.reload_command)


def _other_command(check: Check, found: object) -> Note | None:
    command = check.command
    if not isinstance(found, str) or command is None or found.strip() == command.strip():
        return None
    return Note("other_command", {"found": found[:200], "announced": command[:200]})


def _value(check: Check, evidence: Mapping[str, object]) -> Note | None:
    """The printed value against the announced one; evidence without a number proves nothing."""
    said = evidence.get("found")
    found = _figure(said)
    wanted, tolerance = check.value or Decimal(0), check.tolerance or Decimal(0)
    if found is not None and abs(found - wanted) <= tolerance:
        return None
    shown = "–" if said is None else str(said)[:80]
    return Note("value", {"expected": figure_text(wanted), "found": shown})


def _figure(said: object) -> Decimal | None:
    """A finite number, as text or number; None where it is none."""
    if isinstance(said, bool) or not isinstance(said, (str, int, float)) or len(str(said)) > 80:
        return None
    try:
        found = Decimal(str(said))
    except ArithmeticError:
        return None
    return found if found.is_finite() and -999 <= found.adjusted() <= 999 else None
