"""Writing an attempt: its events, its fold, its run's row, and the journal entries that follow."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app import journal
from app.db import WriteSession
from app.journal import Actor, Head
from app.runs.commands.knowing import Knowledge, parsed
from app.runs.commands.opening import Campaign, Open, attempts_of, by_clock, give_streams
from app.runs.rules.attempts import (
    binding_changed,
    machine_s,
    metrics_of,
    started_at_us,
    step_of,
)
from app.runs.rules.binding import Binding, Subject, bindings
from app.runs.rules.deadlines import Standing, moments_us
from app.runs.rules.events import Kind, Stored, source_rank
from app.runs.rules.liveness import due_us, stall_due_us
from app.runs.rules.records import json_text
from app.runs.rules.streams import EMPTY, fold, step, with_gap_filled
from app.runs.rules.viewing import current_of

_ATTEMPT = """
INSERT INTO attempts (campaign_id, run_id, attempt_id, number, late, created_us)
VALUES (:campaign, :run, :attempt, :number, :late, :created)
"""
_EVENT = """
INSERT INTO run_events
(attempt_key, source, seq, kind, at_us, received_us, payload, context)
VALUES (:key, :source, :seq, :kind, :at, :received, :payload, :context)
"""
_NEW_STATE = """
INSERT INTO attempt_states (attempt_key, campaign_id, last_event, due_us, stall_due_us, look_us,
plan_version, rules, names, start, streams)
VALUES (:key, :campaign, :last, :due, :stall, :look, :version, :rules, :names, :start, :streams)
"""
_STATE = """
UPDATE attempt_states SET last_event = :last, due_us = :due, stall_due_us = :stall,
look_us = :look, streams = :streams WHERE attempt_key = :key
"""
_WHOLE_STATE = """
UPDATE attempt_states SET last_event = :last, due_us = :due, stall_due_us = :stall,
look_us = :look, streams = :streams, plan_version = :version, rules = :rules, names = :names,
start = :start
WHERE attempt_key = :key
"""
_NEW_RUN = """
INSERT INTO runs (campaign_id, run_id, first_event, status, attempt)
VALUES (:campaign, :run, :first, :status, :attempt)
"""
_RUN = """
UPDATE runs SET status = :status, attempt = :attempt WHERE campaign_id = :campaign AND run_id = :run
"""
_EVENTS = """
SELECT source, seq, kind, at_us, received_us, payload, context FROM run_events
WHERE attempt_key = :key ORDER BY source, seq
"""


def store(
    tx: WriteSession,
    campaign: Campaign,
    attempt: Open,
    stored: Stored,
    knowledge: Knowledge | None,
) -> None:
    """Append an event to the stream and let its attempt take the step that follows."""
    if attempt.key == 0:
        attempt.key = _insert_attempt(tx, campaign.id, attempt)
    context = knowledge.as_context if knowledge is not None else None
    number = _insert_event(tx, attempt.key, stored, context)
    attempt.last_event = number
    attempt.first_event = attempt.first_event or number
    attempt.is_dirty = True
    if stored.kind is Kind.START:
        _take_start(attempt, stored, knowledge)
    before = attempt.streams.get(stored.source, EMPTY)
    if stored.seq > before.numbers.last:
        now = step(before, stored, attempt.context)
        ended = any(stream.end is not None for stream in attempt.streams.values())
        attempt.binds = attempt.binds or binding_changed(before, now, ended=ended)
    else:
        now = with_gap_filled(before, stored.seq)
        attempt.is_stale = True
    attempt.streams[stored.source] = now


def save(tx: WriteSession, campaign: Campaign, attempt: Open, actor: Actor, now: datetime) -> None:
    """Write the fold, bring the run's row up to date, and append what binds to the journal."""
    if attempt.is_stale:
        fold_again(tx, attempt)
    was_new = attempt.is_new
    write_state(tx, campaign.id, attempt)
    if attempt.binds or was_new:
        before, facts = attempt.before, attempt.facts
        write_run(tx, campaign.id, attempt, is_first=was_new or facts.started != before.started)
        measured = metrics_of(attempt.loaded)
        for binding in bindings(subject_of(attempt), before, facts, measured):
            campaign.head = _append(tx, campaign.id, binding, actor, now)
    attempt.loaded = dict(attempt.streams)
    attempt.is_new = attempt.is_dirty = attempt.binds = attempt.is_stale = False
    attempt.supersedes = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored event with what the server knew when it came."""

    event: Stored
    context: str | None


def fold_again(tx: WriteSession, attempt: Open) -> None:
    """The attempt's state from all its events, whatever their order of arrival."""
    rows = [_kept(row) for row in tx.rows(_EVENTS, {"key": attempt.key})]
    starts = [kept for kept in rows if kept.event.kind is Kind.START]
    start = min(starts, key=lambda kept: _start_order(kept.event), default=None)
    known = start or next((kept for kept in rows if kept.context is not None), None)
    if start is not None:
        attempt.start = _start_text(start.event)
    if known is not None and known.context is not None:
        attempt.plan_version, attempt.rules, attempt.names = parsed(known.context)
    context = attempt.context
    events: dict[str, list[Stored]] = {}
    for kept in rows:
        events.setdefault(kept.event.source, []).append(kept.event)
    attempt.streams = {source: fold(found, context) for source, found in events.items()}
    attempt.binds = attempt.writes_start = True


def _kept(row: Any) -> Kept:
    source, seq, kind, at_us, received_us, payload, context = row
    return Kept(Stored(source, seq, Kind(kind), at_us, received_us, json.loads(payload)), context)


def _start_order(event: Stored) -> tuple[tuple[int, str], int]:
    return source_rank(event.source), event.seq


def _start_text(event: Stored) -> str:
    return json_text({**event.fields, "source": event.source, "seq": event.seq})


def _take_start(attempt: Open, stored: Stored, knowledge: Knowledge | None) -> None:
    """Keep what the start says; events that came before it are judged anew."""
    said = attempt.start_fields
    if said and _start_order(stored) > (source_rank(said["source"]), said["seq"]):
        return
    attempt.start = _start_text(stored)
    attempt.writes_start = True
    if knowledge is not None:
        attempt.plan_version, attempt.rules, attempt.names = parsed(knowledge.as_context)
    if attempt.streams:
        attempt.is_stale = True


def _insert_attempt(tx: WriteSession, campaign_id: str, attempt: Open) -> int:
    values = {
        "campaign": campaign_id,
        "run": attempt.run,
        "attempt": attempt.attempt_id,
        "number": attempt.number,
        "late": attempt.late,
        "created": attempt.created_us,
    }
    return tx.insert(_ATTEMPT, values, "id")


def _insert_event(tx: WriteSession, key: int, stored: Stored, context: str | None) -> int:
    values = {
        "key": key,
        "source": stored.source,
        "seq": stored.seq,
        "kind": stored.kind.value,
        "at": stored.at_us,
        "received": stored.received_us,
        "payload": json_text(stored.fields),
        "context": context,
    }
    return tx.insert(_EVENT, values, "number")


def write_state(tx: WriteSession, campaign_id: str, attempt: Open) -> None:
    """The attempt's fold: whole where it is new or its start was read, else what beats change."""
    attempt.due_us = due_us(attempt.streams)
    attempt.stall_due_us = stall_due_us(attempt.streams)
    values: dict[str, object] = {
        "key": attempt.key,
        "last": attempt.last_event,
        "due": attempt.due_us,
        "stall": attempt.stall_due_us,
        "look": _look_us(attempt),
        "streams": give_streams(attempt.key, attempt.streams),
    }
    if attempt.is_new or attempt.writes_start:
        values["version"] = attempt.plan_version
        values.update(rules=attempt.rules, names=attempt.names, start=attempt.start)
    if attempt.is_new:
        tx.execute(_NEW_STATE, {**values, "campaign": campaign_id})
    else:
        tx.execute(_WHOLE_STATE if attempt.writes_start else _STATE, values)
    attempt.writes_start = False


def standing_of(attempt: Open, now_us: int) -> Standing:
    """The attempt as rules that a clock judges see it, without what the campaign knows."""
    return Standing(attempt.streams, attempt.created_us, now_us)


def _look_us(attempt: Open) -> int | None:
    """When time alone may next change something; told by the events, so made again by a fold."""
    rules = by_clock(attempt.rules, attempt.start_fields.get("step"))
    at = standing_of(attempt, 0)
    return min(moments_us(rules, at, attempt.due_us, attempt.stall_due_us), default=None)


def write_run(tx: WriteSession, campaign_id: str, attempt: Open, *, is_first: bool) -> None:
    """The run's row: its current attempt is looked up anew where an attempt came or started."""
    row = attempt.row
    status, number = row.status, row.attempt
    if is_first:
        known = attempts_of(tx, campaign_id, attempt.run, row)
        current = current_of([one.kept() for one in known])
        number = current.number
        status = next(one.facts.status.value for one in known if one.number == number)
    elif attempt.number == number:
        status = attempt.facts.status.value
    values = {"campaign": campaign_id, "run": attempt.run, "status": status, "attempt": number}
    if row.attempt == 0:
        tx.execute(_NEW_RUN, {**values, "first": attempt.first_event})
    elif (status, number) != (row.status, row.attempt):
        tx.execute(_RUN, values)
    row.status, row.attempt = status, number


def subject_of(attempt: Open) -> Subject:
    """The attempt as the entries about it name it."""
    fields = attempt.start_fields
    return Subject(
        attempt.run,
        attempt.number,
        attempt.attempt_id,
        step_of(attempt.streams),
        fields.get("config_sha256"),
        machine_s(attempt.streams),
        fields,
        started_at_us(attempt.streams),
        attempt.supersedes,
        metrics_of(attempt.streams),
    )


def _append(
    tx: WriteSession, campaign_id: str, binding: Binding, actor: Actor, now: datetime
) -> Head:
    by = actor
    if binding.by.startswith("rule"):
        by = Actor("rule", binding.by.removeprefix("rule:"))
    entry = journal.append(tx, campaign_id, binding.kind, by, binding.payload, now)
    return Head(entry.number, entry.sha256)
