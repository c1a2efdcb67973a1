"""What time alone changes: rules that a clock judges, and attempts that fall silent or stand still.

One loop in each process of the server asks `queries.attention` and has `watch` run for each
campaign it names. `watch` looks again inside the writer's transaction, so it may run in several
processes at once, and twice for one attempt. It never writes an end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from app.db import WriteSession
from app.journal import Actor
from app.plan.queries import current
from app.plan.rules.model import Role
from app.runs.commands.opening import Campaign, Open, by_clock, look
from app.runs.commands.writing import save, standing_of, store
from app.runs.rules.control import control_values
from app.runs.rules.deadlines import Found, Standing, judge_by_clock, moments_us
from app.runs.rules.events import CLOCK, PERSON, Kind, Stored
from app.runs.rules.liveness import ALIVE, SILENT, STALLED, quiet
from app.runs.rules.streams import EMPTY
from app.runs.rules.times import us_of

WATCHER = Actor("clock", "watcher")
_MARKED = """
SELECT w.marked, s.look_us FROM attempt_states s
LEFT JOIN watches w ON w.attempt_key = s.attempt_key WHERE s.attempt_key = :key
"""
_WATCH = """
INSERT INTO watches (attempt_key, marked, seen_us, next_us) VALUES (:key, :marked, :seen, :next)
ON CONFLICT (attempt_key) DO UPDATE
SET marked = excluded.marked, seen_us = excluded.seen_us, next_us = excluded.next_us
"""
_FLIP = """
INSERT INTO liveness_flips (campaign_id, attempt_key, became, since_us, noticed_us)
VALUES (:campaign, :key, :became, :since, :noticed)
"""
_ENDS = """
SELECT payload FROM journal WHERE campaign_id = :campaign AND kind = 'run.ended' ORDER BY number
"""
_RESTORED = "SELECT 1 FROM restore_checks WHERE campaign_id = :campaign AND passed LIMIT 1"


def watch(
    tx: WriteSession, campaign_id: str, attempts: Sequence[tuple[str, str]], now: datetime
) -> None:
    """Judge what a clock judges, and note what fell silent, stands still, or lives again."""
    for run, attempt_id in attempts:
        found = look(tx, campaign_id, run, attempt_id)
        if found is None or found.attempt is None:
            continue
        if found.campaign.standing != "closed":
            judge_attempt(tx, found.campaign, found.attempt, now)
            if found.attempt.is_dirty:
                save(tx, found.campaign, found.attempt, WATCHER, now)
        _note(tx, campaign_id, found.attempt, us_of(now))


def judge_attempt(tx: WriteSession, campaign: Campaign, attempt: Open, now: datetime) -> None:
    """Append what a clock finds of an attempt's rules; the caller writes the attempt."""
    rules = by_clock(attempt.rules, attempt.start_fields.get("step"))
    is_superseded = attempt.number < attempt.row.attempt
    if not rules or attempt.late or is_superseded:
        return
    kinds = {rule.kind for rule in rules}
    at = Standing(
        attempt.streams,
        attempt.created_us,
        us_of(now),
        _control(tx, campaign.id) if "not_better" in kinds else None,
        "no_restore" in kinds and tx.row(_RESTORED, {"campaign": campaign.id}) is not None,
    )
    found = judge_by_clock(rules, at)
    if found:
        seq = attempt.streams.get(CLOCK, EMPTY).numbers.last + 1
        fields = _fields(found)
        stored = Stored(CLOCK, seq, Kind.JUDGE, at.now_us, at.now_us, fields)
        store(tx, campaign, attempt, stored, None)


def _fields(found: Sequence[Found]) -> dict[str, Any]:
    """What was found, in the words of the wire."""
    judged = {
        one.rule: {"evaluated": 1, "hits": 1 if one.text else 0, "last": one.last} for one in found
    }
    fired = [
        {"rule": one.rule, "metric": one.metric, "value": one.value or one.last, "text": one.text}
        for one in found
        if one.text is not None
    ]
    return {"judged": judged, "fired": fired} if fired else {"judged": judged}


def _control(tx: WriteSession, campaign_id: str) -> Mapping[str, str] | None:
    view = current(tx.orm, campaign_id)
    if view is None:
        return None
    steps = frozenset(step.id for step in view.plan.steps if step.role is Role.CONTROL)
    ends = (json.loads(row[0]) for row in tx.rows(_ENDS, {"campaign": campaign_id}))
    return control_values(ends, steps)


def _note(tx: WriteSession, campaign_id: str, attempt: Open, now_us: int) -> None:
    """Write a change of liveness, and when to look again."""
    before, look_us = tx.row(_MARKED, {"key": attempt.key})
    counts = attempt.number == attempt.row.attempt and not attempt.late
    became, since_us = quiet(attempt.streams, now_us) if counts else (ALIVE, now_us)
    marked = became if became in (SILENT, STALLED) else ""
    end = attempt.facts.end
    by_person = end is not None and end.source == PERSON
    if marked != (before or "") and counts and not (by_person and not marked):
        values = {"campaign": campaign_id, "key": attempt.key, "became": became}
        tx.execute(_FLIP, {**values, "since": since_us, "noticed": now_us})
    at = standing_of(attempt, now_us)
    rules = by_clock(attempt.rules, attempt.start_fields.get("step"))
    moments = moments_us(rules, at, attempt.due_us, attempt.stall_due_us)
    later = min((one for one in moments if one > now_us), default=None)
    values = {"key": attempt.key, "marked": marked, "seen": look_us or 0, "next": later}
    tx.execute(_WATCH, values)
