"""The plan as JSON: its schedule in hours, and the seal."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query, Request
from pydantic import BaseModel, ConfigDict

from app import clock
from app.accounts import access
from app.db import WriteSession
from app.errors import AppError, NotFound
from app.journal import Actor
from app.offers.queries import catalogue
from app.plan.commands import Sealed, prepare, seal
from app.plan.queries import PlanView, current, draft, sealed
from app.plan.rules.comparing import alternatives, chances
from app.plan.rules.facts import compared, in_hours
from app.texts import text
from app.units import instant_text

router = APIRouter(prefix="/api/v1", tags=["plan"])


class PlacedStep(BaseModel):
    """One bar: hours as decimal strings from the start of the first lot."""

    id: str
    start_hours: str
    end_hours: str
    lane: str


class WouldFitOut(BaseModel):
    """An exploratory step that is not included, and by how much the plan would overrun with it."""

    id: str
    over_hours: str


class ScheduleOut(BaseModel):
    """The schedule; hours are decimal strings, null where there is none to state."""

    end_hours: str | None
    window_hours: str | None
    fits: bool
    uncommitted_hours: str | None
    exceeds_hours: str | None
    lower_bound_hours: str | None
    proof: str | None
    dropped: list[str]
    may_be_dropped: list[str]
    would_fit: list[WouldFitOut]
    steps: list[PlacedStep]


class PlanOut(BaseModel):
    """A plan's version with its schedule; a draft has version 0 and no hash."""

    version: int
    sha256: str | None
    sealed_at: str | None
    schedule: ScheduleOut


class AlternativeOut(BaseModel):
    """The plan in lots of one offer; hours are decimal strings, null where nothing can be said.

    `fit_in_100`: in how many of 100 draws it would fit, from 1 to 99; null without a spread.
    """

    offer: str
    lots: int
    price: str | None
    currency: str | None
    end_hours: str | None
    fits: bool | None
    uncommitted_hours: str | None
    exceeds_hours: str | None
    dropped: list[str]
    fit_in_100: int | None


class AlternativesOut(BaseModel):
    """All packages in the order of the catalogue."""

    alternatives: list[AlternativeOut]


class SealIn(BaseModel):
    """Why there is another version; needed from version 2 on."""

    model_config = ConfigDict(extra="forbid")

    reason: str | None = None


class SealOut(BaseModel):
    """The sealed version and its hash."""

    version: int
    sha256: str


Person = Annotated[Actor, Depends(access.person)]


@router.get("/campaigns/{campaign_id}/plan")
def show_plan(
    request: Request,
    campaign_id: str,
    _person: Person,
    version: Annotated[int | None, Query(ge=0, description="0 is the draft.")] = None,
) -> PlanOut:
    """The newest sealed version, else the draft; or the version that is asked for."""
    with request.app.state.db.read() as session:
        if version is None:
            view = current(session, campaign_id)
        else:
            view = sealed(session, campaign_id, version) if version else draft(session, campaign_id)
    if view is None:
        raise NotFound(text("There is no such plan of the campaign {id}.", id=campaign_id))
    return PlanOut(
        version=view.version,
        sha256=view.sha256,
        sealed_at=instant_text(view.sealed_at) if view.sealed_at else None,
        schedule=ScheduleOut.model_validate(in_hours(view.schedule)),
    )


@router.get("/campaigns/{campaign_id}/plan/compare")
def compare_packages(request: Request, campaign_id: str, _person: Person) -> AlternativesOut:
    """The plan that holds now in one, two and three lots of each offer."""
    with request.app.state.db.read() as session:
        view, offers = current(session, campaign_id), catalogue(session)
    if view is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    found = alternatives(view.plan, offers)
    odds = chances(view.plan, offers)
    return AlternativesOut(
        alternatives=[
            AlternativeOut.model_validate(compared(one, chance))
            for one, chance in zip(found, odds, strict=True)
        ]
    )


@router.post(
    "/campaigns/{campaign_id}/seal",
    responses={
        409: {"description": "Nothing differs from the newest version, or the draft moved."},
        422: {"description": "The plan contradicts itself, or the reason is missing."},
    },
)
def seal_plan(
    request: Request,
    campaign_id: str,
    actor: Person,
    body: Annotated[SealIn | None, Body()] = None,
) -> SealOut:
    """Seal the draft as the next version."""
    now = clock.now()
    prepared = prepare(_draft(request, campaign_id), now)
    reason = body.reason if body else None

    def command(tx: WriteSession) -> Sealed | AppError:
        return seal(tx, prepared, reason=reason, actor=actor, now=now)

    done = request.app.state.db.write(campaign_id, command)
    assert isinstance(done, Sealed)
    return SealOut(version=done.version, sha256=done.sha256)


def _draft(request: Request, campaign_id: str) -> PlanView:
    with request.app.state.db.read() as session:
        view = draft(session, campaign_id)
    if view is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return view
