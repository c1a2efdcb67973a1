"""Silent and stalled: computed from due times by our clock, reversible, never a stored end.

Each sign of life promises when the next is due. Without a promise one is assumed, long enough
for a job that only says when it starts and ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.runs.rules.events import NOT_JOBS
from app.runs.rules.streams import Stream

GRACE_S: Final = 60
"""How long after a promise a sign may still come."""
UNSAID_S: Final = 3600
"""The promise of a job that makes none."""
STOOD_BEFORE: Final = 2
"""Work that once stood still may stand still that many times longer before it is stalled."""
_US: Final = 1_000_000


ALIVE: Final = "alive"
SILENT: Final = "silent"
STALLED: Final = "stalled"


def quiet(streams: Mapping[str, Stream], now_us: int) -> tuple[str, int]:
    """Whether an attempt is alive, silent or stalled, and since when; one that ended is alive."""
    jobs = [stream for name, stream in streams.items() if name not in NOT_JOBS]
    received = max((one.signs.received_us for one in jobs if one.signs), default=now_us)
    if any(stream.end is not None for stream in streams.values()):
        return ALIVE, received
    due, stall = due_us(streams), stall_due_us(streams)
    if due is not None and due < now_us:
        return SILENT, received
    started = any(stream.started_at_us is not None for stream in jobs)
    if started and stall is not None and stall < now_us:
        moved = max((one.progress.since_us for one in jobs if one.progress), default=received)
        return STALLED, moved
    return ALIVE, received


def due_us(streams: Mapping[str, Stream]) -> int | None:
    """When the next sign of life is overdue, in microseconds; None without any sign."""
    latest: int | None = None
    for source, stream in streams.items():
        signs = stream.signs
        if signs is None or source in NOT_JOBS:
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
        if progress is None or source in NOT_JOBS:
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
