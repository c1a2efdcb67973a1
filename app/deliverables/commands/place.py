"""Where the files of a deliverable lie, as a person states it; also after the close."""

from __future__ import annotations

from datetime import date, datetime

from app.campaigns.commands import standing as standing_of_campaign
from app.db import WriteSession
from app.deliverables.commands.judge import refusal
from app.deliverables.commands.submit import standing, unknown
from app.deliverables.queries import standing_of
from app.deliverables.rules.judging import place_objections, tidy
from app.deliverables.rules.standing import Place
from app.errors import AppError
from app.journal import Actor, Entry, append, projector


def place(
    tx: WriteSession,
    campaign_id: str,
    deliverable: str,
    where: str,
    seen_on: date,
    *,
    actor: Actor,
    now: datetime,
) -> Place | AppError:
    """Append where the files were seen; what stands already is not written twice."""
    standing_of_campaign(tx, campaign_id)
    found = standing(tx, campaign_id, deliverable)
    if found is None:
        return unknown(deliverable, [one.id for one in standing_of(tx.orm, campaign_id)])
    where = tidy(where)
    stands = found.place
    if stands is not None and (stands.where, stands.seen_on) == (where, seen_on):
        return stands
    objections = place_objections(where, seen_on, now.date())
    if objections:
        return refusal(objections)
    payload = {"deliverable": deliverable, "where": where, "seen_on": seen_on.isoformat()}
    entry = append(tx, campaign_id, "deliverable.placed", actor, payload, now)
    return Place(entry.number, deliverable, where, seen_on, now, actor.name)


@projector("deliverable.placed", writes=("places",))
def project_place(tx: WriteSession, entry: Entry) -> None:
    """One row for a statement."""
    said = entry.payload
    tx.execute(
        "INSERT INTO places (campaign_id, number, deliverable, at, actor_kind, actor_name,"
        " place, seen_on)"
        " VALUES (:campaign_id, :number, :deliverable, :at, :actor_kind, :actor_name,"
        " :place, :seen_on)",
        {
            "campaign_id": entry.campaign_id,
            "number": entry.number,
            "deliverable": said["deliverable"],
            "at": entry.at,
            "actor_kind": entry.actor.kind,
            "actor_name": entry.actor.name,
            "place": said["where"],
            "seen_on": said["seen_on"],
        },
    )
