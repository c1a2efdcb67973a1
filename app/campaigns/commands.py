"""Opening a campaign, and keeping its standing in step with its journal."""

from __future__ import annotations

from datetime import datetime

from app.campaigns.tables import Campaign
from app.db import WriteSession
from app.errors import Closed, NotFound
from app.journal import Actor, Entry, projector
from app.texts import text


def write_header(
    tx: WriteSession,
    campaign_id: str,
    *,
    question: str,
    zone: str,
    currency: str,
    actor: Actor,
    now: datetime,
) -> None:
    """Insert a campaign's header, or bring it up to date with its newest draft."""
    values = {"id": campaign_id, "question": question, "zone": zone, "currency": currency}
    if tx.execute(
        "UPDATE campaigns SET question = :question, zone = :zone, currency = :currency"
        " WHERE id = :id",
        values,
    ):
        return
    tx.add(Campaign(**values, created_at=now, created_by=actor.name))


def standing(tx: WriteSession, campaign_id: str) -> str:
    """`draft`, `sealed`, `running` or `closed`; raises `NotFound` for an unknown campaign."""
    row = tx.row(
        "SELECT s.state FROM campaigns c LEFT JOIN campaign_standings s ON s.campaign_id = c.id"
        " WHERE c.id = :id",
        {"id": campaign_id},
    )
    if row is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return row[0] or "draft"


def refuse_closed(tx: WriteSession, campaign_id: str) -> str:
    """The standing of a campaign that still takes writes; raises `Closed` or `NotFound`."""
    state = standing(tx, campaign_id)
    if state == "closed":
        raise Closed(text("This campaign was closed. Its record is not changed any more."))
    return state


@projector("plan.sealed", writes=("campaign_standings",))
def project_seal(tx: WriteSession, entry: Entry) -> None:
    """Version 1 makes the campaign sealed; later versions are counted."""
    values = {"id": entry.campaign_id, "version": entry.payload["version"], "at": entry.at}
    if not tx.execute(
        "UPDATE campaign_standings SET version = :version WHERE campaign_id = :id", values
    ):
        tx.execute(
            "INSERT INTO campaign_standings (campaign_id, state, version, sealed_at)"
            " VALUES (:id, 'sealed', :version, :at)",
            values,
        )


@projector("run.started", "time.logged", writes=("campaign_standings",))
def project_first_work(tx: WriteSession, entry: Entry) -> None:
    """The first run or span of people's time after the seal makes the campaign running."""
    tx.execute(
        "UPDATE campaign_standings SET state = 'running', running_at = :at"
        " WHERE campaign_id = :id AND state = 'sealed'",
        {"id": entry.campaign_id, "at": entry.at},
    )


@projector("closing.closed", writes=("campaign_standings",))
def project_close(tx: WriteSession, entry: Entry) -> None:
    """The close ends it, with its outcome."""
    tx.execute(
        "UPDATE campaign_standings SET state = 'closed', closed_at = :at, outcome = :outcome"
        " WHERE campaign_id = :id",
        {"id": entry.campaign_id, "at": entry.at, "outcome": entry.payload["outcome"]},
    )
