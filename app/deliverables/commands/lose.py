"""A person's word that the files of the newest submission are lost; no clock ever says so."""

from __future__ import annotations

from datetime import datetime

from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.deliverables.commands.judge import refusal
from app.deliverables.commands.submit import standing, unknown
from app.deliverables.queries import standing_of
from app.deliverables.rules.judging import loss_objections, tidy
from app.deliverables.rules.standing import Loss
from app.errors import AppError
from app.journal import Actor, Entry, append, projector


def lose(
    tx: WriteSession,
    campaign_id: str,
    deliverable: str,
    reason: str,
    *,
    actor: Actor,
    now: datetime,
    submission: int | None = None,
) -> Loss | AppError:
    """Append that the newest submission's files are lost; the very same word is not written twice.

    `submission` is the one the person looked at; a newer one makes it a `Conflict`, as does a
    proof of retrieval. A later proof settles it.
    """
    refuse_closed(tx, campaign_id)
    found = standing(tx, campaign_id, deliverable)
    if found is None:
        return unknown(deliverable, [one.id for one in standing_of(tx.orm, campaign_id)])
    reason = tidy(reason)
    if found.lost is not None and found.lost.reason == reason and found.retrieved is None:
        return found.lost
    objections = loss_objections(found, reason, submission)
    if objections:
        return refusal(objections)
    assert found.newest is not None
    number = found.newest.number
    payload = {"deliverable": deliverable, "submission": number, "reason": reason}
    entry = append(tx, campaign_id, "deliverable.lost", actor, payload, now)
    return Loss(entry.number, deliverable, number, now, actor.name, reason)


@projector("deliverable.lost", writes=("losses",))
def project_loss(tx: WriteSession, entry: Entry) -> None:
    """One row for a loss."""
    said = entry.payload
    tx.execute(
        "INSERT INTO losses (campaign_id, number, deliverable, submission, at, actor_kind,"
        " actor_name, reason)"
        " VALUES (:campaign_id, :number, :deliverable, :submission, :at, :actor_kind,"
        " :actor_name, :reason)",
        {
            "campaign_id": entry.campaign_id,
            "number": entry.number,
            "deliverable": said["deliverable"],
            "submission": said["submission"],
            "at": entry.at,
            "actor_kind": entry.actor.kind,
            "actor_name": entry.actor.name,
            "reason": said["reason"],
        },
    )
