"""Reading runs: views of runs and attempts, the stop register, people's time, single events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from app import journal
from app.runs.queries.viewed import GOING, all_views, put_away, runs_in, views
from app.runs.rules import naming
from app.runs.rules.spans import SpanView, TimeEntry, spans
from app.runs.rules.views import RunView
from app.runs.tables import AttemptState, Flip, Run, StopRecord, TimeSpan


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
    """What a page's version is made of: the newest event, journal entry and change of liveness."""

    event: int
    head: journal.Head
    liveness: int


def runs_of(session: Session, campaign_id: str, now: datetime) -> tuple[RunView, ...]:
    """All runs of a campaign by their first event, as they stand at `now`; one statement.

    What has not changed since the last reading is not read again.
    """
    return all_views(session, campaign_id, now)


def run_of(session: Session, campaign_id: str, run_id: str, now: datetime) -> RunView | None:
    """One run, or None; one statement."""
    runs = runs_in(campaign_id).where(col(Run.run_id) == run_id)
    found = views(session, campaign_id, runs, now)
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
    runs = runs_in(campaign_id)
    if archived is not None:
        away = col(Run.run_id).in_(put_away(campaign_id))
        runs = runs.where(away if archived else ~away)
    if after:
        first = select(Run.first_event).where(Run.campaign_id == campaign_id, Run.run_id == after)
        behind = col(Run.first_event) < first.scalar_subquery()
        ahead = col(Run.first_event) > first.scalar_subquery()
        runs = runs.where(behind if newest_first else ahead)
    order = col(Run.first_event).desc() if newest_first else col(Run.first_event)
    found = views(session, campaign_id, runs.order_by(order).limit(limit + 1), now)
    if newest_first:
        found = found[::-1]
    more = len(found) > limit
    return RunPage(found[:limit], found[limit - 1].id if more else None)


def going_runs(
    session: Session, campaign_id: str, now: datetime, limit: int = 100
) -> tuple[RunView, ...]:
    """The newest runs that have no end yet, and were not put away; one statement."""
    going = runs_in(campaign_id).where(
        col(Run.status).in_(GOING), ~col(Run.run_id).in_(put_away(campaign_id))
    )
    newest = going.order_by(col(Run.first_event).desc()).limit(limit)
    return views(session, campaign_id, newest, now)


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
    """What changes with every fact of a campaign; two statements, all looks at an index."""
    flips = select(func.max(Flip.id)).where(Flip.campaign_id == campaign_id)
    newest, liveness = session.exec(
        select(func.max(AttemptState.last_event), flips.scalar_subquery()).where(
            AttemptState.campaign_id == campaign_id
        )
    ).one()
    return Activity(newest or 0, journal.read_head(session, campaign_id), liveness or 0)


def _stop_view(row: StopRecord) -> StopRecordView:
    return StopRecordView(
        row.number, row.run_id, row.attempt, row.step, row.config_sha256, row.rule,
        row.reason_code, row.text, row.metric, row.value, row.act, row.actor_kind,
        row.actor_name, row.fired_on_box, row.confirmed, row.at, row.recorded_at,
    )  # fmt: skip
