"""`/campaigns/{id}/plan/axes`: axes such as rank and precision, and a variant for each cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app.accounts import access
from app.errors import Conflict
from app.journal import Actor
from app.plan.commands.drafts import problems_refused
from app.plan.pages.forms import document_of, kept, revision_of
from app.plan.pages.loading import Loaded, load_open
from app.plan.rules.axes import Axis, Trial, grid_runs, read_axes, trials, with_trials
from app.plan.rules.document import from_document
from app.plan.rules.model import Plan
from app.texts import Text, ntext, text
from app.web import Form, page, read_form, redirect
from app.web.page import reader_of

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Made:
    """One variant that would be made: its title, what it isolates."""

    title: Text
    isolates: Text


@dataclass(frozen=True, slots=True)
class AxesPage:
    """The axes as typed, and what the two ways of trying them would cost in runs."""

    campaign_id: str
    revision: int
    axes: str
    error: Text | None
    moved: Text | None
    grid: Text | None
    few: Text | None
    made: tuple[Made, ...]
    has_control: bool


@router.get("/campaigns/{campaign_id}/plan/axes")
def show(request: Request, campaign_id: str) -> Response:
    """The form."""
    return _page(request, load_open(request, campaign_id), Form())


@router.post("/campaigns/{campaign_id}/plan/axes")
def add(
    request: Request,
    campaign_id: str,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Count the runs of both ways, or add the variants of the small one to the draft.

    On a bad line everything typed comes back.
    """
    loaded = load_open(request, campaign_id)
    axes = read_axes(form.get("axes"))
    if isinstance(axes, Text):
        return _page(request, loaded, form, status=422)
    if form.get("action") != "add":
        return _page(request, loaded, form)
    found = trials(axes)
    say = reader_of(request).say
    titles = [say(_title(one)) for one in found]
    isolates = [say(_isolates(one)) for one in found]
    plan = from_document(with_trials(document_of(loaded.draft), found, titles, isolates))
    if not isinstance(plan, Plan):
        refusal = problems_refused(plan)
        assert refusal is not None
        raise refusal
    saved = kept(request, plan, revision_of(form, loaded.draft), actor)
    if isinstance(saved, Conflict):
        return _page(request, loaded, form, moved=saved.detail, status=409)
    added = ntext("{n} variant was added.", "{n} variants were added.", len(found))
    return redirect(request, f"/campaigns/{campaign_id}/plan/edit/steps", added)


def _page(
    request: Request,
    loaded: Loaded,
    form: Form,
    *,
    moved: Text | None = None,
    status: int = 200,
) -> Response:
    typed, view = form.get("axes"), loaded.draft
    axes = read_axes(typed) if typed.strip() or status != 200 else ()
    error = axes if isinstance(axes, Text) else None
    known: tuple[Axis, ...] = () if isinstance(axes, Text) else axes
    found = trials(known)
    context = AxesPage(
        campaign_id=view.campaign_id,
        revision=view.revision or 0,
        axes=typed,
        error=error,
        moved=moved,
        grid=_grid(known) if known else None,
        few=_few(found) if known else None,
        made=tuple(Made(_title(one), _isolates(one)) for one in found),
        has_control=any(step.role == "control" for step in view.plan.steps),
    )
    title = text("Variants from axes")
    return page(request, "plan/axes.html", context, frame=loaded.frame, title=title, status=status)


def _grid(axes: tuple[Axis, ...]) -> Text:
    return ntext("every combination: {n} run", "every combination: {n} runs", grid_runs(axes))


def _few(found: tuple[Trial, ...]) -> Text:
    n = 1 + len(found)
    return ntext("one cause at a time: {n} run", "one cause at a time: {n} runs", n)


def _title(trial: Trial) -> Text:
    return text("{axis} {value}", axis=trial.axis, value=trial.value)


def _isolates(trial: Trial) -> Text:
    return text(
        "{axis} {value} against {control}, all else equal",
        axis=trial.axis,
        value=trial.value,
        control=trial.control,
    )
