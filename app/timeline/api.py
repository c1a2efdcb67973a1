"""`GET /api/v1/campaigns/{id}/timeline`: planned, actual and forecast of each step."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from app import clock
from app.accounts import access
from app.errors import NotFound
from app.journal import Actor
from app.texts import text
from app.timeline.queries import TimelineView, timeline
from app.timeline.rules.facts import Facts, Stretch
from app.timeline.rules.lines import StepLine
from app.units import hours_text, instant_text

router = APIRouter(prefix="/api/v1", tags=["timeline"])


class SpanOut(BaseModel):
    """Hours from hour 0 as decimal strings, and the instants where hour 0 has a date."""

    start_hours: str
    end_hours: str
    starts_at: str | None
    ends_at: str | None


class ActualOut(SpanOut):
    """One observed span: an attempt of a run, or a person's time (no run).

    `machine_hours` is the attempt's machine time as the runs have it, up to its last sign; null
    for a person's time.
    """

    machine_hours: str | None
    run: str | None
    attempt: int | None
    kind: str
    open: bool
    reason: str | None


class StepOut(BaseModel):
    """A step against its plan; `is_forecast` says that the differences are not yet observed."""

    id: str
    step: str
    title: str
    state: str
    lane: str
    planned: SpanOut | None
    actual: list[ActualOut]
    forecast: SpanOut | None
    duration_delta_hours: str | None
    end_delta_hours: str | None
    is_forecast: bool


class TimelineOut(BaseModel):
    """The answer in words and hours, and a line for each step."""

    answer: str
    spare_hours: str | None
    zero_at: str | None
    forecast_end_hours: str | None
    steps: list[StepOut]


@router.get("/campaigns/{campaign_id}/timeline")
def show(
    request: Request, campaign_id: str, _person: Annotated[Actor, Depends(access.person)]
) -> TimelineOut:
    """Planned, actual and forecast of every step, with the answer."""
    with request.app.state.db.read() as session:
        view = timeline(session, campaign_id, clock.now())
    if view is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return _out(view)


def _out(view: TimelineView) -> TimelineOut:
    facts = view.facts
    return TimelineOut(
        answer=str(view.answer.text),
        spare_hours=_hours(view.answer.spare_s),
        zero_at=instant_text(facts.zero_at) if facts.zero_at else None,
        forecast_end_hours=_hours(view.ahead.end_s),
        steps=[_step(line, facts) for line in view.lines],
    )


def _step(line: StepLine, facts: Facts) -> StepOut:
    return StepOut(
        id=line.id,
        step=line.step.id,
        title=line.step.title,
        state=line.state,
        lane=line.lane,
        planned=_span(line.planned, facts) if line.planned else None,
        actual=[_actual(one, facts) for one in line.stretches],
        forecast=_span(line.forecast, facts) if line.forecast else None,
        duration_delta_hours=_hours(line.duration_delta_s),
        end_delta_hours=_hours(line.end_delta_s),
        is_forecast=line.is_forecast,
    )


def _span(span: tuple[int, int], facts: Facts) -> SpanOut:
    return SpanOut(
        start_hours=hours_text(span[0]),
        end_hours=hours_text(span[1]),
        starts_at=_at(span[0], facts),
        ends_at=_at(span[1], facts),
    )


def _actual(one: Stretch, facts: Facts) -> ActualOut:
    return ActualOut(
        **_span(facts.span(one), facts).model_dump(),
        machine_hours=_hours(one.machine_s),
        run=one.run,
        attempt=one.attempt or None,
        kind=one.kind,
        open=facts.goes_on(one),
        reason=None if one.reason is None else str(one.reason),
    )


def _at(second: int, facts: Facts) -> str | None:
    at = facts.instant(second)
    return None if at is None else instant_text(at)


def _hours(seconds: int | None) -> str | None:
    return None if seconds is None else hours_text(seconds)
