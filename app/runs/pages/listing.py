"""`/campaigns/{id}/runs`: all runs, the stop register, and people's time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request
from sqlmodel import Session
from starlette.responses import HTMLResponse, Response

from app import clock
from app.campaigns.queries import header
from app.errors import NotFound
from app.plan.queries import current
from app.runs import queries
from app.runs.pages.lines import Known, RunLine, StopLine, run_line, stop_line
from app.runs.pages.time import SpanEntry, StepTime, choices, step_times
from app.runs.pages.waiting import Wait, waits
from app.texts import Text, text
from app.timeline.queries import frame, timeline
from app.web import Frame, page
from app.web.live import shared, unchanged, version_tag
from app.web.page import reader_of

router = APIRouter()
PAGE = 100


@dataclass(frozen=True, slots=True)
class LateLine:
    """A run of which something came after the close."""

    run: str
    href: str
    said: Text


@dataclass(frozen=True, slots=True)
class RunsPage:
    """Everything the page of runs shows; `is_open` is False after the close."""

    base: str
    is_open: bool
    version: str
    runs: tuple[RunLine, ...]
    older_href: str | None
    is_first_page: bool
    waits: tuple[Wait, ...]
    late: tuple[LateLine, ...]
    archived: int
    shows_archived: bool
    archived_href: str
    stops: tuple[StopLine, ...]
    people: tuple[StepTime, ...]
    entry: SpanEntry
    machine_s: int

    @property
    def has_begun(self) -> bool:
        """Whether any of these runs has machine time."""
        return any(run.started_at is not None for run in self.runs)


@router.get("/campaigns/{campaign_id}/runs")
def index(request: Request, campaign_id: str, after: str = "", archived: bool = False) -> Response:
    """The page, or for a poll its live part: 304 when nothing happened since."""
    now = clock.now()
    with request.app.state.db.read() as session:
        seen = queries.activity(session, campaign_id)
    tag = version_tag(request, seen.event, seen.head.number, seen.liveness, now=now)
    if request.headers.get("hx-request-type") != "partial":
        return show(request, campaign_id, now, after=after, archived=archived, tag=tag)
    not_modified = unchanged(request, tag)
    if not_modified is not None:
        return not_modified

    def render() -> bytes:
        shown = show(
            request, campaign_id, now, after=after, archived=archived, tag=tag, block="live"
        )
        return bytes(shown.body)

    key = f"runs/{campaign_id}/{after}/{archived}/{reader_of(request).language}"
    tag, body = shared.get(key, tag, render)
    return HTMLResponse(body, headers={"HX-PTag": tag, "Cache-Control": "no-store"})


def show(
    request: Request,
    campaign_id: str,
    now: datetime,
    *,
    after: str = "",
    archived: bool = False,
    tag: str = "",
    entry: SpanEntry | None = None,
    block: str | None = None,
    status: int = 200,
) -> Response:
    """The page of runs, with a form as it was typed where one was refused."""
    with request.app.state.db.read() as session:
        around = frame_or_404(session, campaign_id, now)
        at = as_of(session, around, now)
        context = _context(session, around, at, after, archived, tag, entry)
    return page(request, "runs/index.html", context, frame=around, block=block, status=status)


def frame_or_404(session: Session, campaign_id: str, now: datetime) -> Frame:
    """What stands around the campaign's pages; raises NotFound for an unknown one."""
    around = frame(session, campaign_id, now)
    if around is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return around


def as_of(session: Session, around: Frame, now: datetime) -> datetime:
    """The moment that a campaign's runs are shown at: nothing goes on after the close."""
    view = timeline(session, around.id, now) if around.state == "closed" else None
    return view.facts.until_at if view is not None else now


def known_of(session: Session, campaign_id: str, now: datetime) -> Known:
    """The plan and the windows that rows are read against; `now` is the close once closed."""
    plan, head = current(session, campaign_id), header(session, campaign_id)
    windows = queries.windows_of(session, campaign_id, plan)
    is_closed = head is not None and head.closed_at is not None
    return Known(f"/campaigns/{campaign_id}/runs", plan, windows, now, is_closed)


def _context(
    session: Session,
    around: Frame,
    now: datetime,
    after: str,
    archived: bool,
    tag: str,
    entry: SpanEntry | None,
) -> RunsPage:
    known = known_of(session, around.id, now)
    found = queries.page_of_runs(
        session, around.id, now, after=after, limit=PAGE, newest_first=True, archived=archived
    )
    stops = queries.stop_records(session, around.id)
    spans = queries.spans_of(session, around.id)
    away = [one for one in queries.archivals_of(session, around.id).values() if one.archived]
    view = timeline(session, around.id, now)
    going = queries.going_runs(session, around.id, now) if around.state != "closed" else ()
    query = "archived=1&" if archived else ""
    return RunsPage(
        base=known.base,
        is_open=around.state != "closed",
        version=tag,
        runs=tuple(run_line(run, known) for run in found.items),
        older_href=f"{known.base}?{query}after={found.next}" if found.next else None,
        is_first_page=not after,
        waits=waits(view, going, known) if view else (),
        late=_late(session, around, known),
        archived=len(away),
        shows_archived=archived,
        archived_href=f"{known.base}?archived=1",
        stops=tuple(stop_line(one, found.items, known) for one in reversed(stops)),
        people=step_times(known.plan, spans, now),
        entry=entry or SpanEntry(around.zone, choices(known.plan)),
        machine_s=sum(run.machine_s for run in found.items),
    )


def _late(session: Session, around: Frame, known: Known) -> tuple[LateLine, ...]:
    """What came after the close; nothing of the kind exists before it."""
    if around.state != "closed":
        return ()
    late = queries.came_late(session, around.id)
    return tuple(LateLine(one.run, f"{known.base}/{one.run}", one.said) for one in late)
