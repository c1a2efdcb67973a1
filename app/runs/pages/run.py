"""`/campaigns/{id}/runs/{run}`: one run with its attempts, rules, events, and a person's word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.errors import Malformed, NotFound
from app.runs import commands, queries
from app.runs.pages.late import late_run
from app.runs.pages.listing import as_of, frame_or_404
from app.runs.pages.shown import run_page
from app.texts import Text, text
from app.web import Form, page, read_form, redirect
from app.web.live import unchanged, version_tag

router = APIRouter()
ACTS: Mapping[str, tuple[commands.Act, Text]] = {
    "ask": (commands.ask_to_stop, text("The next answer asks the job to stop.")),
    "lost": (commands.mark_lost, text("The run is marked as lost.")),
    "stopped": (commands.mark_stopped, text("The run is marked as stopped.")),
    "archive": (commands.archive, text("The run is archived. It counts as before.")),
    "back": (commands.bring_back, text("The run is back in the list.")),
}


@router.get("/campaigns/{campaign_id}/runs/{run_id}")
def one(
    request: Request,
    campaign_id: str,
    run_id: str,
    before: Annotated[str, Query(max_length=20_000)] = "",
) -> Response:
    """One run; `before` pages through its events. A poll gets its live part: 304 when nothing
    happened since."""
    with request.app.state.db.read() as session:
        seen = queries.activity(session, campaign_id)
    tag = version_tag(request, seen.event, seen.head.number, seen.liveness, now=clock.now())
    if request.headers.get("hx-request-type") != "partial":
        return _show(request, campaign_id, run_id, Form(), before=before, tag=tag)
    not_modified = unchanged(request, tag)
    if not_modified is not None:
        return not_modified
    return _show(request, campaign_id, run_id, Form(), tag=tag, block="live")


@router.post("/campaigns/{campaign_id}/runs/{run_id}/{act}")
def say(
    request: Request,
    campaign_id: str,
    run_id: str,
    act: str,
    form: Annotated[Form, Depends(read_form)],
) -> Response:
    """What a person says of the run, with a reason."""
    if act not in ACTS:
        raise NotFound(text("There is nothing at this address."))
    command, said = ACTS[act]
    actor, now, reason = person(request), clock.now(), form.get(f"reason.{act}")
    try:
        request.app.state.db.write(
            campaign_id,
            lambda tx: command(tx, campaign_id, run_id, reason, actor=actor, now=now),
        )
    except Malformed as refusal:
        form.refuse(f"reason.{act}", refusal.detail)
        return _show(request, campaign_id, run_id, form, status=422)
    return redirect(request, f"/campaigns/{campaign_id}/runs/{run_id}", said)


def _show(
    request: Request,
    campaign_id: str,
    run_id: str,
    form: Form,
    *,
    before: str = "",
    status: int = 200,
    tag: str = "",
    block: str | None = None,
) -> Response:
    now = clock.now()
    with request.app.state.db.read() as session:
        around = frame_or_404(session, campaign_id, now)
        at = as_of(session, around, now)
        context = run_page(session, around, run_id, form, before, at, tag)
        late = late_run(session, around, run_id, before, now) if context is None else None
    title = text("Run {run}", run=run_id)
    if context is None:
        return page(request, "runs/late.html", late, frame=around, title=title)
    headers = {"HX-PTag": tag} if block else {}
    return page(
        request, "runs/run.html", context, frame=around, title=title, status=status, block=block,
        headers=headers,
    )  # fmt: skip
