"""Reading when the attempts of a run were silent or stood still."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.runs.rules.spells import Noticed, Spell, spells
from app.runs.rules.times import at_of
from app.runs.tables import Attempt, Flip


def spells_of(session: Session, campaign_id: str, run_id: str) -> dict[int, tuple[Spell, ...]]:
    """The number of an attempt → its spells, as far as the watcher noticed; one statement."""
    rows = session.exec(
        select(Attempt.number, Flip.became, Flip.since_us)
        .join(Flip, col(Flip.attempt_key) == col(Attempt.id))
        .where(Attempt.campaign_id == campaign_id, Attempt.run_id == run_id)
        .order_by(col(Flip.id))
    )
    found: dict[int, list[Noticed]] = {}
    for number, became, since_us in rows:
        found.setdefault(number, []).append(Noticed(became, at_of(since_us)))
    return {number: spells(noticed) for number, noticed in found.items()}
