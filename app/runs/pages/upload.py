"""`/campaigns/{id}/connect/spool`: a person hands in a spool; an ended token discards none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.runs.pages.handing import Given, NotClear, hand_in
from app.runs.pages.listing import frame_or_404
from app.runs.rules.uploading import Handed, NotTaken, Spool, is_run_id, read_spool
from app.texts import Text, ntext, text
from app.web import Form, Frame, page, read_form

router = APIRouter()
Typed = Annotated[Form, Depends(read_form)]


@dataclass(frozen=True, slots=True)
class RunGiven:
    """One run of a spool as the page tells it."""

    run: str
    href: str | None
    was: str | None
    new: int
    known: int
    refused: int
    unsent: int
    reasons: tuple[Text, ...]
    strange: Text | None


@dataclass(frozen=True, slots=True)
class UploadPage:
    """The form, and after an upload what became of each run; `said` sums it up."""

    is_open: bool
    form: Form
    runs: tuple[RunGiven, ...] = ()
    said: Text | None = None
    is_whole: bool = True
    warnings: tuple[Text, ...] = ()


@router.get("/campaigns/{campaign_id}/connect/spool")
def show(request: Request, campaign_id: str) -> Response:
    """The form by itself."""
    return _page(request, _frame(request, campaign_id), Form())


@router.post("/campaigns/{campaign_id}/connect/spool")
def upload(request: Request, campaign_id: str, form: Typed) -> Response:
    """Record what the files hold, and say for each run what became of it."""
    actor, around = person(request), _frame(request, campaign_id)
    spool = _read(form, campaign_id)
    run, step = form.get("as_run") or None, form.get("as_step") or None
    if run is not None and not is_run_id(run):
        form.refuse("as_run", text("Letters, digits, “.”, “_” and “-”, 64 at most."))
    if spool is None or form.errors:
        return _page(request, around, form, status=422)
    try:
        given, warnings = hand_in(
            request.app.state.db, campaign_id, spool, actor, run=run, step=step
        )
    except NotClear:
        said = text("More than one run may be meant: upload the files of that one alone.")
        form.refuse("as_run" if run is not None else "as_step", said)
        return _page(request, around, form, status=422)
    if spool.submissions:
        warnings.append(_left(spool.submissions))
    return _page(request, around, Form(), given=given, warnings=tuple(warnings))


def _frame(request: Request, campaign_id: str) -> Frame:
    with request.app.state.db.read() as session:
        return frame_or_404(session, campaign_id, clock.now())


def _read(form: Form, campaign_id: str) -> Spool | None:
    """The spool that was chosen; what is wrong with it goes to the form."""
    handed = [Handed(name, content) for name, content in form.uploads.get("files", ()) if name]
    if not handed:
        form.refuse("files", text("Choose the files of a spool, or the spool folder packed."))
        return None
    try:
        spool = read_spool(handed)
    except NotTaken as refused:
        form.refuse("files", refused.said)
        return None
    if spool.campaign not in (None, campaign_id):
        said = text("This spool is of the campaign {id}: upload it there.", id=spool.campaign)
        form.refuse("files", said)
    return spool


def _page(
    request: Request,
    around: Frame,
    form: Form,
    *,
    given: list[Given] | None = None,
    warnings: tuple[Text, ...] = (),
    status: int = 200,
) -> Response:
    context = UploadPage(around.state != "closed", form)
    if given is not None:
        context = UploadPage(
            context.is_open,
            form,
            tuple(_line(one, around.id) for one in given),
            _said(given),
            not any(one.refused or one.unsent for one in given),
            warnings,
        )
    title = text("Upload a spool")
    return page(request, "runs/upload.html", context, frame=around, title=title, status=status)


def _left(submissions: int) -> Text:
    return ntext(
        "The evidence of {n} deliverable in it is not taken here: send it with “punktum replay”.",
        "The evidence of {n} deliverables in it is not taken here: send it with “punktum replay”.",
        submissions,
    )


def _said(given: list[Given]) -> Text:
    new, known = sum(one.new for one in given), sum(one.known for one in given)
    if new:
        return ntext("{n} new event is recorded.", "{n} new events are recorded.", new)
    if known and not any(one.refused or one.unsent for one in given):
        return text("All of it was there already: nothing is recorded twice.")
    return text("Nothing new was recorded.")


def _line(one: Given, campaign_id: str) -> RunGiven:
    there = bool(one.new or one.known)
    strange = ntext(
        "{n} line is no event and was passed over.",
        "{n} lines are no events and were passed over.",
        one.strange,
    )
    return RunGiven(
        run=one.run,
        href=f"/campaigns/{campaign_id}/runs/{one.run}" if there else None,
        was=one.was,
        new=one.new,
        known=one.known,
        refused=one.refused,
        unsent=one.unsent,
        reasons=tuple(one.reasons),
        strange=strange if one.strange else None,
    )
