"""The posts that log people's time: start, stop, a whole span, and taking a wrong one back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.db import WriteSession
from app.errors import AppError, Malformed
from app.orders.rules import read_local
from app.plan.queries import current
from app.runs import commands
from app.runs.pages.listing import frame_or_404, show
from app.runs.pages.time import SpanEntry, choices
from app.texts import Text, text
from app.web import Form, read_form, redirect

router = APIRouter()
Typed = Annotated[Form, Depends(read_form)]
_FIELDS = {"started_at": "starts", "ended_at": "ends", "note": "note", "step": "step"}


@router.post("/campaigns/{campaign_id}/time/start")
def start(request: Request, campaign_id: str, form: Typed) -> Response:
    """Start time on a step, now."""
    now, actor, step = _moment(), person(request), form.get("step")
    return _done(
        request,
        campaign_id,
        lambda tx: commands.log_time(
            tx, campaign_id, step, now, None, "", actor=actor, now=clock.now()
        ),
        text("Time is running on {step}.", step=step),
    )


@router.post("/campaigns/{campaign_id}/time/stop")
def stop(request: Request, campaign_id: str, form: Typed) -> Response:
    """Stop the time that runs on a step, now."""
    now, actor, step = clock.now(), person(request), form.get("step")
    return _done(
        request,
        campaign_id,
        lambda tx: commands.stop_time(
            tx, campaign_id, step, now, form.get("note"), actor=actor, now=now
        ),
        text("Time on {step} is logged.", step=step),
    )


@router.post("/campaigns/{campaign_id}/time/withdraw")
def withdraw(request: Request, campaign_id: str, form: Typed) -> Response:
    """Take a wrong span back."""
    now, actor = clock.now(), person(request)
    number = form.get(f"span.{form.get('step')}")
    if not number.isdecimal() or len(number) > 12:
        raise Malformed(text("There is no such span."), field="span")
    return _done(
        request,
        campaign_id,
        lambda tx: commands.withdraw_time(tx, campaign_id, int(number), actor=actor, now=now),
        text("The span was taken back. Both entries stay in the journal."),
    )


@router.post("/campaigns/{campaign_id}/time")
def log(request: Request, campaign_id: str, form: Typed) -> Response:
    """Log a whole span; a form that is refused comes back as it was typed."""
    now, actor = clock.now(), person(request)
    with request.app.state.db.read() as session:
        zone = frame_or_404(session, campaign_id, now).zone
        entry = SpanEntry(zone, choices(current(session, campaign_id)), form)
    starts_at, ends_at = _local(entry, "starts"), _local(entry, "ends")
    if starts_at is None or ends_at is None:
        return show(request, campaign_id, now, entry=entry, status=422)
    step = form.get("step")
    try:
        return _done(
            request,
            campaign_id,
            lambda tx: commands.log_time(
                tx, campaign_id, step, starts_at, ends_at, form.get("note"), actor=actor, now=now
            ),
            text("Time on {step} is logged.", step=step),
        )
    except AppError as refusal:
        if refusal.field not in _FIELDS:
            raise
        form.refuse(_FIELDS[refusal.field], refusal.detail)
        return show(request, campaign_id, now, entry=entry, status=refusal.status)


def _done(
    request: Request, campaign_id: str, command: Callable[[WriteSession], Any], said: Text
) -> Response:
    request.app.state.db.write(campaign_id, command)
    return redirect(request, f"/campaigns/{campaign_id}/runs#people", said)


def _local(entry: SpanEntry, name: str) -> datetime | None:
    """A local time of the form; what is wrong with it is said at its field."""
    read = read_local(entry.form.get(name), entry.zone, entry.form.get(f"{name}_fold"))
    if read.problem is not None:
        entry.form.refuse(name, read.problem)
        entry.folds[name] = tuple((value, label, None) for value, label in read.folds)
    return read.at


def _moment() -> datetime:
    """Now, to the second: what a person's button means."""
    return clock.now().replace(microsecond=0)
