"""`/campaigns/{id}/runs`: all runs, the stop register, and people's time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request
from sqlmodel import Session
from starlette.responses import HTMLResponse, Response

from app import clock
from app.errors import NotFound
from app.plan.queries import current
from app.runs import queries
from app.runs.pages.lines import Known, RunLine, StopLine, run_line, stop_line
from app.runs.pages.time import SpanEntry, StepTime, choices, step_times
from app.texts import text
from app.timeline.queries import frame
from app.web import Frame, page
from app.web.live import shared, unchanged, version_tag
from app.web.page import reader_of

router = APIRouter()
PAGE = 100


@dataclass(frozen=True, slots=True)
class RunsPage:
    """Everything the page of runs shows; `is_open` is False after the close."""

    base: str
    is_open: bool
    version: str
    runs: tuple[RunLine, ...]
    older_href: str | None
    is_first_page: bool
    stops: tuple[StopLine, ...]
    people: tuple[StepTime, ...]
    entry: SpanEntry
    machine_s: int


@router.get("/campaigns/{campaign_id}/runs")
def index(request: Request, campaign_id: str, after: str = "") -> Response:
    """The page, or for a poll its live part: 304 when nothing happened since."""
    now = clock.now()
    with request.app.state.db.read() as session:
        seen = queries.activity(session, campaign_id)
    tag = version_tag(request, seen.event, seen.head.number, now=now)
    if request.headers.get("hx-request-type") != "partial":
        return show(request, campaign_id, now, after=after, tag=tag)
    not_modified = unchanged(request, tag)
    if not_modified is not None:
        return not_modified
    key = f"runs/{campaign_id}/{after}/{reader_of(request).language}"
    tag, body = shared.get(
        key,
        tag,
        lambda: bytes(show(request, campaign_id, now, after=after, tag=tag, block="live").body),
    )
    return HTMLResponse(body, headers={"HX-PTag": tag, "Cache-Control": "no-store"})


def show(
    request: Request,
    campaign_id: str,
    now: datetime,
    *,
    after: str = "",
    tag: str = "",
    entry: SpanEntry | None = None,
    block: str | None = None,
    status: int = 200,
) -> Response:
    """The page of runs, with a form as it was typed where one was refused."""
    with request.app.state.db.read() as session:
        around = frame_or_404(session, campaign_id, now)
        context = _context(session, around, now, after, tag, entry)
    return page(request, "runs/index.html", context, frame=around, block=block, status=status)


def frame_or_404(session: Session, campaign_id: str, now: datetime) -> Frame:
    """What stands around the campaign's pages; raises NotFound for an unknown one."""
    around = frame(session, campaign_id, now)
    if around is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return around


def known_of(session: Session, campaign_id: str, now: datetime) -> Known:
    """The plan and the windows that rows are read against."""
    plan = current(session, campaign_id)
    windows = queries.windows_of(session, campaign_id, plan)
    return Known(f"/campaigns/{campaign_id}/runs", plan, windows, now)


def _context(
    session: Session, around: Frame, now: datetime, after: str, tag: str, entry: SpanEntry | None
) -> RunsPage:
    known = known_of(session, around.id, now)
    found = queries.page_of_runs(
        session, around.id, now, after=after, limit=PAGE, newest_first=True
    )
    stops = queries.stop_records(session, around.id)
    spans = queries.spans_of(session, around.id)
    return RunsPage(
        base=known.base,
        is_open=around.state != "closed",
        version=tag,
        runs=tuple(run_line(run, known) for run in found.items),
        older_href=f"{known.base}?after={found.next}" if found.next else None,
        is_first_page=not after,
        stops=tuple(stop_line(one, found.items, known.base) for one in reversed(stops)),
        people=step_times(known.plan, spans, now),
        entry=entry or SpanEntry(around.zone, choices(known.plan)),
        machine_s=sum(run.machine_s for run in found.items),
    )
