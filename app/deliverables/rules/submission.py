"""A submission as it arrives, checked and brought into one form before anything is stored."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from math import isfinite

from app.deliverables.rules.evidence import Posted
from app.deliverables.rules.manifest import (
    LARGEST,
    File,
    in_order,
    manifest_objection,
    manifest_sha256,
    visible,
)
from app.deliverables.rules.objection import Objection
from app.deliverables.rules.recheck import BaseRevision
from app.texts import text

DEEPEST = 8
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Submission:
    """What the client posts for one deliverable.

    `retrieved` makes it a proof of retrieval: no new submission, the same manifest on another
    machine. `made_at` is the client's clock. The two hashes, of the files named and of all that
    was said, are filled by `prepared`.
    """

    deliverable: str
    submission_id: str
    files: tuple[File, ...]
    runs: tuple[str, ...] = ()
    base: BaseRevision | None = None
    reload_command: str | None = None
    checks: tuple[Posted, ...] = ()
    machine_id: str | None = None
    host: str | None = None
    made_at: datetime | None = None
    tool: str | None = None
    retrieved: bool = False
    manifest_sha256: str = ""
    content_sha256: str = ""


def prepared(submission: Submission) -> Submission | Objection:
    """The submission in its one form, or the first thing that makes it unreadable."""
    objection = manifest_objection(submission.files)
    if objection is not None:
        return objection
    for index, run in enumerate(submission.runs):
        if not RUN_ID.fullmatch(run):
            message = text("“{run}” is no id of a run.", run=visible(run)[:80])
            return Objection(f"manifest.runs.{index}", message)
    for index, posted in enumerate(submission.checks):
        if too_deep(posted.evidence, DEEPEST):
            message = text("Evidence is nested deeper than {n} levels.", n=DEEPEST)
            return Objection(f"checks.{index}.evidence", message)
    tidied = replace(
        submission,
        files=in_order(submission.files),
        runs=tuple(dict.fromkeys(submission.runs)),
        checks=tuple(_tidy_check(posted) for posted in submission.checks),
        host=None if submission.host is None else visible(submission.host),
        tool=None if submission.tool is None else visible(submission.tool),
    )
    manifest = manifest_sha256(tidied.files)
    return replace(tidied, manifest_sha256=manifest, content_sha256=_content(tidied, manifest))


def _content(submission: Submission, manifest: str) -> str:
    """One hash of all that was said, to tell a repetition from a contradiction."""
    said = asdict(replace(submission, files=()))
    written = json.dumps([manifest, said], sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()


def _tidy_check(posted: Posted) -> Posted:
    evidence = {visible(key): tidy(value) for key, value in posted.evidence.items()}
    return replace(posted, evidence=evidence, detail=visible(posted.detail))


def too_deep(value: object, levels: int) -> bool:
    """Whether free JSON is nested more than so many levels."""
    if isinstance(value, Mapping):
        return levels == 0 or any(too_deep(item, levels - 1) for item in value.values())
    if isinstance(value, (list, tuple)):
        return levels == 0 or any(too_deep(item, levels - 1) for item in value)
    return False


def tidy(value: object) -> object:
    """Free JSON as it can be kept for ever: what no canonical JSON can say becomes text."""
    match value:
        case bool() | None:
            return value
        case int():
            return value if abs(value) <= LARGEST else str(value)
        case float():
            return value if isfinite(value) else str(value)
        case Mapping():
            return {visible(str(key)): tidy(item) for key, item in value.items()}
        case list() | tuple():
            return [tidy(item) for item in value]
        case _:
            return visible(str(value))
