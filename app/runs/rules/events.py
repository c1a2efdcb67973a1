"""What a job or a person says of a run: kinds, sources, reasons, and one event as it is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
ATTEMPT_ID: Final = re.compile(r"(?:[0-9a-f]{32}|shell(?:-[0-9]{1,6})?)\Z")
SOURCE: Final = re.compile(r"(?=.{1,32}\Z)(?:wrapper|main|tracker|shell|rank-[0-9]+)(?:-[0-9]+)?\Z")
SOURCES: Final = ("wrapper", "main", "main-2", "rank-3", "tracker", "shell")
"""The forms of a job's source; a second writer of one has a number behind its name."""
PERSON: Final = "person"
"""The source of what people say of an attempt; no job may use it."""
SHELL: Final = "shell"
"""The source of posts that carry no number, and the stem of their attempts' ids."""
MAIN: Final = "main"
WRAPPER: Final = "wrapper"
TRACKER: Final = "tracker"
"""The source of what a tracker (an MLflow client, say) tells of a run; every other job's word on
the end counts before it."""
CLOCK: Final = "clock"
"""The source of what the server itself finds when time passes; no job may use it."""
NOT_JOBS: Final = frozenset({PERSON, CLOCK})
"""Sources that are no sign of life of the job."""


class Status(StrEnum):
    """Where a run or an attempt stands; `silent` and `stalled` are computed beside it."""

    PLANNED = "planned"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"
    LOST = "lost"


class Kind(StrEnum):
    """What an event says. `ask`, `lost` and `close` are said by people, `judge` by the server's
    clock, the others by jobs."""

    START = "start"
    BEAT = "beat"
    CHECKPOINT = "checkpoint"
    STOP = "stop"
    FAIL = "fail"
    FINISH = "finish"
    ASK = "ask"
    LOST = "lost"
    CLOSE = "close"
    JUDGE = "judge"


JOB_KINDS: Final = (Kind.START, Kind.BEAT, Kind.CHECKPOINT, Kind.STOP, Kind.FAIL, Kind.FINISH)
ENDS: Final = frozenset({Kind.STOP, Kind.FAIL, Kind.FINISH})
"""How a job ends, as it says itself."""
CLOSINGS: Final = frozenset({Kind.LOST, Kind.CLOSE})
"""How a person ends the record of a run that went silent."""
REASONS: Final = ("operator", "window_end", "infra", "code_error", "budget", "superseded")
"""Reason codes beside `rule:<id>`."""
STATES: Final = (
    "parameters", "optimizer", "scheduler", "scaler", "random", "data_position", "progress",
)  # fmt: skip
"""What a checkpoint may say that it saved."""


class Event(NamedTuple):
    """One event as it was read. `seq` and `attempt_id` are None where a shell left them out.

    `at_us` is the job's clock in microseconds since 1970, None where it said none. `fields`
    holds what was read and checked, by the names of the wire.
    """

    run: str
    attempt_id: str | None
    source: str
    seq: int | None
    kind: Kind
    at_us: int | None
    fields: Mapping[str, Any]


class Stored(NamedTuple):
    """One event as it is kept: its number within its source, the job's time, and ours."""

    source: str
    seq: int
    kind: Kind
    at_us: int
    received_us: int
    fields: Mapping[str, Any]


def source_rank(source: str) -> tuple[int, str]:
    """Whose word on an end counts first: the wrapper's, then `main`'s, the others', a tracker's,
    a person's."""
    ranks = {WRAPPER: 0, MAIN: 1, TRACKER: 3, CLOCK: 8, PERSON: 9}
    return ranks.get(source, 2), source
