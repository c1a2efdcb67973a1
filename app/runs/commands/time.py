"""People's time on steps of the plan: started, stopped, logged whole, or withdrawn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select

from app import journal
from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.errors import AppError, Conflict, Malformed, NotFound
from app.journal import Actor
from app.plan.queries import sealed_or_draft
from app.runs.rules.naming import nearest
from app.runs.rules.spans import (
    SpanView,
    TimeEntry,
    open_span,
    refuse_span,
    refuse_stop,
    spans,
)
from app.runs.tables import TimeSpan
from app.texts import text
from app.units import instant_text

NOTE_LENGTH = 500


@dataclass(frozen=True, slots=True)
class Logged:
    """A span as it stands now; `is_new` is False where it was logged so before."""

    number: int
    is_new: bool


def log_time(
    tx: WriteSession,
    campaign_id: str,
    step: str,
    started_at: datetime,
    ended_at: datetime | None,
    note: str,
    *,
    actor: Actor,
    now: datetime,
) -> Logged | AppError:
    """Log time on a step: a whole span, or one that goes on while `ended_at` is None.

    The end of a span that goes on is logged by the same start with an end.
    """
    refuse_closed(tx, campaign_id)
    unknown = _refuse_step(tx, campaign_id, step)
    if unknown is not None:
        return unknown
    if len(note) > NOTE_LENGTH:
        return Malformed(text("A note has at most {n} characters.", n=NOTE_LENGTH), field="note")
    known = _spans(tx, campaign_id)
    same = next((s for s in known if s.step == step and s.started_at == started_at), None)
    if same is not None and same.ended_at == ended_at:
        return Logged(same.number, False)
    if same is not None and same.ended_at is None and ended_at is not None:
        return _stop(tx, campaign_id, same, ended_at, note, actor, now)
    going_on = open_span(known, step) if ended_at is None else None
    refused = refuse_span(known, step, started_at, ended_at, now)
    if going_on is not None:
        said = text("Time on this step is running since {start}.", start=going_on.started_at)
        return Conflict(said, field="started_at")
    if refused is not None:
        return Malformed(refused[1], field=refused[0])
    act = "span" if ended_at is not None else "start"
    number = _log(tx, campaign_id, act, 0, step, started_at, ended_at, note, actor, now)
    return Logged(number, True)


def stop_time(
    tx: WriteSession,
    campaign_id: str,
    step: str,
    ended_at: datetime,
    note: str,
    *,
    actor: Actor,
    now: datetime,
) -> Logged | AppError:
    """End the span of a step that goes on."""
    refuse_closed(tx, campaign_id)
    going_on = open_span(_spans(tx, campaign_id), step)
    if going_on is None:
        return Conflict(text("No time is running on this step."), field="step")
    return _stop(tx, campaign_id, going_on, ended_at, note, actor, now)


def withdraw_time(
    tx: WriteSession, campaign_id: str, number: int, *, actor: Actor, now: datetime
) -> AppError | None:
    """Take a wrong span back; both entries stay in the journal."""
    refuse_closed(tx, campaign_id)
    found = next((s for s in _spans(tx, campaign_id) if s.number == number), None)
    if found is None:
        return NotFound(text("There is no such span, or it was withdrawn before."))
    _log(
        tx, campaign_id, "withdraw", number, found.step, found.started_at, found.ended_at, "",
        actor, now,
    )  # fmt: skip
    return None


def _stop(
    tx: WriteSession,
    campaign_id: str,
    span: SpanView,
    ended_at: datetime,
    note: str,
    actor: Actor,
    now: datetime,
) -> Logged | AppError:
    why = refuse_stop(span, ended_at, now)
    if why is not None:
        return Malformed(why, field="ended_at")
    _log(
        tx, campaign_id, "stop", span.number, span.step, span.started_at, ended_at, note, actor, now
    )  # fmt: skip
    return Logged(span.number, True)


def _refuse_step(tx: WriteSession, campaign_id: str, step: str) -> NotFound | None:
    plan = sealed_or_draft(tx.orm, campaign_id)
    ids = [one.id for one in plan.steps] if plan else []
    if step in ids:
        return None
    meant = nearest(step, ids)
    said = text("There is no step {step} in the plan.", step=step)
    if meant is not None:
        said = text(
            "There is no step {step} in the plan; did you mean {meant}?", step=step, meant=meant
        )
    return NotFound(said, field="step", allowed=ids)


def _spans(tx: WriteSession, campaign_id: str) -> tuple[SpanView, ...]:
    rows = tx.orm.exec(
        select(TimeSpan).where(TimeSpan.campaign_id == campaign_id).order_by(col(TimeSpan.number))
    )
    return spans(
        TimeEntry(
            row.number, row.act, row.span, row.step, row.started_at, row.ended_at, row.person,
            row.note,
        )
        for row in rows
    )  # fmt: skip


def _log(
    tx: WriteSession,
    campaign_id: str,
    act: str,
    span: int,
    step: str,
    started_at: datetime,
    ended_at: datetime | None,
    note: str,
    actor: Actor,
    now: datetime,
) -> int:
    payload = {
        "step": step,
        "span": span,
        "act": act,
        "started_at": instant_text(started_at),
        "ended_at": instant_text(ended_at) if ended_at else None,
        "note": note.strip(),
    }
    return journal.append(tx, campaign_id, "time.logged", actor, payload, now).number
