"""Reading what came after the close, run by run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select as pick
from sqlmodel import Session, col, func, select

from app.journal import JournalEntry
from app.runs.queries.events import EventView
from app.runs.rules.errata import CameLate
from app.runs.rules.events import ENDS, Kind, Status, source_rank
from app.runs.rules.times import at_of
from app.runs.rules.transitions import after
from app.runs.tables import LateEvent, Run

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LateSource:
    """The numbers of one source that an entry speaks of."""

    source: str
    first: int
    last: int
    events: int


@dataclass(frozen=True, slots=True)
class LateEntry:
    """A journal entry about late evidence: who brought which events of an attempt, and when.

    `sha256` is the entry's own hash, `events_sha256` that of all its events.
    """

    number: int
    sha256: str
    at: datetime
    actor_kind: str
    actor_name: str
    attempt_id: str
    sources: tuple[LateSource, ...]
    events_sha256: str


def came_late(
    session: Session, campaign_id: str, run_id: str | None = None
) -> tuple[CameLate, ...]:
    """What came after the close, by run and attempt; of one run where it is named.

    Two statements; the second reads the ends among the late events only.
    """
    of_campaign = [col(LateEvent.campaign_id) == campaign_id]
    if run_id is not None:
        of_campaign.append(col(LateEvent.run_id) == run_id)
    key = (col(LateEvent.run_id), col(LateEvent.attempt_id))
    known = (
        pick(col(Run.run_id))
        .where(col(Run.campaign_id) == campaign_id, col(Run.run_id) == col(LateEvent.run_id))
        .correlate(LateEvent)
        .exists()
    )
    counted = (
        pick(*key, func.count(), func.max(LateEvent.received_us), known)
        .where(*of_campaign)
        .group_by(*key)
        .order_by(*key)
    )
    rows = session.connection().execute(counted).all()
    if not rows:
        return ()
    columns: list[Any] = [
        *key, col(LateEvent.source), col(LateEvent.kind), col(LateEvent.at_us),
        col(LateEvent.payload),
    ]  # fmt: skip
    ends = pick(*columns).where(*of_campaign, col(LateEvent.kind).in_([str(k) for k in ENDS]))
    told: dict[Key, Any] = {}
    for row in sorted(session.connection().execute(ends), key=lambda row: source_rank(row.source)):
        told.setdefault((row.run_id, row.attempt_id), row)
    return tuple(_view(row, told.get((row.run_id, row.attempt_id))) for row in rows)


def late_events(
    session: Session,
    campaign_id: str,
    run_id: str,
    attempts: Mapping[str, int],
    limit: int,
    *,
    before: int | None = None,
) -> tuple[EventView, ...]:
    """A run's events that came after the close, the newest first; one statement.

    `attempts` gives the numbers of attempts by their ids; one that the run does not have is 0.
    `before` goes on after the event of that number.
    """
    query = select(LateEvent).where(
        LateEvent.campaign_id == campaign_id, LateEvent.run_id == run_id
    )
    if before is not None:
        query = query.where(col(LateEvent.number) < before)
    rows = session.exec(query.order_by(col(LateEvent.number).desc()).limit(limit))
    return tuple(
        EventView(
            row.number or 0, attempts.get(row.attempt_id, 0), row.source, row.seq, row.kind,
            at_of(row.received_us if row.at_us is None else row.at_us), at_of(row.received_us),
            json.loads(row.payload),
        )
        for row in rows
    )  # fmt: skip


def late_attempts(session: Session, campaign_id: str, run_id: str) -> tuple[str, ...]:
    """The attempts that late events of a run name, in the order in which they first came."""
    rows = session.connection().execute(
        pick(col(LateEvent.attempt_id))
        .where(col(LateEvent.campaign_id) == campaign_id, col(LateEvent.run_id) == run_id)
        .group_by(col(LateEvent.attempt_id))
        .order_by(func.min(LateEvent.number))
    )
    return tuple(row.attempt_id for row in rows)


def late_entries(
    session: Session, campaign_id: str, run_id: str, limit: int
) -> tuple[LateEntry, ...]:
    """The journal's newest entries about late evidence of a run; one statement."""
    of_run = select(LateEvent.entry).where(
        LateEvent.campaign_id == campaign_id, LateEvent.run_id == run_id
    )
    rows = session.exec(
        select(JournalEntry)
        .where(JournalEntry.campaign_id == campaign_id, col(JournalEntry.number).in_(of_run))
        .order_by(col(JournalEntry.number).desc())
        .limit(limit)
    )
    return tuple(_entry(row) for row in rows)


def _entry(row: JournalEntry) -> LateEntry:
    said = json.loads(row.payload)
    sources = tuple(
        LateSource(name, one["first"], one["last"], one["events"])
        for name, one in sorted(said["sources"].items())
    )
    return LateEntry(
        row.number, row.sha256, row.at, row.actor_kind, row.actor_name, said["attempt_id"],
        sources, said["sha256"],
    )  # fmt: skip


def _view(row: Any, end: Any) -> CameLate:
    run_id, attempt_id, events, received_us, known = row
    if end is None:
        return CameLate(run_id, attempt_id, events, at_of(received_us), known=bool(known))
    said = json.loads(end.payload)
    return CameLate(
        run_id,
        attempt_id,
        events,
        at_of(received_us),
        after(Status.RUNNING, Kind(end.kind)).value,
        None if end.at_us is None else at_of(end.at_us),
        said.get("reason_code"),
        said.get("reason_text"),
        bool(known),
    )
