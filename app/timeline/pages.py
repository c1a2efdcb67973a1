"""`/campaigns/{id}/timeline`: the chart, live.

The chart is drawn once for each state and language; whole pages and polls share the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from app import clock
from app.errors import NotFound
from app.texts import text
from app.timeline.queries import TimelineView, frame_of, stand, timeline
from app.timeline.rules.chart import chart_of
from app.timeline.rules.drawing import Chart
from app.web import page
from app.web.live import shared, unchanged, version_tag
from app.web.page import reader_of
from app.web.templates import render

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Drawn:
    """The chart with the version that it shows."""

    campaign_id: str
    chart: Chart
    version: str


@dataclass(frozen=True, slots=True)
class Shown:
    """The drawing, and whether only the live part was asked for."""

    drawing: Markup
    live_only: bool


@router.get("/campaigns/{campaign_id}/timeline")
def show(request: Request, campaign_id: str) -> Response:
    """The whole page, or for a poll its live part: 304 when nothing happened since."""
    live_only = request.headers.get("hx-request-type") == "partial"
    now = clock.now()
    with request.app.state.db.read() as session:
        seen = stand(session, campaign_id, now)
        tag = version_tag(request, seen.entry, seen.event, seen.drafted, now=now)
        if live_only and (not_modified := unchanged(request, tag)) is not None:
            return not_modified
        view = timeline(session, campaign_id, now)
    if view is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    tag, drawing = _drawing(request, view, tag)
    shown = Shown(Markup(drawing.decode()), live_only)
    headers = {"HX-PTag": tag} if live_only else {}
    block = "live" if live_only else None
    frame = frame_of(view)
    return page(request, "timeline/show.html", shown, frame=frame, block=block, headers=headers)


def _drawing(request: Request, view: TimelineView, tag: str) -> tuple[str, bytes]:
    """The chart as HTML with the tag it was drawn for; at most one drawing at a time."""
    reader = reader_of(request, view.header.zone)

    def draw() -> bytes:
        drawn = Drawn(view.header.id, chart_of(view.facts, view.lines, view.ahead), tag)
        context = {"page": drawn, "path": request.scope["path"]}
        return render("timeline/drawing.html", context, reader).encode()

    name = f"{id(request.app)}/timeline/{view.header.id}/{reader.language}"
    return shared.get(name, tag, draw)
