"""Putting a draft back to what was sealed, and deleting one that never was."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.errors import Conflict
from app.journal import Actor
from app.plan.commands import delete_draft, discard_changes
from app.texts import text
from app.web import Form, read_form, redirect

router = APIRouter()


@router.post("/campaigns/{campaign_id}/plan/discard")
def discard(
    request: Request,
    campaign_id: str,
    _form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Give up what was changed since the newest seal."""
    now = clock.now()
    request.app.state.db.write(
        campaign_id, lambda tx: discard_changes(tx, campaign_id, actor=actor, now=now)
    )
    said = text("The draft says again what was sealed.")
    return redirect(request, f"/campaigns/{campaign_id}/plan", said)


@router.post("/campaigns/{campaign_id}/plan/delete")
def delete(
    request: Request,
    campaign_id: str,
    form: Annotated[Form, Depends(read_form)],
    _actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Delete a draft that was never sealed, once the person typed its id."""
    if form.get("id") != campaign_id:
        said = text("Nothing was deleted: the id that you typed is not {id}.", id=campaign_id)
        raise Conflict(said, field="id", allowed=[campaign_id])
    request.app.state.db.write(campaign_id, lambda tx: delete_draft(tx, campaign_id))
    return redirect(request, "/campaigns", text("The draft {id} was deleted.", id=campaign_id))
