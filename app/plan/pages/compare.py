"""`/campaigns/{id}/plan/compare`: the plan in every lot on offer, once, twice and three times.

How often each would fit takes longer to say, so it comes as a second block.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.budget.queries import committed_of, limits_of
from app.budget.rules import warns
from app.offers.queries import catalogue
from app.offers.rules import Offer
from app.plan.pages.loading import around
from app.plan.queries import PlanView, current
from app.plan.rules.boxes import Box, boxes
from app.plan.rules.chance import Chance, in_100
from app.plan.rules.comparing import Alternative, alternatives, chances
from app.plan.rules.model import Plan
from app.plan.rules.scheduled import Schedule
from app.plan.rules.spans import hours_said
from app.texts import Text, ntext, text
from app.units import Money
from app.web import page

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Line:
    """One alternative as a row; `why` stands where it could not be placed."""

    key: str
    name: Text
    lots: Text
    price: Money | None
    over: Text | None
    why: Text | None
    tone: str
    fit: Text | None
    end_s: int | None
    box: Box | None
    dropped: tuple[str, ...]
    marks: tuple[Text, ...]
    changes: tuple[Text, ...]
    chance: Text | None
    try_href: str


@dataclass(frozen=True, slots=True)
class ComparePage:
    """All alternatives; `with_chances`: how often each would fit is said too."""

    campaign_id: str
    lines: tuple[Line, ...]
    with_chances: bool
    no_spread: bool
    asks_elsewhere: bool
    href: str


@router.get("/campaigns/{campaign_id}/plan/compare")
def show(request: Request, campaign_id: str, chances: Annotated[bool, Query()] = False) -> Response:
    """The comparison, or for htmx its table with the chances."""
    with request.app.state.db.read() as session:
        frame = around(session, campaign_id)
        view = current(session, campaign_id)
        offers = catalogue(session)
        limits, committed = limits_of(session, campaign_id), committed_of(session, campaign_id)
    assert view is not None
    over = functools.partial(warns, limits, committed)
    partial = request.headers.get("hx-request-type") == "partial"
    shown = compare_page(view, offers, over, with_chances=chances, is_open=frame.state != "closed")
    title = text("Compare packages")
    block = "alternatives" if partial else None
    return page(request, "plan/compare.html", shown, frame=frame, title=title, block=block)


def compare_page(
    view: PlanView,
    offers: tuple[Offer, ...],
    over: Callable[[Money], Text | None],
    *,
    with_chances: bool,
    is_open: bool,
) -> ComparePage:
    """Everything the page shows, for the plan that holds now; `over` is what a budget has to say of
    a price."""
    plan = view.plan
    found = alternatives(plan, offers)
    drawn = boxes([_span(one) for one in found])
    odds = chances(plan, offers) if with_chances else (None,) * len(found)
    return ComparePage(
        campaign_id=view.campaign_id,
        lines=tuple(
            _line(view, plan, over, *parts) for parts in zip(found, drawn, odds, strict=True)
        ),
        with_chances=with_chances,
        no_spread=with_chances and not any(odds),
        asks_elsewhere=is_open and plan.variants_elsewhere is None,
        href=f"/campaigns/{view.campaign_id}/plan/compare?chances=yes",
    )


def _span(one: Alternative) -> tuple[int, int] | None:
    """The window and the end of the plan in minutes, where both are known."""
    schedule = one.schedule
    if schedule is None or schedule.window_min is None or schedule.end_min is None:
        return None
    return schedule.window_min, schedule.end_min


def _line(
    view: PlanView,
    plan: Plan,
    over: Callable[[Money], Text | None],
    one: Alternative,
    box: Box | None,
    odds: Chance | None,
) -> Line:
    titles = {step.id: step.title for step in plan.steps}
    offer, schedule = one.offer, one.schedule
    return Line(
        key=f"{offer.id}-{one.lots}".replace("/", "-"),
        name=_name(offer),
        lots=ntext("{n} lot", "{n} lots", one.lots),
        price=one.price,
        over=over(one.price) if one.price is not None else None,
        why=one.why,
        tone="open" if schedule is None else "fits" if schedule.fits else "exceeds",
        fit=None if schedule is None else _fit(schedule),
        end_s=None if schedule is None or schedule.end_min is None else schedule.end_min * 60,
        box=box,
        dropped=tuple(titles[left.id] for left in schedule.dropped) if schedule else (),
        marks=_marks(one),
        changes=one.changes,
        chance=in_100(odds) if odds is not None else None,
        try_href=(
            f"/campaigns/{view.campaign_id}/plan/what-if?offer={quote(offer.id)}&lots={one.lots}"
        ),
    )


def _name(offer: Offer) -> Text:
    """The offer in a few words; what it does not state is said."""
    words = {"provider": offer.provider, "gpus": offer.gpus, "gpu": offer.gpu}
    if offer.hours is None:
        return text("{provider}: {gpus} × {gpu}, duration not stated", **words)
    length = hours_said(offer.hours * 60)
    return text("{provider}: {gpus} × {gpu} for {length}", length=length, **words)


def _fit(schedule: Schedule) -> Text:
    if schedule.fits and schedule.uncommitted_min is not None:
        return text("fits, {free} uncommitted", free=hours_said(schedule.uncommitted_min))
    if schedule.exceeds_min is not None:
        return text("exceeds by {over}", over=hours_said(schedule.exceeds_min))
    if schedule.proof is not None:
        return schedule.proof
    return schedule.problems[0] if schedule.problems else text("no plan found")


def _marks(one: Alternative) -> tuple[Text, ...]:
    """What an alternative is the cheapest for; the smaller one is a reduced protocol."""
    if one.holds_all:
        return (text("Cheapest that holds everything"),)
    if one.holds_essential:
        return (
            text("Cheapest that holds the essential part: a reduced protocol that still answers"),
        )
    return ()
