"""JSON for deliverables: submissions that clients post, where each stands, words of people."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import JSONResponse

from app import clock
from app.accounts import access
from app.campaigns import queries as campaigns
from app.deliverables import commands, queries
from app.deliverables.api.answers import (
    checks_said,
    item,
    loss_said,
    pending_said,
    plain,
    verdict_said,
)
from app.deliverables.api.bodies import LossBody, SubmissionBody, VerdictBody, submission_of
from app.deliverables.rules.announced import promise
from app.deliverables.rules.objection import Objection
from app.deliverables.rules.submission import prepared
from app.errors import Forbidden, Malformed, NotFound
from app.journal import Actor
from app.plan import queries as plans
from app.texts import text

router = APIRouter(prefix="/api/v1", tags=["deliverables"])


@router.post("/deliverables/{deliverable}/submissions", status_code=201)
def submit(
    request: Request,
    deliverable: str,
    body: Annotated[SubmissionBody, Body()],
    campaign: Annotated[str | None, Query(max_length=64)] = None,
) -> JSONResponse:
    """Submit a deliverable with its evidence (job token, or a person with `?campaign=`).

    201 with its new state, 200 for a repetition; 409 for a run that did not complete.
    """
    campaign_id, actor = _sender(request, campaign)
    found = prepared(submission_of(deliverable, body))
    if isinstance(found, Objection):
        raise Malformed(found.message, field=found.field)
    act = commands.retrieve if found.retrieved else commands.submit
    now = clock.now()
    answer = request.app.state.db.write(
        campaign_id, lambda tx: act(tx, campaign_id, found, actor=actor, now=now)
    )
    said = {
        "state": answer.state,
        "reason": plain(answer.reason),
        "duplicate": answer.duplicate,
        "retrieved": answer.retrieved,
        "head": {"number": answer.head.number, "sha256": answer.head.sha256},
    }
    return JSONResponse(said, 200 if answer.duplicate else 201)


@router.get("/campaigns/{campaign_id}/deliverables")
def index(request: Request, campaign_id: str) -> dict[str, object]:
    """Every deliverable of a campaign and where it stands."""
    access.person(request)
    with request.app.state.db.read() as session:
        if campaigns.header(session, campaign_id) is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id[:64]))
        view = plans.current(session, campaign_id)
        found = queries.standings(session, campaign_id, view.plan if view is not None else None)
        left = queries.still_there(session, campaign_id, view, found, clock.now())
    items = [item(standing, left.of(standing.id)) for standing in found]
    return {"items": items, "retrieval": pending_said(left), "next": None}


@router.get("/campaigns/{campaign_id}/deliverables/{deliverable}")
def show(request: Request, campaign_id: str, deliverable: str) -> dict[str, object]:
    """One deliverable with the evidence of its newest submission, check by check, and with what
    was found where it was retrieved to."""
    access.person(request)
    with request.app.state.db.read() as session:
        view = plans.current(session, campaign_id)
        plan = view.plan if view is not None else None
        found = queries.standings(session, campaign_id, plan)
        one = next((standing for standing in found if standing.id == deliverable), None)
        if one is None:
            raise NotFound(
                text("This campaign has no such deliverable."), allowed=[item.id for item in found]
            )
        left = queries.still_there(session, campaign_id, view, found, clock.now())
        number = one.newest.number if one.newest is not None else 0
        made = queries.submitted(session, campaign_id, number)
        home = queries.at_home(session, campaign_id, made.line) if made is not None else None
    wanted = promise(plan, deliverable) if plan is not None else None
    checks = wanted.checks if wanted is not None else ()
    return {
        **item(one, left.of(one.id)),
        "evidence": checks_said(checks, made.results, made.line) if made is not None else [],
        "at_home": checks_said(checks, home.results, home.line) if home is not None else [],
    }


@router.post("/campaigns/{campaign_id}/deliverables/{deliverable}/lost", status_code=201)
def lose(
    request: Request, campaign_id: str, deliverable: str, body: Annotated[LossBody, Body()]
) -> dict[str, object]:
    """Say as a person that the newest submission's files are lost; a later proof settles it."""
    actor, now = access.person(request), clock.now()
    lost = request.app.state.db.write(
        campaign_id,
        lambda tx: commands.lose(
            tx, campaign_id, deliverable, body.reason,
            actor=actor, now=now, submission=body.submission,
        ),
    )  # fmt: skip
    return loss_said(lost)


@router.post("/campaigns/{campaign_id}/deliverables/{deliverable}/verdicts", status_code=201)
def judge(
    request: Request, campaign_id: str, deliverable: str, body: Annotated[VerdictBody, Body()]
) -> dict[str, object]:
    """Accept or reject the newest submission as a person; a rejection needs its reason."""
    actor = access.person(request)
    now = clock.now()
    verdict = request.app.state.db.write(
        campaign_id,
        lambda tx: commands.judge(
            tx, campaign_id, deliverable, body.verdict, body.reason or "",
            actor=actor, now=now, submission=body.submission,
        ),
    )  # fmt: skip
    return verdict_said(verdict)


def _sender(request: Request, campaign: str | None) -> tuple[str, Actor]:
    """Whose campaign a submission goes to, and who sends it."""
    job = access.job(request)
    if job is not None:
        if campaign is not None and campaign != job.campaign_id:
            raise Forbidden(text("This token belongs to another campaign."))
        return job.campaign_id, Actor("job", job.name)
    if campaign is None:
        message = text("Without a job token the address needs ?campaign= and its id.")
        raise Malformed(message, field="campaign")
    return campaign, access.person(request)
