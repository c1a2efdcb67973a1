"""The shapes of the job API as OpenAPI documents them; the hot path does not run through them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class StopRequested(BaseModel):
    """A stop that the job is asked for; `rule` is null when a person asked."""

    rule: str | None
    text: str


class HeadOfJournal(BaseModel):
    """The newest entry of the campaign's journal: an outside witness keeps it."""

    number: int
    sha256: str


class Problem(BaseModel):
    """A refusal (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None
    allowed: list[str] | None = None


class Answer(BaseModel):
    """Where the run stands after a post. `rules` and `metric_names` come with a start."""

    status: str | None = Field(
        description="planned, running, completed, failed, stopped or lost", examples=["running"]
    )
    silent: bool
    stalled: bool
    attempt: int | None
    superseded_by: int | None = Field(
        description="the attempt that took over from this one while it ran; what this one still "
        "posts is kept as its evidence, and nothing asks it to stop",
        examples=[None, 2],
    )
    duplicate: bool
    stop_requested: StopRequested | None
    missing_seq: list[int] = Field(description="numbers of this source that have not come")
    window_ends_at: datetime | None
    server_time: datetime
    head: HeadOfJournal | None
    warnings: list[str]
    rules: list[dict[str, Any]] | None = None
    metric_names: dict[str, str] | None = None


class EventResult(BaseModel):
    """What became of one event of a batch."""

    status: int
    duplicate: bool | None = None
    problem: Problem | None = None
    retry_after: int | None = None


class BatchAnswer(Answer):
    """One result for each event, in order; the other fields are those of the last event's run."""

    results: list[EventResult]


class SourceItem(BaseModel):
    """One source of an attempt: all numbers up to `acknowledged` have come, `last` is the greatest.

    `gaps` are the first and last number of what has not come.
    """

    source: str
    acknowledged: int
    last: int
    gaps: list[tuple[int, int]]
    missing: int


class CheckpointItem(BaseModel):
    """The newest checkpoint, by the job's clock; `size` in bytes."""

    at: datetime
    path: str | None
    size: int | None
    states: list[str]
    progress: int | None
    write_s: float | None


class RestoreItem(BaseModel):
    """The newest result of a restore check; `expected` and `found` are texts as they came."""

    at: datetime
    passed: bool
    reason: str | None
    save_s: float | None
    restore_s: float | None
    size: int | None
    states: list[str]
    compared: str | None
    steps: int | None
    expected: str | None
    found: str | None
    path: str | None


class AttemptItem(BaseModel):
    """One attempt of a run; `redone` counts steps that attempts before it had done."""

    id: str
    number: int
    status: str
    started_at: datetime | None
    ended_at: datetime | None
    last_seen_at: datetime | None
    machine_s: int
    reason_code: str | None
    reason_text: str | None
    rule: str | None
    exit_code: int | None
    signal: int | None
    ended_by: str | None
    host: str | None
    lot: str | None
    gpus: list[int]
    progress: int | None
    redone: int
    by_tracker: bool
    sources: list[SourceItem]
    checkpoint: CheckpointItem | None
    restore: RestoreItem | None


class MetricItem(BaseModel):
    """A metric; numbers are texts as they came, so that `nan` can be said."""

    name: str
    last: str
    low: str | None
    high: str | None
    final: str | None


class RuleItem(BaseModel):
    """A stop rule as the run has met it."""

    rule: str
    kind: str
    metric: str | None
    act: str
    evaluated: int
    hits: int
    last: str | None
    fired: bool
    after_s: int | None


class InputItem(BaseModel):
    """An input by its name, and how many of those expected were cut short."""

    name: str
    expected: int
    truncated: int


class RunItem(BaseModel):
    """A run; `machine_s` sums its attempts, `calendar_s` spans them with the pauses between.

    `by_tracker`: its state is a tracker's word alone. `suspiciously_short`: it completed in under
    half the time that its step is estimated at.
    """

    id: str
    status: str
    silent: bool
    stalled: bool
    step: str | None
    attempt: int
    attempts: list[AttemptItem]
    machine_s: int
    started_at: datetime | None
    last_seen_at: datetime | None
    ended_at: datetime | None
    progress: int | None
    total: int | None
    metrics: list[MetricItem]
    config_sha256: str | None
    parent: str | None
    reason_code: str | None
    reason_text: str | None
    rule: str | None
    exit_code: int | None
    signal: int | None
    rules: list[RuleItem]
    before_seal: bool
    gaps: int
    archived: bool
    calendar_s: int | None
    redone: int
    by_tracker: bool
    suspiciously_short: bool = False
    checkpoint: CheckpointItem | None
    restore: RestoreItem | None
    inputs: list[InputItem]
    links: Annotated[dict[str, str], BeforeValidator(dict)] = Field(
        description="name → address, as the starts of its attempts say"
    )


class LateItem(BaseModel):
    """Events of one attempt that came after the close; `status` is the end that they tell of."""

    attempt_id: str
    events: int
    came_at: datetime
    status: str | None
    at: datetime | None
    reason_code: str | None
    reason_text: str | None


class RunDetail(RunItem):
    """One run, and what came of it after the close."""

    came_late: list[LateItem]


class LateEntryItem(BaseModel):
    """A journal entry about late evidence; `events_sha256` is the hash of all its events."""

    number: int
    sha256: str
    at: datetime
    actor_kind: str
    actor_name: str
    attempt_id: str
    events_sha256: str


class LateRun(BaseModel):
    """A run that was first heard of after the close: late evidence alone, so it has no status."""

    id: str
    status: None = None
    first_heard_after_close: Literal[True] = True
    came_late: list[LateItem]
    entries: list[LateEntryItem]


class RunList(BaseModel):
    """Runs by their first event; `next` is the id to go on after, null at the end."""

    items: list[RunItem]
    next: str | None


class TimeBody(BaseModel):
    """Time that a person spent on a step; without an end it goes on."""

    model_config = ConfigDict(extra="forbid")

    started_at: str = Field(examples=["2026-12-01T08:00:00+01:00"])
    ended_at: str | None = None
    note: str = ""


class TimeAnswer(BaseModel):
    """The span as it is kept; `number` is its journal entry."""

    number: int
    step: str
    started_at: datetime
    ended_at: datetime | None


class ReasonBody(BaseModel):
    """Why a person says this of a run."""

    model_config = ConfigDict(extra="forbid")

    reason: str
