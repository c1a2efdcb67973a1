"""`/campaigns/{id}/timeline`: the chart, live.

The chart is drawn once for each state and language; whole pages and polls share the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from app import clock
from app.errors import NotFound
from app.plan.rules.spans import hours_said
from app.texts import Text, text
from app.timeline.queries import TimelineView, frame_of, stand, timeline
from app.timeline.rules.chart import chart_of
from app.timeline.rules.drawing import Chart
from app.timeline.rules.facts import Facts
from app.timeline.rules.lines import step_lines
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
    began: Text | None
    other: Text | None
    other_href: str


@dataclass(frozen=True, slots=True)
class Shown:
    """The drawing, and whether only the live part was asked for."""

    drawing: Markup
    live_only: bool


@router.get("/campaigns/{campaign_id}/timeline")
def show(
    request: Request,
    campaign_id: str,
    ghost: Annotated[Literal["start", "calendar"], Query()] = "start",
) -> Response:
    """The whole page, or for a poll its live part: 304 when nothing happened since.

    `ghost`: the sealed plan from the lot's real start, or where the calendar had it.
    """
    live_only = request.headers.get("hx-request-type") == "partial"
    now = clock.now()
    with request.app.state.db.read() as session:
        seen = stand(session, campaign_id, now)
        facts = (seen.entry, seen.event, seen.drafted, seen.offered, seen.liveness, ghost)
        tag = version_tag(request, *facts, now=seen.at)
        if live_only and (not_modified := unchanged(request, tag)) is not None:
            return not_modified
        view = timeline(session, campaign_id, now)
    if view is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    tag, drawing = _drawing(request, view, tag, ghost)
    shown = Shown(Markup(drawing.decode()), live_only)
    headers = {"HX-PTag": tag} if live_only else {}
    block = "live" if live_only else None
    frame = frame_of(view)
    return page(request, "timeline/show.html", shown, frame=frame, block=block, headers=headers)


def _drawing(request: Request, view: TimelineView, tag: str, ghost: str) -> tuple[str, bytes]:
    """The chart as HTML with the tag it was drawn for; at most one drawing at a time."""
    reader = reader_of(request, view.header.zone)
    path = request.scope["path"]

    def draw() -> bytes:
        drawn = _drawn(view, tag, path, by_calendar=ghost == "calendar")
        asked = f"{path}?ghost=calendar" if ghost == "calendar" else path
        return render("timeline/drawing.html", {"page": drawn, "path": asked}, reader).encode()

    name = f"{id(request.app)}/timeline/{view.header.id}/{reader.language}/{ghost}"
    return shared.get(name, tag, draw)


def _drawn(view: TimelineView, tag: str, path: str, *, by_calendar: bool) -> Drawn:
    """The chart, and where the lot began otherwise than planned how its sealed bars are drawn."""
    facts, lines = view.facts, view.lines
    if by_calendar:
        facts = replace(facts, by_calendar=True)
        lines = step_lines(facts, view.ahead)
    began = _began(facts)
    other = text("Draw it from the real start") if by_calendar else text("Draw it by calendar")
    return Drawn(
        campaign_id=view.header.id,
        chart=chart_of(facts, lines, view.ahead),
        version=tag,
        began=began,
        other=other if began is not None else None,
        other_href=path if by_calendar else f"{path}?ghost=calendar",
    )


def _began(facts: Facts) -> Text | None:
    """That the lot began at another hour than the sealed plan had it; None where it did not."""
    minutes = abs(facts.late_s) // 60
    if not minutes or not facts.version:
        return None
    time = hours_said(minutes)
    if facts.late_s > 0:
        if facts.by_calendar:
            return text(
                "The lot began {time} later; the sealed plan is drawn by calendar.", time=time
            )
        return text(
            "The lot began {time} later; the sealed plan is drawn from its real start.", time=time
        )
    if facts.by_calendar:
        return text(
            "The lot began {time} earlier; the sealed plan is drawn by calendar.", time=time
        )
    return text(
        "The lot began {time} earlier; the sealed plan is drawn from its real start.", time=time
    )
