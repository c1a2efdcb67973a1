"""A verdict on the newest submission: the rule's, or a person's with a reason."""

from __future__ import annotations

from datetime import datetime

from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.deliverables.commands.submit import standing, unknown
from app.deliverables.queries import standing_of
from app.deliverables.rules.judging import tidy, verdict_objections
from app.deliverables.rules.objection import Objection
from app.deliverables.rules.standing import Verdict
from app.errors import AppError, Conflict, Malformed
from app.journal import Actor, Entry, append, projector


def judge(
    tx: WriteSession,
    campaign_id: str,
    deliverable: str,
    verdict: str,
    reason: str,
    *,
    actor: Actor,
    now: datetime,
    submission: int | None = None,
) -> Verdict | AppError:
    """Append a person's verdict on the newest submission.

    `submission` is the one the person looked at; a newer one makes it a `Conflict`. The very
    verdict that stands already is not written twice.
    """
    refuse_closed(tx, campaign_id)
    found = standing(tx, campaign_id, deliverable)
    if found is None:
        return unknown(deliverable, [one.id for one in standing_of(tx.orm, campaign_id)])
    reason = tidy(reason)
    stands = found.judged
    if stands is not None and found.state == verdict and (stands.reason or "") == reason:
        return stands
    objections = verdict_objections(found, verdict, reason, submission)
    if objections:
        return refusal(objections)
    assert found.newest is not None
    payload = {
        "deliverable": deliverable,
        "submission": found.newest.number,
        "verdict": verdict,
        "reason": reason or None,
    }
    entry = append(tx, campaign_id, "deliverable.judged", actor, payload, now)
    return Verdict(
        entry.number, deliverable, found.newest.number, now,
        actor.kind, actor.name, verdict, reason or None,
    )  # fmt: skip


def refusal(objections: tuple[Objection, ...]) -> AppError:
    """The refusal for what speaks against an act; all of it is in `problems`."""
    first = next((one for one in objections if not one.contradicts), objections[0])
    kind = Conflict if first.contradicts else Malformed
    problems = [{"field": one.field, "detail": str(one.message)} for one in objections]
    return kind(first.message, field=first.field, allowed=first.allowed, problems=problems)


@projector("deliverable.judged", writes=("verdicts",))
def project_verdict(tx: WriteSession, entry: Entry) -> None:
    """One row for a verdict."""
    said = entry.payload
    tx.execute(
        "INSERT INTO verdicts (campaign_id, number, deliverable, submission, at,"
        " actor_kind, actor_name, verdict, reason)"
        " VALUES (:campaign_id, :number, :deliverable, :submission, :at,"
        " :actor_kind, :actor_name, :verdict, :reason)",
        {
            "campaign_id": entry.campaign_id,
            "number": entry.number,
            "deliverable": said["deliverable"],
            "submission": said["submission"],
            "at": entry.at,
            "actor_kind": entry.actor.kind,
            "actor_name": entry.actor.name,
            "verdict": said["verdict"],
            "reason": said["reason"],
        },
    )
