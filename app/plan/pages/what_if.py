"""`/campaigns/{id}/plan/what-if`: the plan with other figures beside the plan that holds.

Nothing is written until a person makes a draft of it; the address holds everything that is tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from sqlmodel import Session
from starlette.datastructures import QueryParams
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.db import WriteSession
from app.errors import AppError, Malformed
from app.journal import Actor
from app.plan.commands import Saved, judge, save_draft
from app.plan.pages.contexts import Fit, fit_of
from app.plan.pages.forms import offer_options
from app.plan.pages.loading import around, load_open
from app.plan.pages.trying import Asked, asked_of
from app.plan.queries import PlanView, current, placed
from app.plan.rules.drawing import Drawing, draw
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Plan, Role, Step, StepClass
from app.plan.rules.scheduled import Schedule
from app.plan.rules.spans import hours_said
from app.plan.rules.typed.fields import Option
from app.plan.rules.what_if import left_out, total_minor, tried
from app.texts import Text, text
from app.units import Money
from app.web import Form, page, read_form, redirect

router = APIRouter()


@dataclass(frozen=True, slots=True)
class TriedStep:
    """One step with its estimate, as it is and as it is tried."""

    id: str
    title: str
    klass: str | None
    p50_s: int | None
    typed: str
    error: Text | None
    out: bool
    taken_along: bool
    is_exploratory: bool
    included: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two plans: what it is called, whether it fits, its end and price."""

    name: Text
    fit: Fit
    end_s: int | None
    price: Money | None
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhatIfPage:
    """The form with what is tried, and both plans side by side."""

    campaign_id: str
    path: str
    steps: tuple[TriedStep, ...]
    offers: tuple[Option, ...]
    offer: str
    lots: str
    added_title: str
    added_p50: str
    errors: tuple[tuple[str | None, Text], ...]
    added_error: Text | None
    lots_error: Text | None
    empty: Text | None
    sides: tuple[Side, ...]
    end_said: Text | None
    drawing: Drawing | None
    changes_anything: bool
    is_open: bool
    query: str


@router.get("/campaigns/{campaign_id}/plan/what-if")
def show(request: Request, campaign_id: str) -> Response:
    """The form and the result, or for htmx the result alone."""
    with request.app.state.db.read() as session:
        frame = around(session, campaign_id)
        view = current(session, campaign_id)
        assert view is not None
        asked = asked_of(view.plan, request.query_params)
        shown = _page(session, request, view, asked, is_open=frame.state != "closed")
    title = text("What if?")
    partial = request.headers.get("hx-request-type") == "partial"
    block = "result" if partial else None
    return page(request, "plan/what-if.html", shown, frame=frame, title=title, block=block)


@router.post("/campaigns/{campaign_id}/plan/what-if")
def take_over(
    request: Request,
    campaign_id: str,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Make what was tried the draft; what is sealed stays, and a seal of its own follows."""
    load_open(request, campaign_id)
    now = clock.now()
    with request.app.state.db.read() as session:
        view = current(session, campaign_id)
    assert view is not None
    asked = asked_of(view.plan, QueryParams(form.get("query")))
    if asked.errors:
        raise Malformed(next(iter(asked.errors.values())), field=next(iter(asked.errors)))
    plan = tried(view.plan, asked.trial)
    with request.app.state.db.read() as session:
        judge(session, plan)

    def command(tx: WriteSession) -> Saved | AppError:
        return save_draft(tx, plan, revision=None, replace=True, actor=actor, now=now)

    request.app.state.db.write(campaign_id, command)
    said = text("The draft is now what you tried. Nothing is sealed yet.")
    return redirect(request, f"/campaigns/{campaign_id}/plan/draft", said)


def _named(view: PlanView, name: str, said: Text) -> Text:
    """A refusal with the field that it is about."""
    if name == "lots":
        return text("{field}: {why}", field=text("Lots of it"), why=said)
    if name == "added_p50":
        return text("{field}: {why}", field=text("Its P50"), why=said)
    step = view.step(name.partition(".")[2])
    return text("{field}: {why}", field=step.title if step else name, why=said)


def _page(
    session: Session, request: Request, view: PlanView, asked: Asked, *, is_open: bool
) -> WhatIfPage:
    trial = asked.trial
    plan = tried(view.plan, trial)
    lots, made = placed(session, plan)
    gone = left_out(view.plan.steps, trial.out)
    before = _side(_name(view), view, ())
    after = _side(
        text("As tried"), _with(view, plan, lots.windows, made, lots.problems), _titles(view, gone)
    )
    return WhatIfPage(
        campaign_id=view.campaign_id,
        path=f"/campaigns/{view.campaign_id}/plan/what-if",
        steps=tuple(_step(step, asked, gone) for step in view.plan.steps),
        offers=(("", text("The lots of the plan")), *offer_options(session)[1:]),
        offer=trial.offer or "",
        lots=asked.typed.get("lots", "1"),
        added_title=asked.typed.get("added_title", ""),
        added_p50=asked.typed.get("added_p50", ""),
        errors=tuple(
            (f"f-{name.replace('.', '-')}", _named(view, name, said))
            for name, said in asked.errors.items()
        ),
        lots_error=asked.errors.get("lots"),
        empty=_empty(plan),
        added_error=asked.errors.get("added_p50"),
        sides=(before, after),
        end_said=_ends(view.schedule.end_min, made.end_min),
        drawing=draw(plan.steps, lots.windows, made),
        changes_anything=plan != view.plan,
        is_open=is_open,
        query=urlencode(list(request.query_params.multi_items())),
    )


def _side(name: Text, view: PlanView, gone: tuple[str, ...]) -> Side:
    """One of the two plans; what finds no room is left out too."""
    fit = fit_of(view.schedule, view)
    return Side(
        name,
        fit,
        _end(view.schedule.end_min),
        _price(view.windows),
        (*gone, *(title for title, _ in fit.dropped)),
    )


def _titles(view: PlanView, ids: frozenset[str]) -> tuple[str, ...]:
    return tuple(step.title for step in view.plan.steps if step.id in ids)


def _empty(plan: Plan) -> Text | None:
    """That nothing is left which could answer the question."""
    roles = {step.role for step in plan.steps}
    if Role.VARIANT in roles or Role.CONTROL in roles:
        return None
    return text("No control and no variant is left: this plan answers nothing.")


def _step(step: Step, asked: Asked, gone: frozenset[str]) -> TriedStep:
    stated = step.p50_s is not None or step.parts is not None
    included = asked.trial.included
    exploratory = step.klass is StepClass.EXPLORATORY
    return TriedStep(
        id=step.id,
        title=step.title,
        klass=None if step.klass is StepClass.ESSENTIAL else str(step.klass),
        p50_s=step.estimate_s() if stated else None,
        typed=asked.typed.get(f"p50.{step.id}", ""),
        error=asked.errors.get(f"p50.{step.id}"),
        out=step.id in asked.trial.out,
        taken_along=step.id in gone and step.id not in asked.trial.out,
        is_exploratory=exploratory,
        included=step.include if included is None else step.id in included,
    )


def _with(
    view: PlanView,
    plan: Plan,
    windows: tuple[LotWindow, ...],
    schedule: Schedule,
    problems: tuple[Text, ...],
) -> PlanView:
    """The view of a plan that is only tried."""
    return replace(view, plan=plan, windows=windows, lot_problems=problems, schedule=schedule)


def _name(view: PlanView) -> Text:
    if view.version:
        return text("Sealed version {n}", n=view.version)
    return text("The draft as it stands")


def _end(minutes: int | None) -> int | None:
    return None if minutes is None else minutes * 60


def _price(windows: tuple[LotWindow, ...]) -> Money | None:
    minor, currency = total_minor(windows)
    return None if minor is None or currency is None else Money(minor, currency)


def _ends(before: int | None, after: int | None) -> Text | None:
    """By how much what is tried ends earlier or later."""
    if before is None or after is None:
        return None
    if after == before:
        return text("Ends at the same hour.")
    if after < before:
        return text("Ends {time} earlier.", time=hours_said(before - after))
    return text("Ends {time} later.", time=hours_said(after - before))
