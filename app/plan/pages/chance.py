"""How often a plan would fit: a part of the plan's page that is drawn in a request of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.errors import NotFound
from app.plan.pages.loading import around, draft_of
from app.plan.queries import PlanView, sealed
from app.plan.rules.chance import Chance, chance, in_100
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Plan
from app.plan.rules.schedule import keep_plan
from app.plan.rules.scheduled import Placement
from app.texts import Text, text
from app.web import page

router = APIRouter()


@dataclass(frozen=True, slots=True)
class ChancePart:
    """The chance as said, with what it assumes; or why there is none.

    Neither `said` nor `none`: it has not been drawn yet, and `href` draws it.
    """

    href: str
    back: str
    said: Text | None = None
    assumes: tuple[Text, ...] = ()
    none: Text | None = None


@router.get("/campaigns/{campaign_id}/plan/draft/chance")
def show_draft(request: Request, campaign_id: str) -> Response:
    """How often the draft would fit."""
    return _page(request, campaign_id, lambda session: draft_of(session, campaign_id))


@router.get("/campaigns/{campaign_id}/plan/versions/{version}/chance")
def show_version(request: Request, campaign_id: str, version: int) -> Response:
    """How often a sealed version would fit."""
    return _page(request, campaign_id, lambda session: sealed(session, campaign_id, version))


def _page(request: Request, campaign_id: str, view_of: Callable[..., PlanView | None]) -> Response:
    with request.app.state.db.read() as session:
        frame = around(session, campaign_id)
        view = view_of(session)
    if view is None:
        raise NotFound(text("There is no such version of this plan."))
    partial = request.headers.get("hx-request-type") == "partial"
    return page(
        request,
        "plan/chance.html",
        drawn_part(view),
        frame=frame,
        title=text("How often it would fit"),
        block="chance" if partial else None,
    )


def chance_part(view: PlanView) -> ChancePart:
    """The part before anything is drawn: a link, or that no spread is stated."""
    base = f"/campaigns/{view.campaign_id}/plan"
    back = f"{base}/draft" if view.version == 0 else f"{base}/versions/{view.version}"
    part = ChancePart(href=f"{back}/chance", back=back)
    there = {bar.step for bar in view.schedule.placements}
    if not view.windows or view.schedule.end_min is None:
        return ChancePart(
            part.href, back, none=text("Without a whole plan no chance can be worked out.")
        )
    if not any(step.p90_s is not None for step in view.plan.steps if step.id in there):
        none = text("No spread stated: no step in the plan has a P90, so no chance is worked out.")
        return ChancePart(part.href, back, none=none)
    return part


def drawn_part(view: PlanView) -> ChancePart:
    """The part with its figures."""
    part = chance_part(view)
    if part.none is not None:
        return part
    found, order = _drawn(view.plan, view.windows)
    if order != view.schedule.placements:
        none = text("This version was placed in another way than steps are placed today.")
        return ChancePart(part.href, part.back, none=none)
    if found is None:
        return ChancePart(part.href, part.back, none=text("No spread stated"))
    titles = {step.id: step.title for step in view.plan.steps}
    return ChancePart(
        part.href, part.back, said=_said(found), assumes=tuple(_assumed(found, titles))
    )


@functools.lru_cache(maxsize=64)
def _drawn(
    plan: Plan, windows: tuple[LotWindow, ...]
) -> tuple[Chance | None, tuple[Placement, ...]]:
    """The chance of a plan and the placements it was drawn from; the same plan is drawn once."""
    kept = keep_plan(plan, windows)
    return chance(kept, plan.steps), kept.schedule.placements


def _said(found: Chance) -> Text:
    return text("Chance of fitting: {chance}", chance=in_100(found))


def _assumed(found: Chance, titles: dict[str, str]) -> list[Text]:
    """What the figure rests on, in one sentence each."""
    assumed = [
        text(
            "{draws} draws of the durations, common factor {factor} for machine steps.",
            draws=found.draws,
            factor=_figure(found.correlation),
        )
    ]
    if found.end_min_p50 is not None and found.end_min_p80 is not None:
        assumed.append(
            text(
                "Half of them end by hour {half}, 80 in 100 by hour {most}.",
                half=_hour(found.end_min_p50),
                most=_hour(found.end_min_p80),
            )
        )
    if found.fixed:
        names = tuple(titles.get(one, one) for one in found.fixed)
        assumed.append(text("Steps without a P90 count as fixed: {steps}.", steps=names))
    return assumed


def _figure(correlation: float) -> Decimal:
    return Decimal(str(correlation))


def _hour(minutes: int) -> Decimal:
    """An hour of the plan with one decimal."""
    return (Decimal(minutes) / 60).quantize(Decimal("0.1"))
