"""A run as other rooms and the pages see it: frozen, unknown is None, texts as they came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.runs.rules.events import Status
from app.runs.rules.sources import SourceView
from app.runs.rules.streams import Stream
from punktum.stop_rules import StopRule

SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Kept:
    """An attempt as it is kept: its register entry, its sources' states, what its start said."""

    attempt_id: str
    number: int
    late: bool
    created_us: int
    plan_version: int
    streams: Mapping[str, Stream]
    start: Mapping[str, Any] = field(default_factory=dict)
    rules: tuple[StopRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """Machine time of one attempt, to be drawn; `open`: it still goes on, draw to now."""

    run: str
    attempt: int
    starts_at: datetime
    ends_at: datetime
    open: bool
    lot: str | None
    gpus: tuple[int, ...]
    status: str


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """A checkpoint that was saved: when by the job's clock, where, and which states it holds.

    `size` in bytes, `write_s` how long the writing took; unknown is None.
    """

    at: datetime
    path: str | None
    size: int | None
    states: tuple[str, ...]
    progress: int | None
    write_s: float | None


@dataclass(frozen=True, slots=True)
class RestoreView:
    """The result of a restore check; `expected` and `found` are values of `compared`, as text."""

    at: datetime
    passed: bool
    reason: str | None
    save_s: float | None
    restore_s: float | None
    size: int | None
    states: tuple[str, ...]
    compared: str | None
    steps: int | None
    expected: str | None
    found: str | None
    path: str | None


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One process of a run; `status` as a run's, or `superseded`.

    `redone` counts the steps that attempts before it had done; `by_tracker`: its state is a
    tracker's word alone; `clock_off_s`: so far its clock is behind ours, None where it is right;
    `taken_over_by`: the attempt that counted already when it ended.
    """

    id: str
    number: int
    status: str
    late: bool
    started_at: datetime | None
    ended_at: datetime | None
    last_seen_at: datetime | None
    received_at: datetime | None
    due_at: datetime | None
    machine_s: int
    reason_code: str | None
    reason_text: str | None
    rule: str | None
    exit_code: int | None
    signal: int | None
    ended_by: str | None
    host: str | None
    lot: str | None
    gpus: tuple[int, ...]
    command: str | None
    missing: int
    progress: int | None = None
    redone: int = 0
    clock_off_s: int | None = None
    taken_over_by: int | None = None
    by_tracker: bool = False
    sources: tuple[SourceView, ...] = ()
    checkpoint: CheckpointView | None = None
    restore: RestoreView | None = None


@dataclass(frozen=True, slots=True)
class MetricView:
    """A metric: texts as they came. `low` and `high` are finite; `final` came with the end."""

    name: str
    last: str
    low: str | None
    high: str | None
    final: str | None


@dataclass(frozen=True, slots=True)
class InputView:
    """An input by its name: how many a job expected, and how many of them it cut short."""

    name: str
    expected: int
    truncated: int


@dataclass(frozen=True, slots=True)
class RuleView:
    """A stop rule as a run has met it; `evaluated` 0 means that it was never judged.

    `after_s` is the rule's own time: of an overtime rule the longest that the step may last.
    """

    rule: str
    kind: str
    metric: str | None
    act: str
    evaluated: int
    hits: int
    last: str | None
    fired: bool
    after_s: int | None = None


@dataclass(frozen=True, slots=True)
class FiredView:
    """A rule that fired; `at` is the job's time, `event` the event it fired on: its attempt, source
    and number."""

    rule: str
    metric: str | None
    value: str | None
    act: str
    text: str
    progress: int | None
    elapsed_s: int | None
    at: datetime
    fired_on_box: bool
    confirmed: bool
    event: tuple[int, str, int] = (0, "", 0)


@dataclass(frozen=True, slots=True)
class StopAsk:
    """A stop that was asked for: by a rule, or by a person (`rule` is None)."""

    rule: str | None
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RunView:
    """One run at one moment. `machine_s` sums the attempts; `gaps` counts missing events.

    `archived`: a person put it away. `redone` counts the steps done more than once. `checkpoint`
    and `restore` are the newest over all attempts. `links` are names with their addresses,
    `judged_by` the stop rules as they were handed to its attempts.
    """

    id: str
    campaign_id: str
    step: str | None
    status: str
    silent: bool
    stalled: bool
    silent_since_at: datetime | None
    stalled_since_at: datetime | None
    attempt: int
    attempts: tuple[AttemptView, ...]
    machine_s: int
    started_at: datetime | None
    last_seen_at: datetime | None
    ended_at: datetime | None
    progress: int | None
    total: int | None
    metrics: tuple[MetricView, ...]
    config_sha256: str | None
    parent: str | None
    corpora: tuple[tuple[str, str], ...]
    reason_code: str | None
    reason_text: str | None
    rule: str | None
    exit_code: int | None
    signal: int | None
    stop_asked: StopAsk | None
    fired: tuple[FiredView, ...]
    rules: tuple[RuleView, ...]
    before_seal: bool
    gaps: int
    archived: bool = False
    redone: int = 0
    by_tracker: bool = False
    checkpoint: CheckpointView | None = None
    restore: RestoreView | None = None
    inputs: tuple[InputView, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    judged_by: tuple[StopRule, ...] = ()

    def __hash__(self) -> int:
        """By its id: what is worked out of a run is kept by the run, and equal runs are rare."""
        return hash(self.id)

    @property
    def calendar_s(self) -> int | None:
        """From the first start to the end or the last sign, with pauses; None without a start."""
        until = self.ended_at or self.last_seen_at
        if self.started_at is None or until is None:
            return None
        return max(0, round((until - self.started_at).total_seconds()))

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The machine time of each attempt that has begun."""
        return tuple(
            Interval(
                self.id, one.number, one.started_at, one.ended_at or one.last_seen_at,
                one.number == self.attempt and one.status == Status.RUNNING and not self.silent,
                one.lot, one.gpus, one.status,
            )
            for one in self.attempts
            if one.started_at is not None and one.last_seen_at is not None
        )  # fmt: skip
