"""The addresses of decisions: the page, and the form that writes an entry."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from sqlmodel import Session
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.decisions import commands, queries
from app.decisions.pages import views
from app.decisions.queries import Desk
from app.decisions.rules.entering import NewDecision, objections, tidied
from app.decisions.rules.log import DecisionEntry
from app.errors import NotFound
from app.texts import text
from app.timeline import queries as timeline
from app.web import Form, Frame, page, read_form, redirect

router = APIRouter(include_in_schema=False)
_CUT = "cut."


@router.get("/campaigns/{campaign_id}/decisions")
def index(
    request: Request, campaign_id: str, correct: Annotated[int | None, Query(ge=1)] = None
) -> Response:
    """What the rule says, the open points, the form (to correct an entry: `?correct=`), the log."""
    with request.app.state.db.read() as session:
        frame, desk = _read(session, campaign_id, clock.now())
    corrects = _correctable(desk, correct)
    form = _prefilled(desk, corrects)
    closed = frame.state == "closed"
    context = views.index(campaign_id, desk, form, closed=closed, corrects=corrects)
    return page(request, "decisions/index.html", context, frame=frame)


@router.post("/campaigns/{campaign_id}/decisions")
def record(
    request: Request, campaign_id: str, form: Annotated[Form, Depends(read_form)]
) -> Response:
    """Write a decision down; refused input comes back as it was typed."""
    actor, now = access.person(request), clock.now()
    with request.app.state.db.read() as session:
        frame, desk = _read(session, campaign_id, now)
    new = tidied(_typed(form), desk.ground.log)
    closed = frame.state == "closed"
    found = objections(new, desk.ground)
    if found and not closed:
        for objection in found:
            form.refuse(objection.field, objection.message)
        corrects = _correctable(desk, new.corrects)
        context = views.index(campaign_id, desk, form, closed=closed, corrects=corrects)
        status = 409 if all(one.contradicts for one in found) else 422
        return page(request, "decisions/index.html", context, frame=frame, status=status)
    request.app.state.db.write(
        campaign_id, lambda tx: commands.record(tx, campaign_id, new, actor=actor, now=now)
    )
    return redirect(request, f"/campaigns/{campaign_id}/decisions", text("Decision written down."))


def _read(session: Session, campaign_id: str, now: datetime) -> tuple[Frame, Desk]:
    """The frame and all that a decision is taken on; raises `NotFound`."""
    frame = timeline.frame(session, campaign_id, now)
    desk = queries.desk(session, campaign_id, now)
    if frame is None or desk is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id[:64]))
    return frame, desk


def _correctable(desk: Desk, number: int | None) -> DecisionEntry | None:
    """The entry to be corrected: the newest of its chain of corrections."""
    entry = desk.ground.log.entry(number)
    return desk.ground.log.newest_of(entry) if entry is not None else None


def _prefilled(desk: Desk, corrects: DecisionEntry | None) -> Form:
    """The form as it first stands: the first open point, or the entry to be corrected."""
    if corrects is not None:
        said = {"choice": corrects.choice, "reason": corrects.reason, "link": corrects.link or ""}
        ticked = {f"{_CUT}{step}": "yes" for step in corrects.cut}
        version = "" if corrects.version is None else str(corrects.version)
        return Form({**said, **ticked, "version": version})
    points = desk.ground.open_points
    return Form({"step": points[0].id if points else ""})


def _typed(form: Form) -> NewDecision:
    """The decision as typed; a version or entry that is no number is left for the rules."""
    corrects, version = form.get("corrects"), form.get("version")
    return NewDecision(
        choice=form.get("choice"),
        reason=form.get("reason"),
        step=form.get("step") or None,
        cut=_ticked(form),
        version=_number(version),
        link=form.get("link") or None,
        corrects=_number(corrects),
    )


def _ticked(form: Form) -> tuple[str, ...]:
    """The steps whose boxes are ticked."""
    names = (name for name in form.values if name.startswith(_CUT) and form.get(name))
    return tuple(name.removeprefix(_CUT) for name in names)


def _number(given: str) -> int | None:
    """A whole number; what is none becomes 0, which no entry and no version has."""
    if not given:
        return None
    return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else 0
