"""A submission: judged by what was announced, stored with its evidence, accepted by the rule
at once when every announced check passed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.deliverables import queries
from app.deliverables.commands.payload import files_payload, results_payload
from app.deliverables.rules.announced import Promise, promise
from app.deliverables.rules.evidence import Result, Status, count, judged
from app.deliverables.rules.judging import NamedRun, accepts, run_objection
from app.deliverables.rules.manifest import visible
from app.deliverables.rules.standing import DeliverableStanding, State
from app.deliverables.rules.submission import Submission
from app.errors import AppError, Conflict, NotFound
from app.journal import Actor, Entry, Head, append, canonical, head, projector
from app.plan import queries as plans
from app.runs import queries as runs
from app.texts import Text, text
from app.units import instant_text, stored_instant

RULE = Actor("rule", "announced-checks")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the client is told: where the deliverable stands now, and why it is not accepted."""

    state: str
    reason: Text | None
    duplicate: bool
    retrieved: bool
    head: Head


def submit(
    tx: WriteSession, campaign_id: str, submission: Submission, *, actor: Actor, now: datetime
) -> Answer | AppError:
    """Store a prepared submission and, when every announced check passed, its acceptance; one
    that names no run is left to a person, for it may come from an interrupted one.

    A second post of the same is a duplicate. `Conflict` for another content under the same id,
    before the seal, and for runs that did not complete; `NotFound` for what nobody announced;
    `Closed` after the close.
    """
    known = tx.row(
        "SELECT content_sha256 FROM submissions WHERE campaign_id = :id AND submission_id = :sub",
        {"id": campaign_id, "sub": submission.submission_id},
    )
    if known is not None:
        return repeated(tx, campaign_id, submission, str(known[0]))
    refuse_closed(tx, campaign_id)
    view = plans.sealed(tx.orm, campaign_id)
    if view is None:
        return Conflict(text("Deliverables are announced by the seal; seal the plan first."))
    wanted = promise(view.plan, submission.deliverable)
    if wanted is None:
        return unknown(submission.deliverable, [one.id for one in view.plan.deliverables])
    refused = _interrupted(tx, campaign_id, submission.runs, now)
    if refused is not None:
        return refused
    results = judged(
        wanted, submission.checks, submission.files, submission.base, submission.reload_command
    )
    payload = _payload(submission, wanted, view.version, results)
    entry = append(tx, campaign_id, "deliverable.submitted", actor, payload, now)
    if submission.runs and accepts(results):
        verdict = {
            "deliverable": submission.deliverable,
            "submission": entry.number,
            "verdict": str(State.ACCEPTED),
            "reason": None,
        }
        append(tx, campaign_id, "deliverable.judged", RULE, verdict, now)
    return answer(tx, campaign_id, submission.deliverable, duplicate=False)


def unknown(deliverable: str, announced: Sequence[str]) -> NotFound:
    """The refusal of a deliverable that no plan announces."""
    message = text("No deliverable {id} is announced.", id=visible(deliverable)[:80])
    return NotFound(message, field="deliverable", allowed=announced)


def repeated(
    tx: WriteSession, campaign_id: str, submission: Submission, content_sha256: str
) -> Answer | Conflict:
    """The answer to a submission id that is known: a duplicate, or something else under it."""
    if content_sha256 != submission.content_sha256:
        message = text("This submission_id was used for another content; make a new one.")
        return Conflict(message, field="submission_id")
    return answer(tx, campaign_id, submission.deliverable, duplicate=True)


def answer(tx: WriteSession, campaign_id: str, deliverable: str, *, duplicate: bool) -> Answer:
    """Where a deliverable stands now, as its sender is told."""
    found = standing(tx, campaign_id, deliverable)
    assert found is not None
    is_retrieved = found.retrieved is not None
    return Answer(str(found.state), found.reason, duplicate, is_retrieved, head(tx, campaign_id))


def standing(tx: WriteSession, campaign_id: str, deliverable: str) -> DeliverableStanding | None:
    """One deliverable's standing inside a command."""
    found = queries.standing_of(tx.orm, campaign_id)
    return next((one for one in found if one.id == deliverable), None)


def _interrupted(
    tx: WriteSession, campaign_id: str, named: Sequence[str], now: datetime
) -> Conflict | None:
    """The refusal for runs that did not complete, all of them told."""
    refused: dict[str, Text] = {}
    for run in named:
        found = runs.run_of(tx.orm, campaign_id, run, now)
        stands = (found.status, found.reason_code, found.reason_text) if found else (None,)
        objection = run_objection(NamedRun(run, *stands))
        if objection is not None:
            refused[run] = objection
    if not refused:
        return None
    told = {run: str(objection) for run, objection in refused.items()}
    return Conflict(next(iter(refused.values())), field="manifest.runs", runs=told)


def _payload(
    submission: Submission, wanted: Promise, version: int, results: Sequence[Result]
) -> dict[str, object]:
    """The journal's record of a submission: enough to make every row again."""
    base = submission.base
    made_at = submission.made_at
    return {
        "deliverable": submission.deliverable,
        "submission_id": submission.submission_id,
        "content_sha256": submission.content_sha256,
        "version": version,
        "announced_sha256": wanted.sha256,
        "runs": list(submission.runs),
        "files": files_payload(submission.files),
        "manifest_sha256": submission.manifest_sha256,
        "base": base.base if base is not None else None,
        "base_revision": base.revision if base is not None else None,
        "reload_command": submission.reload_command,
        "checks": results_payload(results),
        "passed": count(results, Status.PASSED),
        "failed": count(results, Status.FAILED),
        "not_run": count(results, Status.NOT_RUN),
        "machine_id": submission.machine_id,
        "host": submission.host,
        "made_at": instant_text(made_at) if made_at is not None else None,
        "tool": submission.tool,
    }


_AS_SAID = (
    "deliverable", "submission_id", "content_sha256", "version", "announced_sha256",
    "manifest_sha256", "base", "base_revision", "reload_command",
    "passed", "failed", "not_run", "machine_id", "host", "tool",
)  # fmt: skip


@projector("deliverable.submitted", writes=("submissions",))
def project_submission(tx: WriteSession, entry: Entry) -> None:
    """One row for a submission."""
    said = entry.payload
    files = said["files"]
    assert isinstance(files, list)
    made_at = said["made_at"]
    values = {
        "campaign_id": entry.campaign_id,
        "number": entry.number,
        "at": entry.at,
        "actor_kind": entry.actor.kind,
        "actor_name": entry.actor.name,
        "runs": canonical(said["runs"]).decode(),
        "files_count": len(files),
        "size_bytes": sum(file["size"] for file in files),
        "files": canonical(files).decode(),
        "checks": canonical(said["checks"]).decode(),
        "made_at": stored_instant(made_at) if made_at is not None else None,
        **{key: said[key] for key in _AS_SAID},
    }
    columns = ", ".join(values)
    named = ", ".join(f":{name}" for name in values)
    tx.execute(f"INSERT INTO submissions ({columns}) VALUES ({named})", values)
