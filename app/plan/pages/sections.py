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
    offer_options_of,
    revision_of,
    step_options,
    with_options,
)
from app.plan.pages.loading import Loaded, load_open
from app.plan.pages.typed import NOTHING, TypedPart, UndoPart, typed_part, undo_part
from app.plan.queries import PlanView, placed_with
from app.plan.rules.answer import plan_answer
from app.plan.rules.model import Plan
from app.plan.rules.typed.echoing import Echo
from app.plan.rules.typed.editing import Edited, edited, shown
from app.plan.rules.typed.fields import Field
from app.plan.rules.typed.judging import judged, listed
from app.plan.rules.typed.pattern import with_usual_protocol
from app.plan.rules.typed.reading import Question
from app.plan.rules.typed.rows import NUMBER, Row, act, is_act, numbered, place_of, undo_of
from app.plan.rules.typed.sections import BY_SLUG, SECTIONS, STEPS, Section
from app.texts import Text, text
from app.web import Form, page, read_form, reader_of, redirect

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
    typed: TypedPart | None
    undo: UndoPart | None
    nothing: Echo = NOTHING


PATTERN = "pattern"
"""The button that starts a plan without steps from the usual protocol."""

GONE = "gone"
"""The name under which a form carries the row that was removed last."""


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


@router.post("/campaigns/{campaign_id}/plan/edit/fit")
def fit_as_typed(
    request: Request,
    campaign_id: str,
    form: Annotated[Form, Depends(read_form)],
    _actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """What is said of the table of steps as typed; saves nothing."""
    loaded = load_open(request, campaign_id)
    typed = numbered(flat(form), STEPS.key)
    done = edited(document_of(loaded.draft), STEPS, typed)
    revision = revision_of(form, loaded.draft)
    partial = request.headers.get("hx-request-type") == "partial"
    block = "fit" if partial else None
    return _page(request, loaded, STEPS, done, rows=typed, revision=revision, block=block)


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
        return _acted(request, loaded, section, form, typed)
    done = edited(document_of(loaded.draft), section, typed)
    plan = judged(done.document, _names(section, len(done.rows)))
    if done.errors or not isinstance(plan, Plan):
        if not isinstance(plan, Plan):
            done.errors = {**plan, **done.errors}
        return _page(request, loaded, section, done, revision=revision, status=422)
    if action == PATTERN and not loaded.draft.plan.steps:
        begun = _begun(request, loaded, section, typed)
        if not isinstance(begun, Plan):
            done.errors = begun
            return _page(request, loaded, section, done, revision=revision, status=422)
        plan = begun
    saved = kept(request, plan, revision, actor)
    if isinstance(saved, Conflict):
        return _page(request, loaded, section, done, moved=saved, status=409)
    opened = action.removeprefix("open:") if action.startswith("open:") else ""
    at = place_of(done.rows, opened)
    step_id = None if at is None else plan.steps[at].id
    return _on(request, loaded.draft, section, plan, step_id)


def _acted(
    request: Request, loaded: Loaded, section: Section, form: Form, typed: list[Row]
) -> Response:
    """The form after one of its buttons, with what takes it back."""
    action, gone = form.get("action"), next(iter(numbered(flat(form), GONE)), None)
    acted = act(typed, action, section.key, section.blank, gone)
    rows = [{**row, NUMBER: str(at)} for at, row in enumerate(acted)]
    unsaved = edited(document_of(loaded.draft), section, rows)
    undo = undo_part(undo_of(typed, action, section.key))
    revision = revision_of(form, loaded.draft)
    return _page(request, loaded, section, unsaved, rows=rows, revision=revision, undo=undo)


def _begun(
    request: Request, loaded: Loaded, section: Section, typed: list[Row]
) -> Plan | dict[str, Text]:
    """The usual protocol with the typed rows behind it, or what is wrong with the two together."""
    document = with_usual_protocol(document_of(loaded.draft), reader_of(request).say)
    whole = edited(document, section, [*shown(document, section), *typed])
    return judged(whole.document, {})


def menu_of(campaign_id: str, view: PlanView, here: str) -> tuple[MenuEntry, ...]:
    """The forms of a plan, with how much stands in each."""
    counts = {section.slug: len(getattr(view.plan, section.key)) for section in SECTIONS}
    base = f"/campaigns/{campaign_id}/plan/edit"
    return tuple(
        MenuEntry(one.title, f"{base}/{one.slug}", one.slug == here, counts[one.slug])
        for one in SECTIONS
    )


def _on(
    request: Request, view: PlanView, section: Section, plan: Plan, step_id: str | None
) -> Response:
    """Where a saved form leads: to a step's own page when its button asked, else back here."""
    here = f"/campaigns/{view.campaign_id}/plan/edit/{section.slug}"
    if step_id is not None:
        return redirect(request, f"{here}/{step_id}", text("Saved."))
    lots, made = placed_with(plan, view.offers)
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
    undo: UndoPart | None = None,
    block: str | None = None,
    status: int = 200,
) -> Response:
    view, shown_rows = loaded.draft, done.rows if rows is None else rows
    unsaved = rows is not None or moved is not None or status != 200
    part, fit = _said(view, section, done, by_number=rows is not None, unsaved=unsaved)
    context = SectionPage(
        campaign_id=view.campaign_id,
        revision=_standing(view, revision, moved),
        section=section,
        fields=_fields(section, view),
        columns=len(section.fields) + 2,
        rows=tuple(_filled(section, row) for row in shown_rows),
        blank=_filled(section, dict(section.blank)),
        errors=done.errors if status == 422 else part.errors if part and unsaved else {},
        summary=listed(done.errors, _names(section, len(shown_rows))) if status == 422 else (),
        questions=done.questions,
        fit=fit,
        moved=moved.detail if moved is not None else None,
        menu=menu_of(view.campaign_id, view, section.slug),
        zone=view.plan.zone,
        currency=view.plan.currency,
        typed=part,
        undo=undo,
    )
    title = text("Edit the plan: {section}", section=section.title)
    template = "plan/steps.html" if section.key == "steps" else "plan/section.html"
    return page(
        request, template, context, frame=loaded.frame, title=title, block=block, status=status
    )


def _standing(view: PlanView, revision: int | None, moved: Conflict | None) -> int:
    """The revision that the form answers: what it was made from, or what others saved meanwhile."""
    at = moved.extra["revision"] if moved is not None else revision
    return at if isinstance(at, int) else view.revision or 0


def _said(
    view: PlanView, section: Section, done: Edited, *, by_number: bool, unsaved: bool
) -> tuple[TypedPart | None, Fit | None]:
    """What is said over a form: of the steps always, of another list once it is not saved."""
    if section is STEPS:
        return typed_part(view, done, numbered=by_number, saved=not unsaved), None
    plan = judged(done.document, {}) if unsaved and not done.errors else None
    return None, fit_of_plan(view, plan) if isinstance(plan, Plan) else None


def _fields(section: Section, view: PlanView) -> tuple[Field, ...]:
    plan = view.plan
    match section.key:
        case "lots":
            return with_options(section.fields, {"offer": offer_options_of(view)})
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


def _names(section: Section, count: int) -> dict[str, Text]:
    return field_names((f"{section.key}.{number}" for number in range(count)), section.fields)


def _section(slug: str) -> Section:
    if slug not in BY_SLUG:
        raise NotFound(text("A plan has no part {name}.", name=slug), allowed=list(BY_SLUG))
    return BY_SLUG[slug]
