"""Opening a campaign and the attempts of its runs for writing, in as few statements as can be."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.db import WriteSession
from app.journal import Head
from app.runs.rules.attempts import Facts, facts_of
from app.runs.rules.deadlines import BY_CLOCK
from app.runs.rules.judging import Context
from app.runs.rules.records import joined, read_rules_once, read_streams, stream_text
from app.runs.rules.streams import Stream
from app.runs.rules.views import Kept
from punktum.stop_rules import StopRule, rules_for

_OPEN = """
SELECT s.state, s.version, j.number, j.sha256, r.status, r.attempt,
       (SELECT archived FROM archivals WHERE campaign_id = c.id AND run_id = :run
        ORDER BY number DESC LIMIT 1),
       a.id, a.attempt_id, a.number, a.late, a.created_us,
       t.last_event, t.plan_version, t.rules, t.names, t.start, t.due_us, t.stall_due_us, t.streams
FROM campaigns c
LEFT JOIN campaign_standings s ON s.campaign_id = c.id
LEFT JOIN journal j ON j.campaign_id = c.id
  AND j.number = (SELECT max(number) FROM journal WHERE campaign_id = c.id)
LEFT JOIN runs r ON r.campaign_id = c.id AND r.run_id = :run
LEFT JOIN attempts a ON a.campaign_id = c.id AND a.run_id = :run AND a.{which}
LEFT JOIN attempt_states t ON t.attempt_key = a.id
WHERE c.id = :campaign
"""
BY_ID = _OPEN.format(which="attempt_id = :attempt")
CURRENT = _OPEN.format(which="number = r.attempt")
OF_RUN = """
SELECT a.id, a.attempt_id, a.number, a.late, a.created_us,
       t.last_event, t.plan_version, t.rules, t.names, t.start, t.due_us, t.stall_due_us, t.streams
FROM attempts a JOIN attempt_states t ON t.attempt_key = a.id
WHERE a.campaign_id = :campaign AND a.run_id = :run ORDER BY a.number
"""


@dataclass(slots=True)
class Campaign:
    """Where the campaign stands inside this transaction."""

    id: str
    standing: str
    version: int
    head: Head | None


@dataclass(slots=True)
class RunRow:
    """A run's row as it is stored; `attempt` 0 means that there is none yet."""

    status: str = "planned"
    attempt: int = 0
    archived: bool = False


@dataclass(slots=True)
class Open:
    """An attempt that is being written to; `is_new` until its state has a row."""

    key: int
    run: str
    attempt_id: str
    number: int
    late: bool
    created_us: int
    row: RunRow
    plan_version: int = 0
    rules: str = "[]"
    names: str = "{}"
    start: str = "{}"
    loaded: Mapping[str, Stream] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    last_event: int = 0
    first_event: int = 0
    supersedes: int | None = None
    is_new: bool = False
    is_dirty: bool = False
    binds: bool = False
    is_stale: bool = False
    writes_start: bool = False
    due_us: int | None = None
    stall_due_us: int | None = None

    @property
    def before(self) -> Facts:
        """What bound when the attempt was opened, or last written."""
        return facts_of(self.loaded)

    @property
    def facts(self) -> Facts:
        """What binds now."""
        return facts_of(self.streams)

    @property
    def context(self) -> Context:
        """What this attempt's events are judged by."""
        return _context(self.rules, self.names, self.start_fields.get("step"))

    @property
    def start_fields(self) -> Mapping[str, Any]:
        """What its start said; not to be written to."""
        return _fields(self.start)

    def kept(self) -> Kept:
        """The attempt as the rules see it."""
        return Kept(
            self.attempt_id, self.number, self.late, self.created_us, self.plan_version,
            self.streams, self.start_fields, read_rules_once(self.rules),
        )  # fmt: skip


class Found(NamedTuple):
    """What one look found: the campaign, the run's row, and the attempt if it is known."""

    campaign: Campaign
    row: RunRow
    attempt: Open | None


def look(tx: WriteSession, campaign_id: str, run: str, attempt_id: str | None) -> Found | None:
    """The attempt by its id, or the run's current one; None for an unknown campaign."""
    values = {"campaign": campaign_id, "run": run}
    if attempt_id is None:
        row = tx.row(CURRENT, values)
    else:
        row = tx.row(BY_ID, {**values, "attempt": attempt_id})
    if row is None:
        return None
    state, version, number, sha256, status, attempt, archived = row[:7]
    head = None if number is None else Head(number, sha256)
    run_row = RunRow() if status is None else RunRow(status, attempt, bool(archived))
    opened = None if row[7] is None else _opened(run, row[7:], run_row)
    return Found(Campaign(campaign_id, state or "draft", version or 0, head), run_row, opened)


def attempts_of(tx: WriteSession, campaign_id: str, run: str, row: RunRow) -> list[Open]:
    """All attempts of a run, by number."""
    found = tx.rows(OF_RUN, {"campaign": campaign_id, "run": run})
    return [_opened(run, one, row) for one in found]


def _opened(run: str, row: Any, run_row: RunRow) -> Open:
    key, attempt_id, number, late, created, last_event, version, rules, names, start = row[:10]
    due, stall, said = row[10:]
    loaded = take_streams(key, said)
    return Open(
        key, run, attempt_id, number, bool(late), created, run_row, version, rules, names, start,
        loaded, dict(loaded), last_event, due_us=due, stall_due_us=stall,
    )  # fmt: skip


# The text that was written last is most likely the text that is read next. What is remembered is
# used only for the very same text; a stream is frozen and the mapping is copied.


class _Written(NamedTuple):
    """What was stored last of an attempt: the whole text, its states, and the text of each."""

    said: str
    streams: Mapping[str, Stream]
    texts: Mapping[str, str]


_REMEMBERED = 4096
_states: dict[int, _Written] = {}
_NEVER = _Written("", {}, {})


def take_streams(key: int, said: str) -> Mapping[str, Stream]:
    """The states behind an attempt's stored text, without parsing it where it was written here."""
    known = _states.get(key, _NEVER)
    return known.streams if known.said == said else read_streams(said)


def give_streams(key: int, streams: Mapping[str, Stream]) -> str:
    """The text of states that will be stored, remembered for the attempt's next event.

    A beat changes one source: the others are not written out again.
    """
    before = _states.get(key, _NEVER)
    texts = {
        source: before.texts[source]
        if before.streams.get(source) is stream
        else stream_text(stream)
        for source, stream in streams.items()
    }
    said = joined(texts)
    if len(_states) >= _REMEMBERED:
        _states.clear()
    _states[key] = _Written(said, dict(streams), texts)
    return said


@functools.lru_cache(maxsize=1024)
def _fields(said: str) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = json.loads(said)
    return fields


@functools.lru_cache(maxsize=1024)
def by_clock(rules: str, step: str | None) -> tuple[StopRule, ...]:
    """Of an attempt's stored rules those of its step that a clock judges."""
    return tuple(one for one in rules_for(read_rules_once(rules), step) if one.kind in BY_CLOCK)


@functools.lru_cache(maxsize=1024)
def _context(rules: str, names: str, step: str | None) -> Context:
    return Context(rules_for(read_rules_once(rules), step), json.loads(names))
