"""A plan that announces deliverables of every sort, and submissions of them, for tests."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from app.deliverables.rules.announced import Promise, promises
from app.deliverables.rules.evidence import Posted
from app.deliverables.rules.manifest import File
from app.deliverables.rules.recheck import BaseRevision
from app.deliverables.rules.standing import SubmissionLine, Verdict
from app.deliverables.rules.submission import Submission, prepared
from app.plan.rules.model import Check, CheckKind, Corpus, Deliverable, DeliverableKind, Plan
from tests.conftest import NOW
from tests.decisions.plans import ID as DECISION_ID
from tests.decisions.plans import plan as decision_plan

ID = DECISION_ID
COMMIT = "0123456789abcdef0123456789abcdef01234567"
BOX, HOME = "b" * 64, "a" * 64
MAKER = "maker-01"
"""The run that made the files; it completed."""

PREDICTIONS = Deliverable(
    "predictions",
    "Predictions of control and variants",
    DeliverableKind.PREDICTIONS,
    unit=True,
    checks=(
        Check(CheckKind.NON_EMPTY),
        Check(CheckKind.EXPECTED_IDS, corpus="eval", file="predictions.csv", column="id"),
        Check(CheckKind.NO_TEMPORARY_PATHS, except_=("logs/*",)),
        Check(CheckKind.RELOAD, command="python reload.py", keep_env=("PATH",)),
    ),
)
ADAPTER = Deliverable(
    "adapter", "Adapter that reloads", DeliverableKind.ADAPTER, checks=(Check(CheckKind.NON_EMPTY),)
)
ANALYSIS = Deliverable("analysis", "Error analysis", DeliverableKind.ERROR_ANALYSIS)
IDS = ("x-1", "x-2", "x-3")


def plan(**more: Any) -> Plan:
    """The plan of the decision tests with three deliverables and a corpus of three ids."""
    base = replace(
        decision_plan(),
        corpora=(Corpus("eval", rows=3, ids=IDS),),
        deliverables=(PREDICTIONS, ADAPTER, ANALYSIS),
    )
    return replace(base, **more)


def promised(deliverable: str = "predictions", **more: Any) -> Promise:
    """What the plan announces for one deliverable."""
    return next(one for one in promises(plan(**more)) if one.deliverable.id == deliverable)


def file(path: str, content: bytes = b"content") -> File:
    """A file with its size and hash."""
    return File(path, len(content), hashlib.sha256(content).hexdigest())


FILES = (file("predictions.csv", b"id,label\nx-1,1\n"), file("reload.py"), file("logs/run.txt"))


def passed(kind: str, **evidence: object) -> Posted:
    """A check that the client says has passed."""
    return Posted(kind, True, detail=f"{kind} is fine", evidence=evidence)


def all_passed() -> tuple[Posted, ...]:
    """What the client sends when all is well."""
    return (
        passed("non_empty", files=3),
        passed("expected_ids", expected=3, found=3, missing={"count": 0, "first": []}),
        passed("no_temporary_paths"),
        passed("reload", exit_code=0),
    )


def submission(**more: Any) -> Submission:
    """A whole submission of the predictions, in its one form."""
    base = Submission(
        deliverable="predictions",
        submission_id="1" * 32,
        files=FILES,
        runs=(MAKER,),
        reload_command="python reload.py",
        checks=all_passed(),
        machine_id=BOX,
        host="box-1",
        made_at=datetime(2026, 12, 1, 14, 0, tzinfo=UTC),
        tool="punktum/0.1.0",
    )
    found = prepared(replace(base, **more))
    assert isinstance(found, Submission)
    return found


def adapter(revision: str | None = COMMIT, **more: Any) -> Submission:
    """A submission of the adapter with a revision of its base."""
    return submission(
        deliverable="adapter",
        checks=(passed("non_empty"),),
        base=BaseRevision("org/model", revision),
        **more,
    )


def body(**more: Any) -> dict[str, Any]:
    """The same submission as the client posts it."""
    files = [{"path": one.path, "size": one.size, "sha256": one.sha256} for one in FILES]
    base: dict[str, Any] = {
        "submission_id": "1" * 32,
        "manifest": {"files": files, "runs": [MAKER], "reload_command": "python reload.py"},
        "checks": [
            {"kind": one.kind, "passed": True, "detail": one.detail, "evidence": dict(one.evidence)}
            for one in all_passed()
        ],
        "machine_id": BOX,
        "host": "box-1",
        "made_at": "2026-12-01T14:00:00.000Z",
        "tool": "punktum/0.1.0",
    }
    return {**base, **more}


def line(number: int = 5, **more: Any) -> SubmissionLine:
    """A submission as rules see it, all four checks passed."""
    base = SubmissionLine(
        number=number,
        deliverable="predictions",
        submission_id="1" * 32,
        at=NOW,
        actor_kind="job",
        actor_name="job",
        announced_sha256=promised().sha256,
        runs=(),
        files=3,
        size_bytes=30,
        manifest_sha256="0" * 64,
        base=None,
        base_revision=None,
        reload_command=None,
        passed=4,
        failed=0,
        not_run=0,
        machine_id=BOX,
        host="box-1",
        made_at=None,
        tool=None,
    )
    return replace(base, **more)


def verdict(said: str, submission: int = 5, reason: str | None = None) -> Verdict:
    """A verdict on a submission."""
    return Verdict(submission + 1, "predictions", submission, NOW, "person", "local", said, reason)
