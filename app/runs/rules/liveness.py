"""Silent and stalled: computed from due times by our clock, reversible, never a stored end.

Each sign of life promises when the next is due. Without a promise one is assumed, long enough
for a job that only says when it starts and ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.runs.rules.events import PERSON
from app.runs.rules.streams import Stream

GRACE_S: Final = 60
"""How long after a promise a sign may still come."""
UNSAID_S: Final = 3600
"""The promise of a job that makes none."""
STOOD_BEFORE: Final = 2
"""Work that once stood still may stand still that many times longer before it is stalled."""
_US: Final = 1_000_000


def due_us(streams: Mapping[str, Stream]) -> int | None:
    """When the next sign of life is overdue, in microseconds; None without any sign."""
    latest: int | None = None
    for source, stream in streams.items():
        signs = stream.signs
        if signs is None or source == PERSON:
            continue
        promise_s = UNSAID_S if signs.promise_s is None else signs.promise_s
        due = signs.received_us + (promise_s + GRACE_S) * _US
        if latest is None or due > latest:
            latest = due
    return latest


def stall_due_us(streams: Mapping[str, Stream]) -> int | None:
    """When progress is overdue; None where none is reported, or the work is done.

    A pause may last as long as the promise and its grace, and twice as long as the longest
    pause that this attempt has come out of (a validation, say).
    """
    latest: int | None = None
    for source, stream in streams.items():
        progress = stream.progress
        if progress is None or source == PERSON:
            continue
        if progress.total is not None and progress.done >= progress.total:
            return None
        promise_s = stream.signs.promise_s if stream.signs else None
        promise_s = UNSAID_S if promise_s is None else promise_s
        allowed_s = max(promise_s + GRACE_S, STOOD_BEFORE * progress.longest_s)
        due = progress.since_us + allowed_s * _US
        if latest is None or due > latest:
            latest = due
    return latest
