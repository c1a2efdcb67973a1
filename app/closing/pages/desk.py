"""`/campaigns/{id}/closing`: the checklist, the silent runs, the explanations, the close."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.campaigns.queries import header
from app.closing.commands import NewClose, close, explain
from app.closing.pages.paper import Paper
from app.closing.queries import Closing, added, closed_report, closing
from app.closing.rules.deviations import CATEGORIES, why_blank
from app.closing.rules.report import OUTCOMES
from app.closing.rules.sentences import tidied
from app.errors import AppError, Closed, NotFound
from app.runs.commands import close_silent
from app.runs.rules.events import Kind
from app.texts import Text, ntext, text
from app.timeline.queries import frame_of, timeline
from app.web import Form, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}")
FormOf = Annotated[Form, Depends(read_form)]
EXPLAINING = ("step", "category", "sentence")
"""The fields of an explanation; the others of the desk belong to the close."""
SILENT = "silent."
"""What the box of a silent run is called, before its id."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The close of an open campaign: what is open, what is owed, and the form as typed.

    Explanations and the close are one form with several buttons, so that whichever is pressed
    carries along what was typed for the other; `said` is what the last button did.
    """

    closing: Closing
    outcomes: Mapping[str, Text]
    categories: Mapping[str, Text]
    open_points: int
    form: Form = field(default_factory=Form)
    said: Text | None = None
    noted: Text | None = None

    def steps(self) -> list[tuple[str, str]]:
        """Steps to explain: those that owe a word first."""
        ordered = sorted(self.closing.deviations, key=lambda one: not one.unexplained)
        return [(one.step, one.title) for one in ordered]

    def blank(self, state: str) -> Text:
        """Why a step of this state shows no figure."""
        return why_blank(state)

    def choices(self) -> list[tuple[str, Text, None]]:
        """The outcomes as a form offers them."""
        return [(key, said, None) for key, said in self.outcomes.items()]


@router.get("/closing")
def show(request: Request, campaign_id: str, step: str = "") -> Response:
    """The desk of an open campaign, ready to explain a step; a closed one shows its report."""
    return _show(request, campaign_id, Form({"step": step}))


@router.get("/close")
@router.get("/closing/explanations")
@router.get("/closing/silent")
def find(request: Request, campaign_id: str) -> Response:
    """Where a form is sent to, opened by hand or read again in another language: to its page."""
    return redirect(request, f"/campaigns/{campaign_id}/closing")


@router.post("/closing")
def pick(request: Request, campaign_id: str, form: FormOf) -> Response:
    """The desk as typed, ready to explain another step."""
    return _show(request, campaign_id, Form({**form.values, "step": form.get("pick")}))


@router.post("/closing/explanations")
def post_explanation(request: Request, campaign_id: str, form: FormOf) -> Response:
    """Explain one step; what was typed for the close stays, and all of it when refused."""
    actor, now = access.person(request), clock.now()
    step, category, sentence = form.get("step"), form.get("category"), form.get("sentence")
    try:
        if not _stands(request, campaign_id, step, category, sentence):
            request.app.state.db.write(
                campaign_id,
                lambda tx: explain(tx, campaign_id, step, category, sentence, actor=actor, now=now),
            )
    except AppError as refusal:
        if refusal.field is None:
            raise
        form.refuse(refusal.field, refusal.detail)
        return _show(request, campaign_id, form, status=refusal.status)
    said = text("The explanation is kept.")
    if _closing_is_typed(form):
        left = {name: value for name, value in form.values.items() if name not in EXPLAINING}
        return _show(request, campaign_id, Form(left), said=said)
    return redirect(request, f"/campaigns/{campaign_id}/closing#deviations", said)


@router.post("/closing/silent")
def post_silent(request: Request, campaign_id: str, form: FormOf) -> Response:
    """Say of the chosen silent runs that they are lost, or were stopped; what was typed stays."""
    actor, now = access.person(request), clock.now()
    _refuse_closed(request, campaign_id)
    chosen = [name.removeprefix(SILENT) for name in form.values if name.startswith(SILENT)]
    lost = form.get("how") != "stopped"
    kind, reason = Kind.LOST if lost else Kind.CLOSE, form.get("silent_reason")
    try:
        request.app.state.db.write(
            campaign_id,
            lambda tx: close_silent(tx, campaign_id, chosen, kind, reason, actor=actor, now=now),
        )
    except Closed:
        raise
    except AppError as refusal:
        form.refuse("silent_reason", refusal.detail)
        return _show(request, campaign_id, form, status=refusal.status)
    n = len(chosen)
    said = ntext("{n} run is marked as lost.", "{n} runs are marked as lost.", n)
    if not lost:
        said = ntext("{n} run is marked as stopped.", "{n} runs are marked as stopped.", n)
    if _closing_is_typed(form) or form.get("sentence"):
        left = {name: value for name, value in form.values.items() if not _is_of_silence(name)}
        return _show(request, campaign_id, Form(left), noted=said)
    return redirect(request, f"/campaigns/{campaign_id}/closing", said)


def _is_of_silence(name: str) -> bool:
    return name in ("how", "silent_reason") or name.startswith(SILENT)


@router.post("/close")
def post_close(request: Request, campaign_id: str, form: FormOf) -> Response:
    """Close the campaign with the report that was seen."""
    actor, now, db = access.person(request), clock.now(), request.app.state.db
    _refuse_closed(request, campaign_id)
    if form.get("sentence"):
        said = text("This explanation is not kept yet: keep it or empty the field, then close.")
        form.refuse("sentence", said)
        return _show(request, campaign_id, form, status=422)
    with db.read() as session:
        found = closing(session, campaign_id, now)
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    new = NewClose(
        form.get("outcome"), form.get("conclusion"), form.get("with_open_points") == "yes"
    )
    try:
        db.write(
            campaign_id,
            lambda tx: close(tx, campaign_id, new, found.report, actor=actor, now=now),
        )
    except AppError as refusal:
        if isinstance(refusal, Closed):
            raise
        form.refuse(_field(refusal), refusal.detail)
        return _show(request, campaign_id, form, status=refusal.status)
    return redirect(request, f"/campaigns/{campaign_id}/closing", text("The campaign is closed."))


def _refuse_closed(request: Request, campaign_id: str) -> None:
    """Raise `Closed` before a form is judged that no page offers any more."""
    with request.app.state.db.read() as session:
        found = header(session, campaign_id)
    if found is not None and found.state == "closed":
        raise Closed(text("This campaign was closed. Its record is not changed any more."))


def _field(refusal: AppError) -> str:
    if refusal.field == "close_with_open_points":
        return "with_open_points"
    return refusal.field or "outcome"


def _closing_is_typed(form: Form) -> bool:
    """Whether the close says anything that a fresh desk would not say by itself."""
    chosen = form.get("outcome") not in ("", form.get("proposed"))
    return chosen or bool(form.get("conclusion") or form.get("with_open_points"))


def _stands(request: Request, campaign_id: str, step: str, category: str, sentence: str) -> bool:
    """Whether this very explanation is kept already: a page that is loaded again sends it again."""
    with request.app.state.db.read() as session:
        found = closing(session, campaign_id, clock.now())
    said = (
        next((one.explained for one in found.deviations if one.step == step), None)
        if found
        else None
    )
    return said is not None and (said.category, said.sentence) == (category, tidied(sentence))


def _show(
    request: Request,
    campaign_id: str,
    form: Form,
    *,
    said: Text | None = None,
    noted: Text | None = None,
    status: int = 200,
) -> Response:
    with request.app.state.db.read() as session:
        view = timeline(session, campaign_id, clock.now())
        if view is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id))
        frame = frame_of(view)
        closed = closed_report(session, campaign_id)
        if closed is not None:
            paper = Paper(closed, "", OUTCOMES, CATEGORIES, added(session, closed))
            return page(request, "closing/closed.html", paper, frame=frame, status=status)
        found = closing(session, campaign_id, clock.now())
    assert found is not None
    still_open = sum(point.is_open for point in found.points)
    desk = Desk(found, OUTCOMES, CATEGORIES, still_open, form, said, noted)
    return page(request, "closing/desk.html", desk, frame=frame, status=status)
