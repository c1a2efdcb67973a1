"""A run that was first heard of after the close: what came of it, as evidence and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.errors import Malformed, NotFound
from app.runs import queries
from app.runs.pages.events import EventsShown, events_shown
from app.runs.pages.listing import known_of
from app.runs.queries import CameLate, LateEntry
from app.texts import Text, text
from app.web import Frame

EVENTS = 100
ENTRIES = 50
"""So many entries of the journal are named, the newest."""
MOST_DIGITS = 18
"""So many digits has the number of an event at most."""


@dataclass(frozen=True, slots=True)
class EntryLine:
    """An entry of the journal as a row: which events came, and who brought them."""

    view: LateEntry
    attempt: int
    by: Text
    numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LateRun:
    """Everything the page shows of a run that has no other record."""

    run: str
    runs_href: str
    report_href: str
    late: tuple[CameLate, ...]
    events: int
    came_at: datetime
    entries: tuple[EntryLine, ...]
    has_more_entries: bool
    shown: EventsShown
    older_href: str | None


def late_run(session: Session, around: Frame, run_id: str, before: str, now: datetime) -> LateRun:
    """What came of an unknown run after the close; raises NotFound where nothing did."""
    late = queries.came_late(session, around.id, run_id)
    if not late:
        raise NotFound(text("There is no run {run} here.", run=run_id))
    known = known_of(session, around.id, now)
    named = queries.late_attempts(session, around.id, run_id)
    numbers = {attempt: at for at, attempt in enumerate(named, start=1)}
    entries = queries.late_entries(session, around.id, run_id, ENTRIES + 1)
    events = queries.late_events(
        session, around.id, run_id, numbers, EVENTS + 1, before=_place(before)
    )
    shown, last = events[:EVENTS], events[EVENTS - 1 : EVENTS]
    has_more = len(events) > EVENTS
    return LateRun(
        run=run_id,
        runs_href=known.base,
        report_href=f"/campaigns/{around.id}/report",
        late=late,
        events=sum(one.events for one in late),
        came_at=max(one.came_at for one in late),
        entries=tuple(_entry(one, numbers) for one in entries[:ENTRIES]),
        has_more_entries=len(entries) > ENTRIES,
        shown=events_shown(shown, {}, known.titles, around.zone),
        older_href=f"{known.base}/{run_id}?before={last[0].number}" if has_more else None,
    )


def _place(before: str) -> int | None:
    """Where a page of events goes on."""
    if not before:
        return None
    if not (before.isascii() and before.isdecimal() and len(before) <= MOST_DIGITS):
        raise Malformed(text("There is no such page of events."), field="before")
    return int(before)


def _entry(entry: LateEntry, attempts: Mapping[str, int]) -> EntryLine:
    said = []
    for one in entry.sources:
        numbers = f"{one.first}–{one.last}" if one.first < one.last else str(one.first)
        said.append(f"{one.source} {numbers}")
    by = text("the job ({name})", name=entry.actor_name)
    if entry.actor_kind != "job":
        by = text("{person}", person=entry.actor_name)
    return EntryLine(entry, attempts.get(entry.attempt_id, 0), by, tuple(said))
