"""Runs for people and scripts: the list, people's time, and what a person says of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from fastapi import APIRouter, Query, Request, Response
from sqlmodel import Session

from app import clock
from app.accounts.access import person
from app.campaigns.queries import header
from app.errors import Malformed, NotFound
from app.plan.queries import PlanView, current
from app.runs import commands, queries
from app.runs.api.documents import PROBLEMS
from app.runs.api.models import (
    LateEntryItem,
    LateItem,
    LateRun,
    ReasonBody,
    RunDetail,
    RunItem,
    RunList,
    TimeAnswer,
    TimeBody,
)
from app.runs.rules.remarks import suspiciously_short
from app.texts import Text, text
from app.units import UnitError, parse_instant

router = APIRouter(tags=["runs"])
ENTRIES: Final = 500
"""So many entries of the journal are named of a run that has no other record, the newest."""
_ARCHIVED: Final[dict[int | str, dict[str, Any]]] = {410: PROBLEMS[410]}


@router.get("/campaigns/{campaign_id}/runs")
def listed(
    request: Request,
    campaign_id: str,
    after: str = Query("", max_length=64, description="the id to go on after"),
    limit: int = Query(100, ge=1, le=500),
    archived: bool | None = Query(None, description="only those put away, or only the others"),
) -> RunList:
    """A campaign's runs with their attempts, by their first event."""
    person(request)
    with request.app.state.db.read() as session:
        head = header(session, campaign_id)
        if head is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id))
        plan, at = current(session, campaign_id), head.closed_at or clock.now()
        found = queries.page_of_runs(
            session, campaign_id, at, after=after, limit=limit, archived=archived
        )
    items = [
        _marked(RunItem.model_validate(run, from_attributes=True), plan) for run in found.items
    ]
    return RunList(items=items, next=found.next)


@router.get("/campaigns/{campaign_id}/runs/{run_id}")
def one(request: Request, campaign_id: str, run_id: str) -> RunDetail | LateRun:
    """One run with its attempts; of one first heard of after the close, what came late."""
    person(request)
    with request.app.state.db.read() as session:
        head = header(session, campaign_id)
        at = (head.closed_at if head is not None else None) or clock.now()
        found = queries.run_of(session, campaign_id, run_id, at)
        late = queries.came_late(session, campaign_id, run_id)
        came = [LateItem.model_validate(one, from_attributes=True) for one in late]
        if found is None:
            if not late:
                raise NotFound(text("There is no run {run} here.", run=run_id))
            entries = _entries(session, campaign_id, run_id)
            return LateRun(id=run_id, came_late=came, entries=entries)
        plan = current(session, campaign_id)
    item = _marked(RunItem.model_validate(found, from_attributes=True), plan)
    return RunDetail(**dict(item), came_late=came)


def _entries(session: Session, campaign_id: str, run_id: str) -> list[LateEntryItem]:
    """The journal's newest entries about what came late of a run."""
    found = queries.late_entries(session, campaign_id, run_id, ENTRIES)
    return [LateEntryItem.model_validate(one, from_attributes=True) for one in found]


def _marked(item: RunItem, plan: PlanView | None) -> RunItem:
    """The run with what the plan has to say of it."""
    step = plan.step(item.step) if plan is not None and item.step is not None else None
    p50_s = step.estimate_s() if step is not None else None
    item.suspiciously_short = suspiciously_short(item.status, item.machine_s, p50_s)
    return item


@router.post(
    "/campaigns/{campaign_id}/steps/{step}/time",
    status_code=201,
    responses={200: {"model": TimeAnswer, "description": "logged so before"}},
)
def log_time(
    request: Request, response: Response, campaign_id: str, step: str, body: TimeBody
) -> TimeAnswer:
    """Log time that a person spent on a step; the same start with an end ends what goes on."""
    actor, now = person(request), clock.now()
    started_at = _instant("started_at", body.started_at)
    ended_at = None if body.ended_at is None else _instant("ended_at", body.ended_at)
    logged = request.app.state.db.write(
        campaign_id,
        lambda tx: commands.log_time(
            tx, campaign_id, step, started_at, ended_at, body.note, actor=actor, now=now
        ),
    )
    response.status_code = 201 if logged.is_new else 200
    return TimeAnswer(number=logged.number, step=step, started_at=started_at, ended_at=ended_at)


@router.post(
    "/campaigns/{campaign_id}/runs/{run_id}/ask-to-stop", status_code=204, responses=_ARCHIVED
)
def ask_to_stop(request: Request, campaign_id: str, run_id: str, body: ReasonBody) -> Response:
    """Have the next answer ask the job to stop."""
    return _say(request, campaign_id, run_id, body, commands.ask_to_stop)


@router.post(
    "/campaigns/{campaign_id}/runs/{run_id}/mark-lost", status_code=204, responses=_ARCHIVED
)
def mark_lost(request: Request, campaign_id: str, run_id: str, body: ReasonBody) -> Response:
    """Write that a silent run is lost."""
    return _say(request, campaign_id, run_id, body, commands.mark_lost)


@router.post(
    "/campaigns/{campaign_id}/runs/{run_id}/mark-stopped", status_code=204, responses=_ARCHIVED
)
def mark_stopped(request: Request, campaign_id: str, run_id: str, body: ReasonBody) -> Response:
    """Write that a silent run was stopped outside of the record."""
    return _say(request, campaign_id, run_id, body, commands.mark_stopped)


@router.post("/campaigns/{campaign_id}/runs/{run_id}/archive", status_code=204)
def archive(request: Request, campaign_id: str, run_id: str, body: ReasonBody) -> Response:
    """Put a run away that does not go on; it counts as before, and takes no new events."""
    return _say(request, campaign_id, run_id, body, commands.archive)


@router.post("/campaigns/{campaign_id}/runs/{run_id}/bring-back", status_code=204)
def bring_back(request: Request, campaign_id: str, run_id: str, body: ReasonBody) -> Response:
    """Bring an archived run back; the reason may be empty."""
    return _say(request, campaign_id, run_id, body, commands.bring_back)


def _say(
    request: Request, campaign_id: str, run_id: str, body: ReasonBody, act: commands.Act
) -> Response:
    actor, now = person(request), clock.now()
    request.app.state.db.write(
        campaign_id, lambda tx: act(tx, campaign_id, run_id, body.reason, actor=actor, now=now)
    )
    return Response(status_code=204)


def _instant(field: str, said: str) -> datetime:
    try:
        return parse_instant(said)
    except UnitError as error:
        reason = Text(error.msgid, error.params)
        raise Malformed(
            text("{field}: {reason}", field=field, reason=reason), field=field
        ) from None
