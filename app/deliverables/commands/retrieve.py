"""Proof of retrieval: the same manifest, verified on a machine other than the maker's."""

from __future__ import annotations

from datetime import datetime

from app.campaigns.commands import standing as standing_of_campaign
from app.db import WriteSession
from app.deliverables import queries
from app.deliverables.commands.payload import results_payload
from app.deliverables.commands.submit import Answer, answer, repeated, standing, unknown
from app.deliverables.rules.announced import Promise, promise
from app.deliverables.rules.evidence import Result, judged
from app.deliverables.rules.manifest import Difference, difference
from app.deliverables.rules.standing import SubmissionLine
from app.deliverables.rules.submission import Submission
from app.errors import AppError, Conflict, Malformed
from app.journal import Actor, Entry, append, canonical, projector
from app.plan import queries as plans
from app.texts import Text, text

SHOWN = 20


def retrieve(
    tx: WriteSession, campaign_id: str, proof: Submission, *, actor: Actor, now: datetime
) -> Answer | AppError:
    """Store that a deliverable's newest submission lies, file for file, on another machine.

    Taken after the close too. `Conflict` without a submission, with other files, or on the
    machine that made it.
    """
    known = tx.row(
        "SELECT content_sha256 FROM retrievals WHERE campaign_id = :id AND submission_id = :sub",
        {"id": campaign_id, "sub": proof.submission_id},
    )
    if known is not None:
        return repeated(tx, campaign_id, proof, str(known[0]))
    standing_of_campaign(tx, campaign_id)
    found = standing(tx, campaign_id, proof.deliverable)
    if found is None:
        return unknown(proof.deliverable, _ids(tx, campaign_id))
    if proof.machine_id is None:
        message = text("A proof of retrieval names the machine that it was made on.")
        return Malformed(message, field="machine_id")
    if found.newest is None:
        return Conflict(text("Nothing was submitted yet that could be retrieved."))
    refused = _refused(tx, campaign_id, proof, found.newest)
    if refused is not None:
        return refused
    payload = {
        "deliverable": proof.deliverable,
        "submission": found.newest.number,
        "submission_id": proof.submission_id,
        "content_sha256": proof.content_sha256,
        "machine_id": proof.machine_id,
        "host": proof.host,
        "tool": proof.tool,
        "checks": results_payload(_results(tx, campaign_id, proof)),
    }
    append(tx, campaign_id, "deliverable.retrieved", actor, payload, now)
    return answer(tx, campaign_id, proof.deliverable, duplicate=False)


def _refused(
    tx: WriteSession, campaign_id: str, proof: Submission, newest: SubmissionLine
) -> Conflict | None:
    if newest.machine_id is None:
        message = text("The submission does not say which machine made it, so nothing is proven.")
        return Conflict(message, field="machine_id")
    if newest.machine_id == proof.machine_id:
        message = text("This is the machine that made it: retrieved needs another one.")
        return Conflict(message, field="machine_id")
    if newest.manifest_sha256 == proof.manifest_sha256:
        return None
    made = queries.submitted(tx.orm, campaign_id, newest.number)
    assert made is not None
    unlike = difference(made.files, proof.files)
    lists = {
        "missing": list(unlike.missing[:SHOWN]),
        "added": list(unlike.added[:SHOWN]),
        "changed": list(unlike.changed[:SHOWN]),
    }
    return Conflict(_unlike(unlike), field="manifest.files", difference=lists)


def _unlike(unlike: Difference) -> Text:
    return text(
        "Not the files that were submitted: {missing} missing, {changed} changed, {added} more.",
        missing=len(unlike.missing),
        changed=len(unlike.changed),
        added=len(unlike.added),
    )


def _results(tx: WriteSession, campaign_id: str, proof: Submission) -> tuple[Result, ...]:
    """What the verification found there, judged as a submission is."""
    view = plans.sealed(tx.orm, campaign_id)
    wanted: Promise | None = promise(view.plan, proof.deliverable) if view is not None else None
    if wanted is None:
        return ()
    return judged(wanted, proof.checks, proof.files, proof.base, proof.reload_command)


def _ids(tx: WriteSession, campaign_id: str) -> list[str]:
    return [one.id for one in queries.standing_of(tx.orm, campaign_id)]


@projector("deliverable.retrieved", writes=("retrievals",))
def project_retrieval(tx: WriteSession, entry: Entry) -> None:
    """One row for a proof."""
    said = entry.payload
    tx.execute(
        "INSERT INTO retrievals (campaign_id, number, deliverable, submission, submission_id,"
        " content_sha256, at, actor_kind, actor_name, machine_id, host, checks, tool)"
        " VALUES (:campaign_id, :number, :deliverable, :submission, :submission_id,"
        " :content_sha256, :at, :actor_kind, :actor_name, :machine_id, :host, :checks, :tool)",
        {
            "campaign_id": entry.campaign_id,
            "number": entry.number,
            "deliverable": said["deliverable"],
            "submission": said["submission"],
            "submission_id": said["submission_id"],
            "content_sha256": said["content_sha256"],
            "at": entry.at,
            "actor_kind": entry.actor.kind,
            "actor_name": entry.actor.name,
            "machine_id": said["machine_id"],
            "host": said["host"],
            "checks": canonical(said["checks"]).decode(),
            "tool": said.get("tool"),
        },
    )
