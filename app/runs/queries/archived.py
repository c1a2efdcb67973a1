"""Reading which runs a person put away, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.runs.tables import Archival


@dataclass(frozen=True, slots=True)
class ArchivalView:
    """The newest word on whether a run is put away."""

    run: str
    archived: bool
    reason: str
    by: str
    at: datetime


def archivals_of(session: Session, campaign_id: str) -> dict[str, ArchivalView]:
    """The newest word on each run that was ever put away; one statement."""
    rows = session.exec(
        select(Archival).where(Archival.campaign_id == campaign_id).order_by(col(Archival.number))
    )
    return {
        row.run_id: ArchivalView(row.run_id, row.archived, row.reason, row.by, row.at)
        for row in rows
    }
