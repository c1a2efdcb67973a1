"""Which run an attempt is recorded under: not always the one that its spool proposes."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.runs.tables import Attempt


def runs_of_attempt(session: Session, campaign_id: str, attempt_id: str) -> tuple[str, ...]:
    """The runs that hold an attempt of this id, by name: one, where a client made it."""
    asked = (
        select(Attempt.run_id)
        .where(Attempt.campaign_id == campaign_id, Attempt.attempt_id == attempt_id)
        .order_by(col(Attempt.run_id))
    )
    return tuple(session.exec(asked))
