"""Editing the lists of a plan, each as the rows of one form; its buttons work without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from app.accounts import access
from app.errors import Conflict, NotFound
from app.journal import Actor
from app.plan.pages.contexts import Fit
from app.plan.pages.forms import (
    MenuEntry,
    document_of,
    field_names,
    fit_of_plan,
    flat,
    kept,
    offer_options,
    revision_of,
    step_options,
    summary,
    with_options,
)
from app.plan.pages.loading import Loaded, load_open
from app.plan.queries import PlanView, placed
from app.plan.rules.answer import plan_answer
from app.plan.rules.model import Plan
from app.plan.rules.typed.editing import Edited, edited, shown
from app.plan.rules.typed.fields import Field
from app.plan.rules.typed.judging import judged
from app.plan.rules.typed.reading import Question
from app.plan.rules.typed.rows import Row, act, is_act, numbered, place_of
from app.plan.rules.typed.sections import BY_SLUG, SECTIONS, Section
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter()


@dataclass(frozen=True, slots=True)
class SectionPage:
    """The form of one list, as typed, with what is wrong and how the plan would fit."""

    campaign_id: str
    revision: int
    section: Section
    fields: tuple[Field, ...]
    columns: int
    rows: tuple[Row, ...]
    blank: Row
    errors: Mapping[str, Text]
    summary: tuple[tuple[str | None, Text], ...]
    questions: Mapping[str, Question]
    fit: Fit | None
    moved: Text | None
    menu: tuple[MenuEntry, ...]
    zone: str
    currency: str
    from_parts: Mapping[str, int]


@router.get("/campaigns/{campaign_id}/plan/edit")
def edit(campaign_id: str) -> Response:
    """Editing begins with the steps."""
    return RedirectResponse(f"/campaigns/{campaign_id}/plan/edit/steps", 303)


@router.get("/campaigns/{campaign_id}/plan/edit/{slug}")
def edit_section(request: Request, campaign_id: str, slug: str) -> Response:
    """The form of one list as the draft has it."""
    section = _section(slug)
    loaded = load_open(request, campaign_id)
    document = document_of(loaded.draft)
    as_it_is = Edited(document, shown(document, section) or [dict(section.blank)])
    return _page(request, loaded, section, as_it_is)


@router.post("/campaigns/{campaign_id}/plan/edit/{slug}")
def save_section(
    request: Request,
    campaign_id: str,
    slug: str,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """One button of the form: rows moved or added come back as typed; saving keeps them."""
    section = _section(slug)
    loaded = load_open(request, campaign_id)
    revision = revision_of(form, loaded.draft)
    action = form.get("action")
    typed = numbered(flat(form), section.key)
    if is_act(action, section.key):
        rows = act(typed, action, section.key, section.blank)
        unsaved = edited(document_of(loaded.draft), section, rows)
        return _page(request, loaded, section, unsaved, rows=rows, revision=revision)
    done = edited(document_of(loaded.draft), section, typed)
    plan = judged(done.document, _names(section, len(done.rows)))
    if done.errors or not isinstance(plan, Plan):
        if not isinstance(plan, Plan):
            done.errors = {**plan, **done.errors}
        return _page(request, loaded, section, done, revision=revision, status=422)
    saved = kept(request, plan, revision, actor)
    if isinstance(saved, Conflict):
        return _page(request, loaded, section, done, moved=saved, status=409)
    opened = action.removeprefix("open:") if action.startswith("open:") else ""
    at = place_of(done.rows, opened)
    return _on(request, campaign_id, section, plan, None if at is None else plan.steps[at].id)


def menu_of(campaign_id: str, view: PlanView, here: str) -> tuple[MenuEntry, ...]:
    """The forms of a plan, with how much stands in each."""
    counts = {section.slug: len(getattr(view.plan, section.key)) for section in SECTIONS}
    base = f"/campaigns/{campaign_id}/plan/edit"
    return tuple(
        MenuEntry(one.title, f"{base}/{one.slug}", one.slug == here, counts[one.slug])
        for one in SECTIONS
    )


def _on(
    request: Request, campaign_id: str, section: Section, plan: Plan, step_id: str | None
) -> Response:
    """Where a saved form leads: to a step's own page when its button asked, else back here."""
    here = f"/campaigns/{campaign_id}/plan/edit/{section.slug}"
    if step_id is not None:
        return redirect(request, f"{here}/{step_id}", text("Saved."))
    lots, made = placed(plan)
    said = text("Saved. {answer}.", answer=plan_answer(made, lots.windows))
    return redirect(request, here, said)


def _page(
    request: Request,
    loaded: Loaded,
    section: Section,
    done: Edited,
    *,
    rows: list[Row] | None = None,
    revision: int | None = None,
    moved: Conflict | None = None,
    status: int = 200,
) -> Response:
    view, shown_rows = loaded.draft, done.rows if rows is None else rows
    plan = judged(done.document, ()) if rows is not None or moved is not None else None
    at = moved.extra["revision"] if moved is not None else revision
    context = SectionPage(
        campaign_id=view.campaign_id,
        revision=at if isinstance(at, int) else view.revision or 0,
        section=section,
        fields=_fields(section, view.plan),
        columns=len(section.fields) + 2,
        rows=tuple(_filled(section, row) for row in shown_rows),
        blank=_filled(section, dict(section.blank)),
        errors=done.errors if status == 422 else {},
        summary=summary(done.errors) if status == 422 else (),
        questions=done.questions,
        fit=fit_of_plan(view, plan) if isinstance(plan, Plan) else None,
        moved=moved.detail if moved is not None else None,
        menu=menu_of(view.campaign_id, view, section.slug),
        zone=view.plan.zone,
        currency=view.plan.currency,
        from_parts={
            step.id: step.parts.total_s() for step in view.plan.steps if step.parts is not None
        },
    )
    title = text("Edit the plan: {section}", section=section.title)
    template = "plan/steps.html" if section.key == "steps" else "plan/section.html"
    return page(request, template, context, frame=loaded.frame, title=title, status=status)


def _fields(section: Section, plan: Plan) -> tuple[Field, ...]:
    match section.key:
        case "lots":
            return with_options(section.fields, {"offer": offer_options()})
        case "decision_points":
            points = step_options(plan, kind="decision_point")
            return with_options(section.fields, {"step": points})
        case "stop_rules":
            return with_options(section.fields, {"steps": step_options(plan, kind="machine")})
        case _:
            return section.fields


def _filled(section: Section, row: Row) -> Row:
    """A row with every field of its form, so that the template need not ask."""
    return {"was": "", **{field.name: "" for field in section.fields}, **row}


def _names(section: Section, count: int) -> set[str]:
    return field_names((f"{section.key}.{number}" for number in range(count)), section.fields)


def _section(slug: str) -> Section:
    if slug not in BY_SLUG:
        raise NotFound(text("A plan has no part {name}.", name=slug), allowed=list(BY_SLUG))
    return BY_SLUG[slug]
