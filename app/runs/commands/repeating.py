"""Posts without a number: whether one says again what was said before, or contradicts it.

The same body again is the same event where it says something of its time, and at starts and
ends; a beat that says nothing of its time is a new sign of life each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from app.db import WriteSession
from app.runs.commands.opening import Open
from app.runs.rules.events import ENDS, TRACKER, Event, Kind
from app.runs.rules.records import json_text
from app.runs.rules.streams import EMPTY
from app.runs.rules.times import text_of, us_of
from app.runs.rules.transitions import TRANSITIONS

WINDOW: Final = 100
"""So many of the newest events of its source a post without a number is compared with."""
_NEWEST = """
SELECT kind, at_us, payload FROM run_events WHERE attempt_key = :key AND source = :source
ORDER BY seq DESC LIMIT :n
"""
AT: Final = "at"
_TIMELY: Final = frozenset({Kind.START, *ENDS})
"""What happens once in an attempt, whether or not it says when."""


def by_our_clock(event: Event) -> Event:
    """A post without a number happens when it comes: the time that it says of itself is kept
    beside ours, and nothing is reckoned by it. Trackers tell of moments, and say which."""
    if event.at_us is None or event.source == TRACKER:
        return event
    return event._replace(at_us=None, fields={**event.fields, AT: text_of(event.at_us)})


def said_at_us(fields: Mapping[str, Any]) -> int | None:
    """The time that such a post said of itself."""
    said = fields.get(AT)
    return None if said is None else us_of(datetime.fromisoformat(said))


def is_repeated(tx: WriteSession, attempt: Open, event: Event) -> bool:
    """Whether a post without a number says what was said before."""
    stream = attempt.streams.get(event.source, EMPTY)
    said = event.fields
    if said.get("event_id") in stream.ids:
        return True
    end = stream.end
    if end is not None and end.kind is event.kind:
        before = (end.exit_code, end.signal, end.rule, end.reason_text)
        if before == tuple(said.get(n) for n in ("exit_code", "signal", "rule", "reason_text")):
            return True
    is_named = "event_id" in said or attempt.key == 0
    return not is_named and names_its_time(event) and _is_kept(tx, attempt, event)


def contradicts(attempt: Open, event: Event) -> bool:
    """Whether an end without a number contradicts how the attempt ended."""
    if event.kind not in ENDS:
        return False
    return TRANSITIONS[attempt.facts.status, event.kind].how == "refused"


def names_its_time(event: Event) -> bool:
    """Whether a post without a number says of itself when it happened, or happens once."""
    if event.kind in _TIMELY or event.at_us is not None:
        return True
    if AT in event.fields or "elapsed_s" in event.fields:
        return True
    return event.kind is Kind.CHECKPOINT and "progress" in event.fields


def _is_kept(tx: WriteSession, attempt: Open, event: Event) -> bool:
    values = {"key": attempt.key, "source": event.source, "n": WINDOW}
    wanted = json_text(event.fields)
    return any(
        kind == event.kind and payload == wanted and event.at_us in (None, at_us)
        for kind, at_us, payload in tx.rows(_NEWEST, values)
    )
