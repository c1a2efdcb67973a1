"""Reading runs: views of runs and attempts, the stop register, people's time, single events."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select
from sqlalchemy import select as pick
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from app import journal
from app.runs.rules import naming
from app.runs.rules.records import read_rules_once, read_streams_once
from app.runs.rules.spans import SpanView, TimeEntry, spans
from app.runs.rules.viewing import view_run
from app.runs.rules.views import Kept, RunView
from app.runs.tables import Archival, Attempt, AttemptState, Run, StopRecord, TimeSpan

_GOING = ("planned", "running")
_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)
_Row = tuple[Any, ...]
"""One attempt as it is stored: all columns of `_attempts` behind the run and its status."""


@dataclass(frozen=True, slots=True)
class RunPage:
    """Some runs in their order, and the id to go on after; None at the end."""

    items: tuple[RunView, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class StopRecordView:
    """One line of the stop register; `at` is the job's time, `recorded_at` ours."""

    number: int
    run: str
    attempt: int
    step: str | None
    config_sha256: str | None
    rule: str | None
    reason_code: str
    text: str
    metric: str | None
    value: str | None
    act: str
    actor_kind: str
    actor_name: str
    fired_on_box: bool
    confirmed: bool
    at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Activity:
    """What a page's version is made of: the newest event and the newest journal entry."""

    event: int
    head: journal.Head


def runs_of(session: Session, campaign_id: str, now: datetime) -> tuple[RunView, ...]:
    """All runs of a campaign by their first event, as they stand at `now`; one statement."""
    return _views(session, campaign_id, _runs(campaign_id), now)


def run_of(session: Session, campaign_id: str, run_id: str, now: datetime) -> RunView | None:
    """One run, or None; one statement."""
    runs = _runs(campaign_id).where(col(Run.run_id) == run_id)
    found = _views(session, campaign_id, runs, now)
    return found[0] if found else None


def page_of_runs(
    session: Session,
    campaign_id: str,
    now: datetime,
    *,
    after: str = "",
    limit: int = 100,
    newest_first: bool = False,
    archived: bool | None = None,
) -> RunPage:
    """Some runs by their first event, going on after one of them; one statement.

    `archived` asks for the runs that a person put away, or for the others; None for all.
    """
    runs = _runs(campaign_id)
    if archived is not None:
        away = col(Run.run_id).in_(_put_away(campaign_id))
        runs = runs.where(away if archived else ~away)
    if after:
        first = select(Run.first_event).where(Run.campaign_id == campaign_id, Run.run_id == after)
        behind = col(Run.first_event) < first.scalar_subquery()
        ahead = col(Run.first_event) > first.scalar_subquery()
        runs = runs.where(behind if newest_first else ahead)
    order = col(Run.first_event).desc() if newest_first else col(Run.first_event)
    found = _views(session, campaign_id, runs.order_by(order).limit(limit + 1), now)
    if newest_first:
        found = found[::-1]
    more = len(found) > limit
    return RunPage(found[:limit], found[limit - 1].id if more else None)


def going_runs(
    session: Session, campaign_id: str, now: datetime, limit: int = 100
) -> tuple[RunView, ...]:
    """The newest runs that have no end yet, and were not put away; one statement."""
    going = _runs(campaign_id).where(
        col(Run.status).in_(_GOING), ~col(Run.run_id).in_(_put_away(campaign_id))
    )
    newest = going.order_by(col(Run.first_event).desc()).limit(limit)
    return _views(session, campaign_id, newest, now)


def statuses(session: Session, campaign_id: str, run_ids: Iterable[str]) -> dict[str, str]:
    """The statuses of these runs, by their ids; unknown ones are absent. One statement."""
    rows = session.exec(
        select(Run.run_id, Run.status).where(
            Run.campaign_id == campaign_id, col(Run.run_id).in_(list(run_ids))
        )
    )
    return dict(rows.all())


def next_run(session: Session, campaign_id: str, step: str) -> str:
    """The id that the next run of a step gets, by the rule that refusals name one; one statement.

    A client proposes the same, and counts on from it where it is taken.
    """
    first = naming.first_id(step)
    stem = col(Run.run_id).startswith(naming.stem(first), autoescape=True)
    taken = session.exec(select(Run.run_id).where(Run.campaign_id == campaign_id, stem))
    return naming.free_id(first, set(taken))


def stop_records(session: Session, campaign_id: str) -> tuple[StopRecordView, ...]:
    """The stop register as it counts now, in the order of writing; one statement.

    Of several lines about one attempt and one rule (or reason) the newest counts.
    """
    rows = session.exec(
        select(StopRecord)
        .where(StopRecord.campaign_id == campaign_id)
        .order_by(col(StopRecord.number))
    )
    newest: dict[tuple[str, str, str], StopRecord] = {}
    for row in rows:
        key = (row.run_id, row.attempt_id, row.key)
        newest.pop(key, None)
        if not row.withdrawn:
            newest[key] = row
    return tuple(_stop_view(row) for row in newest.values())


def spans_of(session: Session, campaign_id: str) -> tuple[SpanView, ...]:
    """People's time as it counts now, by its beginning; one statement."""
    rows = session.exec(
        select(TimeSpan).where(TimeSpan.campaign_id == campaign_id).order_by(col(TimeSpan.number))
    )
    return spans(
        TimeEntry(
            row.number, row.act, row.span, row.step, row.started_at, row.ended_at,
            row.person, row.note,
        )
        for row in rows
    )  # fmt: skip


def activity(session: Session, campaign_id: str) -> Activity:
    """What changes with every fact of a campaign; two statements, each one look at an index."""
    newest = session.exec(
        select(func.max(AttemptState.last_event)).where(AttemptState.campaign_id == campaign_id)
    ).one()
    return Activity(newest or 0, journal.read_head(session, campaign_id))


def _put_away(campaign_id: str) -> Any:
    """The ids of the runs that a person put away: of several words on a run the newest counts."""
    later = aliased(Archival)
    newer = select(later.number).where(
        later.campaign_id == Archival.campaign_id,
        later.run_id == Archival.run_id,
        col(later.number) > col(Archival.number),
    )
    return select(Archival.run_id).where(
        Archival.campaign_id == campaign_id, col(Archival.archived), ~newer.exists()
    )


def _runs(campaign_id: str) -> Select[Any]:
    """The runs of a campaign; what they are narrowed to is found before anything is joined."""
    columns: list[Any] = [Run.campaign_id, Run.run_id, Run.status, Run.first_event]
    found: Select[Any] = pick(*columns)
    return found.where(col(Run.campaign_id) == campaign_id)


def _attempts(campaign_id: str, runs: Select[Any]) -> Select[Any]:
    """What views are made of: one row for each attempt, by run and number."""
    of = runs.subquery()
    away = of.c.run_id.in_(_put_away(campaign_id))
    columns: list[Any] = [
        of.c.run_id, of.c.status, Attempt.attempt_id, Attempt.number, Attempt.late,
        Attempt.created_us, AttemptState.plan_version, away, AttemptState.streams,
        AttemptState.start, AttemptState.rules,
    ]  # fmt: skip
    query: Select[Any] = pick(*columns)
    same_run = (col(Attempt.campaign_id) == of.c.campaign_id) & (col(Attempt.run_id) == of.c.run_id)
    return (
        query.select_from(of)
        .join(Attempt, same_run)
        .join(AttemptState, col(AttemptState.attempt_key) == col(Attempt.id))
        .order_by(of.c.first_event, col(Attempt.number))
    )


def _views(
    session: Session, campaign_id: str, runs: Select[Any], now: datetime
) -> tuple[RunView, ...]:
    found: dict[tuple[str, str], list[_Row]] = {}
    query = _attempts(campaign_id, runs)
    for run_id, status, *about in session.connection().execute(query):
        found.setdefault((run_id, status), []).append(tuple(about))
    return tuple(
        _ended(campaign_id, run_id, tuple(rows))
        if status not in _GOING
        else _view(campaign_id, run_id, rows, now)
        for (run_id, status), rows in found.items()
    )


@functools.lru_cache(maxsize=8192)
def _ended(campaign_id: str, run_id: str, rows: tuple[_Row, ...]) -> RunView:
    """A run that has ended looks the same at any time, as long as its rows say the same."""
    return _view(campaign_id, run_id, rows, _ANY_TIME)


def _view(campaign_id: str, run_id: str, rows: Sequence[_Row], now: datetime) -> RunView:
    kept: list[Kept] = []
    for attempt_id, number, late, created_us, version, _, streams, start, rules in rows:
        told = read_streams_once(streams), json.loads(start), read_rules_once(rules)
        kept.append(Kept(attempt_id, number, late, created_us, version, *told))
    archived = any(row[5] for row in rows)
    return view_run(campaign_id, run_id, kept, now, archived=archived)


def _stop_view(row: StopRecord) -> StopRecordView:
    return StopRecordView(
        row.number, row.run_id, row.attempt, row.step, row.config_sha256, row.rule,
        row.reason_code, row.text, row.metric, row.value, row.act, row.actor_kind,
        row.actor_name, row.fired_on_box, row.confirmed, row.at, row.recorded_at,
    )  # fmt: skip
