"""How often the machines of a campaign were interrupted, as its runs tell."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.plan.rules.checkpoints import observed_mtbi, observed_said
from app.runs.queries import runs_of
from app.texts import Text

_TAKEN_AWAY = ("infra", "superseded")
"""Reasons of an end that say that the machine went away, not the code and not a person."""


@dataclass(frozen=True, slots=True)
class Interruptions:
    """How many there were over which machine time, and the time between them with its limits."""

    count: int
    machine_s: int
    between: Text


def interruptions_of(session: Session, campaign_id: str, now: datetime) -> Interruptions | None:
    """What the attempts of all runs so far say; None without any machine time."""
    attempts = [one for run in runs_of(session, campaign_id, now) for one in run.attempts]
    count = sum(one.reason_code in _TAKEN_AWAY for one in attempts)
    machine_s = sum(one.machine_s for one in attempts)
    observed = observed_mtbi(count, machine_s / 3600)
    return Interruptions(count, machine_s, observed_said(observed)) if observed else None
