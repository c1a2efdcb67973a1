"""`/campaigns/{id}/timeline`: the chart, live."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from app import clock
from app.errors import NotFound
from app.texts import text
from app.timeline.queries import frame_of, stand, timeline
from app.timeline.rules.chart import chart_of
from app.timeline.rules.drawing import Chart
from app.web import page
from app.web.live import shared, unchanged, version_tag
from app.web.page import reader_of

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Shown:
    """The chart, the version it shows, and whether only the live part was asked for."""

    chart: Chart
    version: str
    live_only: bool


@router.get("/campaigns/{campaign_id}/timeline")
def show(request: Request, campaign_id: str) -> Response:
    """The whole page, or for a poll its live part: 304 when nothing happened since."""
    live_only = request.headers.get("hx-request-type") == "partial"
    now = clock.now()
    with request.app.state.db.read() as session:
        seen = stand(session, campaign_id, now)
    tag = version_tag(request, seen.entry, seen.event, seen.revision, now=now)
    if live_only:
        not_modified = unchanged(request, tag)
        if not_modified is not None:
            return not_modified
        key = f"timeline/{campaign_id}/{reader_of(request).language}"
        tag, body = shared.get(
            key, tag, lambda: bytes(_render(request, campaign_id, tag, live_only=True).body)
        )
        return HTMLResponse(body, headers={"HX-PTag": tag, "Cache-Control": "no-store"})
    return _render(request, campaign_id, tag, live_only=False)


def _render(request: Request, campaign_id: str, tag: str, *, live_only: bool) -> Response:
    with request.app.state.db.read() as session:
        view = timeline(session, campaign_id, clock.now())
    if view is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    shown = Shown(chart_of(view.facts, view.lines, view.ahead), tag, live_only)
    block = "live" if live_only else None
    return page(request, "timeline/show.html", shown, frame=frame_of(view), block=block)
