"""What is answered about deliverables, as plain JSON."""

from __future__ import annotations

from collections.abc import Sequence

from app.deliverables.rules.announced import Announced, label
from app.deliverables.rules.evidence import Result
from app.deliverables.rules.ran import ran
from app.deliverables.rules.retrieval import Pending, Whereabouts
from app.deliverables.rules.standing import DeliverableStanding, Loss, SubmissionLine, Verdict
from app.texts import Text
from app.units import instant_text


def item(standing: DeliverableStanding, where: Whereabouts | None) -> dict[str, object]:
    """One deliverable and where it stands; `where` is what is known of its files."""
    newest, proof, place = standing.newest, standing.retrieved, standing.place
    return {
        "id": standing.id,
        "title": standing.title,
        "kind": standing.kind,
        "essential": standing.essential,
        "unit": standing.unit,
        "announced": standing.announced,
        "state": str(standing.state),
        "reason": plain(standing.reason),
        "checks": {
            "passed": standing.passed,
            "failed": standing.failed,
            "not_run": standing.not_run,
        },
        "submissions": standing.submissions,
        "submission": None if newest is None else _submission(newest),
        "verdict": None if standing.judged is None else verdict_said(standing.judged),
        "retrieved": None
        if proof is None
        else {"at": instant_text(proof.at), "host": proof.host, "reloaded": proof.reloaded},
        "files_are": str(where) if where is not None else None,
        "lost": None if standing.lost is None else loss_said(standing.lost),
        "place": None
        if place is None
        else {"where": place.where, "seen_on": place.seen_on.isoformat()},
    }


def _submission(newest: SubmissionLine) -> dict[str, object]:
    return {
        "number": newest.number,
        "submission_id": newest.submission_id,
        "at": instant_text(newest.at),
        "by": newest.actor_name,
        "runs": list(newest.runs),
        "files": newest.files,
        "size_bytes": newest.size_bytes,
        "manifest_sha256": newest.manifest_sha256,
        "host": newest.host,
    }


def verdict_said(verdict: Verdict) -> dict[str, object]:
    """A verdict as it is told."""
    return {
        "number": verdict.number,
        "deliverable": verdict.deliverable,
        "submission": verdict.submission,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
        "by": verdict.actor_name,
        "actor": verdict.actor_kind,
        "at": instant_text(verdict.at),
    }


def plain(said: Text | None) -> str | None:
    """A sentence in plain English."""
    return None if said is None else str(said)


def loss_said(lost: Loss) -> dict[str, object]:
    """A person's word that files are lost."""
    return {
        "number": lost.number,
        "deliverable": lost.deliverable,
        "submission": lost.submission,
        "reason": lost.reason,
        "by": lost.by,
        "at": instant_text(lost.at),
    }


def checks_said(
    announced: Sequence[Announced], results: Sequence[Result], line: SubmissionLine
) -> list[dict[str, object]]:
    """Each check with who ran it, when, with which tool, and the last lines of its output."""
    mine = [result for result in results if result.announced]
    fits = len(mine) == len(announced)
    labels = [str(label(one.check)) for one in announced] if fits else [None] * len(mine)
    beyond = [result for result in results if not result.announced]
    said = []
    for result, demands in zip([*mine, *beyond], [*labels, *([None] * len(beyond))], strict=True):
        made = ran(result, line)
        said.append(
            {
                "kind": result.kind,
                "demands": demands,
                "announced": result.announced,
                "status": str(result.status),
                "detail": result.detail,
                "found_by_server": plain(result.note.said()) if result.note else None,
                "by": made.by,
                "host": made.host,
                "at": instant_text(made.at),
                "tool": made.tool,
                "output": made.output,
                "evidence": dict(result.evidence),
            }
        )
    return said


def pending_said(found: Pending) -> dict[str, object]:
    """What no proof shows on another machine."""
    return {
        "only_there": len(found.there),
        "size_bytes": found.size_bytes,
        "begin_by": instant_text(found.begin_by) if found.begin_by is not None else None,
        "window_ends_at": instant_text(found.ends_at) if found.ends_at is not None else None,
        "unproven": len(found.unproven),
        "checkpoints": found.checkpoints,
        "checkpoint_bytes": found.checkpoint_bytes,
    }
