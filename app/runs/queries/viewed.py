"""Views of a campaign's runs, made from its attempts as they are stored; what has not changed is
neither read nor made again."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import Select
from sqlalchemy import select as pick
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from app.runs.rules.records import read_rules_once, read_streams_once
from app.runs.rules.started import links_of, rules_of
from app.runs.rules.viewing import view_run
from app.runs.rules.views import Kept, RunView
from app.runs.tables import Archival, Attempt, AttemptState, Run

GOING: Final = ("planned", "running")
"""The statuses of runs that look another way when time passes."""
MOST_KEPT: Final = 8192
"""So many views are kept of ended runs; of a campaign with more runs none is kept as a whole."""
_ANY_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
_Row = tuple[Any, ...]
"""One attempt as it is stored: all columns of `_attempts` behind the run and its status."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """All runs of a campaign at one reading, by their first event, and the newest event in them."""

    event: int = -1
    views: Mapping[str, RunView] = field(default_factory=dict)


_NOTHING: Final = _Seen()
_seen: WeakKeyDictionary[object, dict[str, _Seen]] = WeakKeyDictionary()


def all_views(session: Session, campaign_id: str, now: datetime) -> tuple[RunView, ...]:
    """All runs by their first event, as they stand at `now`; one statement.

    A run's view changes with its events, with a person putting it away, and while it goes on with
    time: so only those runs are read to which one of these may have happened. Events of a campaign
    are numbered in the order of their commits, since one writer at a time holds it.
    """
    mine = _seen.setdefault(session.get_bind(), {})
    before = mine.get(campaign_id, _NOTHING)
    rows = list(_rows(session, campaign_id, _touched(campaign_id, before.event)))
    found = dict(before.views)
    found.update((view.id, view) for view in _made(campaign_id, rows, now))
    event = max((row[-1] for row in rows), default=before.event)
    if len(found) <= MOST_KEPT:
        mine[campaign_id] = _Seen(max(event, before.event), found)
    return tuple(found.values())


def _touched(campaign_id: str, event: int) -> Select[Any]:
    """The runs of which something may have changed since an event; all for a negative one."""
    runs = runs_in(campaign_id)
    if event < 0:
        return runs
    newer = (
        select(Attempt.run_id)
        .join(AttemptState, col(AttemptState.attempt_key) == col(Attempt.id))
        .where(AttemptState.campaign_id == campaign_id, col(AttemptState.last_event) > event)
    )
    away = select(Archival.run_id).where(Archival.campaign_id == campaign_id)
    of = col(Run.run_id)
    return runs.where(col(Run.status).in_(GOING) | of.in_(newer) | of.in_(away))


def put_away(campaign_id: str) -> Any:
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


def runs_in(campaign_id: str) -> Select[Any]:
    """The runs of a campaign; what they are narrowed to is found before anything is joined."""
    columns: list[Any] = [Run.campaign_id, Run.run_id, Run.status, Run.first_event]
    found: Select[Any] = pick(*columns)
    return found.where(col(Run.campaign_id) == campaign_id)


def _attempts(campaign_id: str, runs: Select[Any]) -> Select[Any]:
    """What views are made of: one row for each attempt, by run and number."""
    of = runs.subquery()
    away = of.c.run_id.in_(put_away(campaign_id))
    columns: list[Any] = [
        of.c.run_id, of.c.status, Attempt.attempt_id, Attempt.number, Attempt.late,
        Attempt.created_us, AttemptState.plan_version, away, AttemptState.streams,
        AttemptState.start, AttemptState.rules, AttemptState.last_event,
    ]  # fmt: skip
    query: Select[Any] = pick(*columns)
    same_run = (col(Attempt.campaign_id) == of.c.campaign_id) & (col(Attempt.run_id) == of.c.run_id)
    return (
        query.select_from(of)
        .join(Attempt, same_run)
        .join(AttemptState, col(AttemptState.attempt_key) == col(Attempt.id))
        .order_by(of.c.first_event, col(Attempt.number))
    )


def views(
    session: Session, campaign_id: str, runs: Select[Any], now: datetime
) -> tuple[RunView, ...]:
    """The runs of a selection in its order, as they stand at `now`; one statement."""
    return tuple(_made(campaign_id, _rows(session, campaign_id, runs), now))


def _rows(session: Session, campaign_id: str, runs: Select[Any]) -> Iterable[_Row]:
    return session.connection().execute(_attempts(campaign_id, runs))


def _made(campaign_id: str, rows: Iterable[_Row], now: datetime) -> Iterator[RunView]:
    found: dict[tuple[str, str], list[_Row]] = {}
    for run_id, status, *about in rows:
        found.setdefault((run_id, status), []).append(tuple(about))
    for (run_id, status), mine in found.items():
        if status in GOING:
            yield _view(campaign_id, run_id, mine, now)
        else:
            yield _ended(campaign_id, run_id, tuple(mine))


@functools.lru_cache(maxsize=MOST_KEPT)
def _ended(campaign_id: str, run_id: str, rows: tuple[_Row, ...]) -> RunView:
    """A run that has ended looks the same at any time, as long as its rows say the same."""
    return _view(campaign_id, run_id, rows, _ANY_TIME)


def _view(campaign_id: str, run_id: str, rows: Sequence[_Row], now: datetime) -> RunView:
    kept: list[Kept] = []
    for attempt_id, number, late, created_us, version, _, streams, start, rules, _ in rows:
        told = read_streams_once(streams), json.loads(start), read_rules_once(rules)
        kept.append(Kept(attempt_id, number, late, created_us, version, *told))
    archived = any(row[5] for row in rows)
    view = view_run(campaign_id, run_id, kept, now, archived=archived)
    return replace(view, links=links_of(kept), judged_by=rules_of(kept))
