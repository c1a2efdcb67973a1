"""Reading single events of a run, the newest first, page by page."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, union_all
from sqlalchemy import select as pick
from sqlmodel import Session, col, select

from app.runs.rules.records import read_streams_once
from app.runs.rules.times import at_of
from app.runs.tables import Attempt, AttemptState, RunEvent

Key = tuple[int, str]
"""The number of an attempt, and one of its sources."""


@dataclass(frozen=True, slots=True)
class EventView:
    """One event as it came; `at` is the job's time, `received_at` ours."""

    number: int
    attempt: int
    source: str
    seq: int
    kind: str
    at: datetime
    received_at: datetime
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventPage:
    """Some events, and where the earlier ones go on; None at the beginning of the run."""

    items: tuple[EventView, ...]
    next: str | None


def events_of(
    session: Session, campaign_id: str, run_id: str, *, before: str = "", limit: int = 100
) -> EventPage:
    """A run's events, the newest first, going on where a page ended; two statements.

    Each source is read by its numbers from their index and the sources are merged, so that a
    page deep in a long run costs no more than the first. Raises ValueError for a `before` that
    no page gave.
    """
    starts = _read_place(before)
    rows = session.exec(
        select(Attempt.id, Attempt.number, AttemptState.streams)
        .join(AttemptState, col(AttemptState.attempt_key) == col(Attempt.id))
        .where(Attempt.campaign_id == campaign_id, Attempt.run_id == run_id)
    ).all()
    numbers = {key: number for key, number, _ in rows if key is not None}
    parts = [
        _newest(key, source, starts.get((numbers[key], source)), limit + 1)
        for key, _, streams in rows
        if key is not None
        for source in read_streams_once(streams)
    ]
    if not parts:
        return EventPage((), None)
    found: dict[Key, list[EventView]] = {}
    for row in session.connection().execute(union_all(*parts)):
        event = _view(row, numbers[row.attempt_key])
        found.setdefault((event.attempt, event.source), []).append(event)
    for events in found.values():
        events.sort(key=lambda event: -event.seq)
    shown = tuple(event for event, _ in zip(_merged(found.values()), range(limit), strict=False))
    if len(shown) == sum(map(len, found.values())):
        return EventPage(shown, None)
    return EventPage(shown, _place(starts, shown))


def _newest(key: int, source: str, before: int | None, limit: int) -> Select[Any]:
    query = pick(
        col(RunEvent.number), col(RunEvent.attempt_key), col(RunEvent.source), col(RunEvent.seq),
        col(RunEvent.kind), col(RunEvent.at_us), col(RunEvent.received_us), col(RunEvent.payload),
    ).where(col(RunEvent.attempt_key) == key, col(RunEvent.source) == source)  # fmt: skip
    if before is not None:
        query = query.where(col(RunEvent.seq) < before)
    return pick(query.order_by(col(RunEvent.seq).desc()).limit(limit).subquery())


def _merged(sources: Iterable[list[EventView]]) -> Iterator[EventView]:
    """The sources' events, each in its own order, by when their heads came."""
    lists = list(sources)
    heads = [(-events[0].number, at, 0) for at, events in enumerate(lists)]
    heapq.heapify(heads)
    while heads:
        _, at, place = heapq.heappop(heads)
        yield lists[at][place]
        if place + 1 < len(lists[at]):
            heapq.heappush(heads, (-lists[at][place + 1].number, at, place + 1))


def _place(starts: Mapping[Key, int], shown: Sequence[EventView]) -> str:
    """Where each source goes on, as the address of the next page carries it."""
    lowest = dict(starts)
    for event in shown:
        lowest[event.attempt, event.source] = event.seq
    return ".".join(f"{number}-{source}-{seq}" for (number, source), seq in sorted(lowest.items()))


def _read_place(said: str) -> dict[Key, int]:
    found: dict[Key, int] = {}
    for part in said.split(".") if said else ():
        number, _, rest = part.partition("-")
        source, _, seq = rest.rpartition("-")
        if not (number.isdecimal() and seq.isdecimal() and source and len(part) <= 80):
            raise ValueError("not a place that a page of events gave")
        found[int(number), source] = int(seq)
    return found


def _view(row: Any, attempt: int) -> EventView:
    return EventView(
        row.number, attempt, row.source, row.seq, row.kind, at_of(row.at_us),
        at_of(row.received_us), json.loads(row.payload),
    )  # fmt: skip
