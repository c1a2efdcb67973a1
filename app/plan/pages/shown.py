"""Reading a plan: what holds now, its draft, or one sealed version."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.errors import NotFound
from app.orders.queries import lots_of
from app.plan.pages.contexts import plan_page
from app.plan.pages.loading import around, draft_of
from app.plan.queries import PlanView, all_sealed
from app.plan.rules.changes import Change, readable
from app.plan.rules.differences import differences
from app.plan.rules.document import to_document
from app.plan.rules.sealing import resolved
from app.runs.queries import measured
from app.texts import Text, text
from app.web import page

router = APIRouter()


@router.get("/campaigns/{campaign_id}/plan")
def show(request: Request, campaign_id: str) -> Response:
    """The newest sealed version, else the draft."""
    return _page(request, campaign_id, None)


@router.get("/campaigns/{campaign_id}/plan/draft")
def show_draft(request: Request, campaign_id: str) -> Response:
    """The draft, also beside sealed versions."""
    return _page(request, campaign_id, 0)


@router.get("/campaigns/{campaign_id}/plan/versions/{version}")
def show_version(request: Request, campaign_id: str, version: int) -> Response:
    """One sealed version as it was sealed."""
    return _page(request, campaign_id, version)


def changes_since(draft: PlanView, newest: PlanView | None) -> tuple[Change, ...]:
    """What the draft says otherwise than the newest sealed version."""
    if newest is None:
        return ()
    return _changes(json.loads(newest.document), to_document(resolved(draft.plan, draft.offers)))


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    return readable(differences(before, after), before, after)


def _revised(view: PlanView, versions: Sequence[PlanView]) -> tuple[Change, ...]:
    """What a later sealed version changed against the one before it."""
    before = next((one for one in versions if one.version == view.version - 1), None)
    if before is None or view.version < 2:
        return ()
    return _changes(json.loads(before.document), json.loads(view.document))


def _page(request: Request, campaign_id: str, version: int | None) -> Response:
    with request.app.state.db.read() as session:
        frame = around(session, campaign_id)
        draft = draft_of(session, campaign_id)
        versions = all_sealed(session, campaign_id)
        is_ordered = bool(lots_of(session, campaign_id))
        is_running = version is None and frame.state == "running"
        found = measured(session, campaign_id) if is_running else {}
    newest = versions[-1] if versions else None
    if version is None:
        view: PlanView | None = newest or draft
    else:
        view = next((one for one in (draft, *versions) if one.version == version), None)
    if view is None:
        raise NotFound(text("There is no version {n} of this plan.", n=str(version)))
    shown = plan_page(
        view,
        versions,
        changes_since(draft, newest),
        _revised(view, versions),
        is_open=frame.state != "closed",
        measured=found,
    )
    if is_ordered:  # the start is settled: the timeline says what waits
        shown = replace(shown, fit=replace(shown.fit, waiting=()))
    return page(request, "plan/show.html", shown, frame=frame, title=_title(view))


def _title(view: PlanView) -> Text:
    if view.version == 0:
        return text("Plan, draft")
    return text("Plan, version {n}", n=view.version)
