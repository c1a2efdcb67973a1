"""Editing one step with everything that can be said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.errors import Conflict, NotFound
from app.journal import Actor
from app.plan.pages.forms import (
    MenuEntry,
    document_of,
    field_names,
    flat,
    kept,
    revision_of,
    step_options,
    with_options,
)
from app.plan.pages.lines import saving_of
from app.plan.pages.loading import Loaded, load_open
from app.plan.pages.observed import Interruptions, interruptions_of
from app.plan.pages.sections import menu_of
from app.plan.queries import placed_with
from app.plan.rules.answer import plan_answer
from app.plan.rules.estimated import Estimated, estimated
from app.plan.rules.measured import Measured
from app.plan.rules.model import Plan
from app.plan.rules.precedence import STAR
from app.plan.rules.saving import Saving
from app.plan.rules.typed.editing import Edited, edited_step
from app.plan.rules.typed.judging import judged, listed
from app.plan.rules.typed.rows import Row, numbered
from app.plan.rules.typed.steps import STEP_ALL, STEP_GROUPS, Group
from app.plan.rules.typed.writing import write_table
from app.runs.queries import measured
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter()


@dataclass(frozen=True, slots=True)
class StepPage:
    """The form of one step, as typed; `estimate` and `saving` are of the step as saved."""

    campaign_id: str
    revision: int
    step_id: str
    title: str
    prefix: str
    groups: tuple[Group, ...]
    row: Row
    errors: Mapping[str, Text]
    summary: tuple[tuple[str | None, Text], ...]
    moved: Text | None
    estimate: Estimated
    saving: Saving | None
    interruptions: Interruptions | None
    menu: tuple[MenuEntry, ...]
    zone: str
    currency: str
    previous: str | None
    next: str | None


@router.get("/campaigns/{campaign_id}/plan/edit/steps/{step_id}")
def edit_step(request: Request, campaign_id: str, step_id: str) -> Response:
    """One step as the draft has it."""
    loaded = load_open(request, campaign_id)
    index = _index(loaded.draft.plan, step_id)
    document = document_of(loaded.draft)
    row = write_table(STEP_ALL, document["steps"][index])
    return _page(request, loaded, index, Edited(document, [row]))


@router.post("/campaigns/{campaign_id}/plan/edit/steps/{step_id}")
def save_step(
    request: Request,
    campaign_id: str,
    step_id: str,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Save one step; on a bad field everything typed comes back."""
    loaded = load_open(request, campaign_id)
    index = _index(loaded.draft.plan, step_id)
    revision = revision_of(form, loaded.draft)
    (row, *_) = (*numbered(flat(form), "steps"), {})
    done = edited_step(document_of(loaded.draft), index, row)
    plan = judged(done.document, _names(index))
    if not isinstance(plan, Plan):
        done.errors = {**plan, **done.errors}
        return _page(request, loaded, index, done, revision=revision, status=422)
    saved = kept(request, plan, revision, actor)
    if isinstance(saved, Conflict):
        return _page(request, loaded, index, done, moved=saved, status=409)
    lots, made = placed_with(plan, loaded.draft.offers)
    here = f"/campaigns/{campaign_id}/plan/edit/steps"
    wanted = form.get("action")
    there = next((s.id for s in plan.steps if wanted == f"open:{s.id}"), None)
    to = f"{here}/{there}" if there else here
    said = text("Saved. {answer}.", answer=plan_answer(made, lots.windows))
    return redirect(request, to, said)


def _names(index: int) -> dict[str, Text]:
    return field_names([f"steps.{index}"], STEP_ALL)


def _index(plan: Plan, step_id: str) -> int:
    found = next((n for n, step in enumerate(plan.steps) if step.id == step_id), None)
    if found is None:
        raise NotFound(text("The draft has no step {id}.", id=step_id))
    return found


def _page(
    request: Request,
    loaded: Loaded,
    index: int,
    done: Edited,
    *,
    revision: int | None = None,
    moved: Conflict | None = None,
    status: int = 200,
) -> Response:
    view = loaded.draft
    step, steps = view.plan.steps[index], view.plan.steps
    at = moved.extra["revision"] if moved is not None else revision
    context = StepPage(
        campaign_id=view.campaign_id,
        revision=at if isinstance(at, int) else view.revision or 0,
        step_id=step.id,
        title=step.title,
        prefix=f"steps.{index}",
        groups=_groups(view.plan, step.id),
        row={**{field.name: "" for field in STEP_ALL}, **done.rows[0]},
        errors=done.errors,
        summary=listed(done.errors, _names(index)),
        moved=moved.detail if moved is not None else None,
        estimate=estimated(step),
        saving=saving_of(view, step, _measured(request, loaded)),
        interruptions=_interruptions(request, loaded),
        menu=menu_of(view.campaign_id, view, "steps"),
        zone=view.plan.zone,
        currency=view.plan.currency,
        previous=steps[index - 1].id if index else None,
        next=steps[index + 1].id if index + 1 < len(steps) else None,
    )
    title = text("Edit the step {title}", title=step.title)
    return page(request, "plan/step.html", context, frame=loaded.frame, title=title, status=status)


def _interruptions(request: Request, loaded: Loaded) -> Interruptions | None:
    """What the runs say, asked only of a campaign that has some."""
    if loaded.frame.state != "running":
        return None
    with request.app.state.db.read() as session:
        return interruptions_of(session, loaded.draft.campaign_id, clock.now())


def _measured(request: Request, loaded: Loaded) -> dict[str, Measured]:
    """What the runs so far measured of saving; asked only of a campaign that has some."""
    if loaded.frame.state != "running":
        return {}
    with request.app.state.db.read() as session:
        return measured(session, loaded.draft.campaign_id)


def _groups(plan: Plan, step_id: str) -> tuple[Group, ...]:
    """The groups of fields, with the plan's other steps to choose from."""
    others = step_options(plan, but=step_id)
    options = {"after": others, "follows": (*others, (STAR, text("everything else")))}
    return tuple(
        replace(group, fields=with_options(group.fields, options)) for group in STEP_GROUPS
    )
