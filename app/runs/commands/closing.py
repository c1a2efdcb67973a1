"""What people say of a run: a silent one is lost or was stopped, a live one is asked to stop."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from app.db import WriteSession
from app.errors import AppError, Conflict, Malformed, NotFound
from app.journal import Actor
from app.runs.commands.opening import Found, look
from app.runs.commands.refusals import archived, closed, illegal
from app.runs.commands.writing import save, store
from app.runs.rules.events import PERSON, Kind, Stored
from app.runs.rules.streams import EMPTY
from app.runs.rules.times import us_of
from app.runs.rules.transitions import TRANSITIONS
from app.texts import text

REASON_LENGTH = 500


class Act(Protocol):
    """What a person may say of a run, with a reason."""

    def __call__(
        self,
        tx: WriteSession,
        campaign_id: str,
        run: str,
        reason: str,
        *,
        actor: Actor,
        now: datetime,
    ) -> AppError | None:
        """Say it."""
        ...


def ask_to_stop(
    tx: WriteSession, campaign_id: str, run: str, reason: str, *, actor: Actor, now: datetime
) -> AppError | None:
    """Have the next answer ask the job to stop; its status stays until its process ends."""
    return _say(tx, campaign_id, run, Kind.ASK, reason, actor, now)


def mark_lost(
    tx: WriteSession, campaign_id: str, run: str, reason: str, *, actor: Actor, now: datetime
) -> AppError | None:
    """Write that a silent run is lost; if its end comes after all, that corrects it."""
    return _say(tx, campaign_id, run, Kind.LOST, reason, actor, now)


def mark_stopped(
    tx: WriteSession, campaign_id: str, run: str, reason: str, *, actor: Actor, now: datetime
) -> AppError | None:
    """Write that a silent run was stopped by a person outside of the record."""
    return _say(tx, campaign_id, run, Kind.CLOSE, reason, actor, now)


def close_silent(
    tx: WriteSession,
    campaign_id: str,
    runs: Sequence[str],
    kind: Kind,
    reason: str,
    *,
    actor: Actor,
    now: datetime,
) -> AppError | None:
    """Write of several silent runs at once that they are lost, or were stopped; all or none."""
    if not runs:
        said = text("Choose the runs that this is said of.")
        return Malformed(said, field="runs")
    found = [_judged(tx, campaign_id, run, kind, reason, now) for run in dict.fromkeys(runs)]
    for one in found:
        if isinstance(one, AppError):
            return one
    for one in found:
        if isinstance(one, Found):
            _write(tx, one, kind, reason, actor, now)
    return None


def _say(
    tx: WriteSession,
    campaign_id: str,
    run: str,
    kind: Kind,
    reason: str,
    actor: Actor,
    now: datetime,
) -> AppError | None:
    found = _judged(tx, campaign_id, run, kind, reason, now)
    if isinstance(found, AppError):
        return found
    _write(tx, found, kind, reason, actor, now)
    return None


def _judged(
    tx: WriteSession, campaign_id: str, run: str, kind: Kind, reason: str, now: datetime
) -> Found | AppError:
    """The run of which it may be said, or why it may not."""
    found = look(tx, campaign_id, run, None)
    if found is not None and found.campaign.standing == "closed":
        return closed()
    if found is None or found.attempt is None:
        return NotFound(text("There is no run {run} here.", run=run))
    if found.row.archived:
        return archived(run)
    if not reason.strip() or len(reason) > REASON_LENGTH:
        said = text("A reason is needed, at most {n} characters.", n=REASON_LENGTH)
        return Malformed(said, field="reason")
    status = found.attempt.facts.status
    if TRANSITIONS[status, kind].how == "refused":
        return illegal(run, status, kind)
    due, now_us = found.attempt.due_us, us_of(now)
    if kind is not Kind.ASK and due is not None and due >= now_us:
        return Conflict(
            text("{run} still reports. Ask it to stop, or wait until it is silent.", run=run)
        )
    return found


def _write(
    tx: WriteSession, found: Found, kind: Kind, reason: str, actor: Actor, now: datetime
) -> None:
    attempt, now_us = found.attempt, us_of(now)
    assert attempt is not None
    seq = attempt.streams.get(PERSON, EMPTY).numbers.last + 1
    fields = {"reason_text": reason.strip()}
    store(tx, found.campaign, attempt, Stored(PERSON, seq, kind, now_us, now_us, fields), None)
    save(tx, found.campaign, attempt, actor, now)
