"""The addresses of deliverables: the list, one of them, a verdict, where its files lie."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from sqlmodel import Session
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.deliverables import commands, queries
from app.deliverables.pages import views
from app.deliverables.rules.announced import promise
from app.deliverables.rules.judging import (
    loss_objections,
    place_objections,
    tidy,
    verdict_objections,
)
from app.deliverables.rules.objection import Objection
from app.deliverables.rules.standing import DeliverableStanding, State
from app.errors import NotFound
from app.plan import queries as plans
from app.plan.queries import PlanView
from app.texts import text
from app.timeline import queries as timeline
from app.web import Form, Frame, page, read_form, redirect

router = APIRouter(include_in_schema=False)
Read = Annotated[Form, Depends(read_form)]


@router.get("/campaigns/{campaign_id}/deliverables")
def index(request: Request, campaign_id: str) -> Response:
    """Every deliverable: what it needs, where it stands, what can be done."""
    now = clock.now()
    base = f"/campaigns/{campaign_id}"
    with request.app.state.db.read() as session:
        frame = _frame(session, campaign_id, now)
        view = plans.current(session, campaign_id)
        standings = queries.standings(session, campaign_id, view.plan if view else None)
        left = queries.still_there(session, campaign_id, view, standings, now)
    closed = frame.state == "closed"
    cards = [
        views.card(base, one, closed=closed, today=now.date(), where=left.of(one.id))
        for one in standings
    ]
    sealed = view is not None and view.version > 0
    context = views.index(campaign_id, standings, cards, sealed, left)
    return page(request, "deliverables/index.html", context, frame=frame)


@router.get("/campaigns/{campaign_id}/deliverables/{deliverable}")
def show(
    request: Request,
    campaign_id: str,
    deliverable: str,
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    """One deliverable with the evidence of its newest submission and its history."""
    return _show(request, campaign_id, deliverable, Form(), manifest_page=page)


@router.post("/campaigns/{campaign_id}/deliverables/{deliverable}/verdicts")
def judge(request: Request, campaign_id: str, deliverable: str, form: Read) -> Response:
    """Accept or reject the newest submission; refused input comes back as it was typed."""
    actor, now = access.person(request), clock.now()
    verdict = form.get("verdict")
    reason = tidy(form.get(f"reason.{deliverable}"))
    seen = _number(form.get("submission"))
    with request.app.state.db.read() as session:
        found = _standing(session, campaign_id, deliverable, plans.current(session, campaign_id))
        if _frame(session, campaign_id, now).state != "closed":
            objections = verdict_objections(found, verdict, reason, seen)
        else:
            objections = ()
    if objections:
        return _refused(request, campaign_id, deliverable, form, objections)
    request.app.state.db.write(
        campaign_id,
        lambda tx: commands.judge(
            tx, campaign_id, deliverable, verdict, reason, actor=actor, now=now, submission=seen
        ),
    )
    accepted = verdict == State.ACCEPTED
    said = text("{title} is accepted.", title=found.title)
    if not accepted:
        said = text("{title} is rejected.", title=found.title)
    return redirect(request, f"/campaigns/{campaign_id}/deliverables/{deliverable}", said)


@router.post("/campaigns/{campaign_id}/deliverables/{deliverable}/lost")
def lose(request: Request, campaign_id: str, deliverable: str, form: Read) -> Response:
    """Say that the newest submission's files are lost, and how that is known."""
    actor, now = access.person(request), clock.now()
    reason = tidy(form.get(f"lost.{deliverable}"))
    seen = _number(form.get("submission"))
    with request.app.state.db.read() as session:
        found = _standing(session, campaign_id, deliverable, plans.current(session, campaign_id))
        closed = _frame(session, campaign_id, now).state == "closed"
    objections = () if closed else loss_objections(found, reason, seen)
    if objections:
        return _refused(request, campaign_id, deliverable, form, objections)
    request.app.state.db.write(
        campaign_id,
        lambda tx: commands.lose(
            tx, campaign_id, deliverable, reason, actor=actor, now=now, submission=seen
        ),
    )
    to = f"/campaigns/{campaign_id}/deliverables/{deliverable}"
    return redirect(request, to, text("{title} is recorded as lost.", title=found.title))


@router.post("/campaigns/{campaign_id}/deliverables/{deliverable}/places")
def place(request: Request, campaign_id: str, deliverable: str, form: Read) -> Response:
    """Say where the files lie now; also taken after the close."""
    actor, now = access.person(request), clock.now()
    where = tidy(form.get(f"where.{deliverable}"))
    seen_on = _day(form.get(f"seen_on.{deliverable}"))
    objections = place_objections(where, seen_on, now.date())
    if objections or seen_on is None:
        return _refused(request, campaign_id, deliverable, form, objections)
    request.app.state.db.write(
        campaign_id,
        lambda tx: commands.place(
            tx, campaign_id, deliverable, where, seen_on, actor=actor, now=now
        ),
    )
    to = f"/campaigns/{campaign_id}/deliverables/{deliverable}"
    return redirect(request, to, text("Kept where the files lie."))


def _refused(
    request: Request,
    campaign_id: str,
    deliverable: str,
    form: Form,
    objections: tuple[Objection, ...],
) -> Response:
    """The page again with what was typed and what is wrong; 409 where the record contradicts."""
    for objection in objections:
        name = "" if objection.field == "verdict" else f"{objection.field}.{deliverable}"
        form.refuse(name, objection.message)
    status = 409 if all(one.contradicts for one in objections) else 422
    return _show(request, campaign_id, deliverable, form, status=status)


def _show(
    request: Request,
    campaign_id: str,
    deliverable: str,
    form: Form,
    *,
    status: int = 200,
    manifest_page: int = 1,
) -> Response:
    now = clock.now()
    base = f"/campaigns/{campaign_id}"
    with request.app.state.db.read() as session:
        frame = _frame(session, campaign_id, now)
        view = plans.current(session, campaign_id)
        standing = _standing(session, campaign_id, deliverable, view)
        left = queries.still_there(session, campaign_id, view, (standing,), now)
        submitted = home = None
        if standing.newest is not None:
            submitted = queries.submitted(session, campaign_id, standing.newest.number)
        if standing.newest is not None and standing.retrieved is not None:
            home = queries.at_home(session, campaign_id, standing.newest)
        history = queries.history(session, campaign_id, deliverable)
    closed = frame.state == "closed"
    where = left.of(deliverable)
    card = views.card(base, standing, closed=closed, today=now.date(), where=where, form=form)
    wanted = promise(view.plan, deliverable) if view is not None else None
    context = views.show(card, wanted, submitted, history, home, manifest_page)
    title = text("{title}", title=standing.title)
    return page(request, "deliverables/show.html", context, frame=frame, status=status, title=title)


def _frame(session: Session, campaign_id: str, now: datetime) -> Frame:
    """The frame around the page; raises `NotFound` for an unknown campaign."""
    frame = timeline.frame(session, campaign_id, now)
    if frame is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id[:64]))
    return frame


def _standing(
    session: Session, campaign_id: str, deliverable: str, view: PlanView | None
) -> DeliverableStanding:
    """One deliverable's standing; raises `NotFound`."""
    found = queries.standings(session, campaign_id, view.plan if view is not None else None)
    one = next((standing for standing in found if standing.id == deliverable), None)
    if one is None:
        raise NotFound(
            text("This campaign has no such deliverable."), allowed=[one.id for one in found]
        )
    return one


def _number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 16 else None


def _day(given: str) -> date | None:
    try:
        return date.fromisoformat(given)
    except ValueError:
        return None
