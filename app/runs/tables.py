"""Runs: the register of attempts, the stream of events, what is folded from it, and the tables
made from the journal. Instants on the hot path are whole microseconds since 1970 (`_us`)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Integer, UniqueConstraint
from sqlmodel import Field

from app.db import Table

_BIG = BigInteger().with_variant(Integer, "sqlite")


class Attempt(Table, table=True):
    """The register: which attempts of which runs were accepted, and in what order; appended.

    `late` marks one whose record came after its run had ended.
    """

    __tablename__ = "attempts"
    __table_args__ = (
        UniqueConstraint("campaign_id", "run_id", "attempt_id"),
        UniqueConstraint("campaign_id", "run_id", "number"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("length(run_id) BETWEEN 1 AND 64", name="run_id"),
    )

    id: int | None = Field(default=None, sa_column=Column(_BIG, primary_key=True))
    campaign_id: str = Field(foreign_key="campaigns.id", max_length=64)
    run_id: str = Field(max_length=64)
    attempt_id: str = Field(max_length=32)
    number: int
    late: bool
    created_us: int = Field(sa_type=BigInteger)


class RunEvent(Table, table=True):
    """One event as it came; the stream that a run's state is folded from; appended.

    `payload` is JSON. `context` is what the server knew at a start, or at an attempt's first
    event: the stop rules and names of metrics that the attempt is judged by, as JSON.
    """

    __tablename__ = "run_events"
    __table_args__ = (
        UniqueConstraint("attempt_key", "source", "seq"),
        CheckConstraint("seq >= 1", name="seq"),
    )

    number: int | None = Field(default=None, sa_column=Column(_BIG, primary_key=True))
    attempt_key: int = Field(foreign_key="attempts.id", sa_type=BigInteger)
    source: str = Field(max_length=32)
    seq: int = Field(sa_type=BigInteger)
    kind: str = Field(max_length=16)
    at_us: int = Field(sa_type=BigInteger)
    received_us: int = Field(sa_type=BigInteger)
    payload: str
    context: str | None = None


class AttemptState(Table, table=True):
    """An attempt as its events tell it: a fold, made again by `refold`.

    `streams` holds the state of each source, `start` what its start said, `due_us` and
    `stall_due_us` when a sign of life and when progress are overdue, `look_us` when time alone
    may change something: the watcher looks then.
    """

    __tablename__ = "attempt_states"
    __table_args__ = (
        Index(None, "campaign_id", "last_event"),
        Index(None, "look_us"),
        CheckConstraint("plan_version >= 0", name="plan_version"),
    )

    attempt_key: int = Field(primary_key=True, foreign_key="attempts.id", sa_type=BigInteger)
    campaign_id: str = Field(foreign_key="campaigns.id", max_length=64)
    last_event: int = Field(sa_type=BigInteger)
    due_us: int | None = Field(default=None, sa_type=BigInteger)
    stall_due_us: int | None = Field(default=None, sa_type=BigInteger)
    look_us: int | None = Field(default=None, sa_type=BigInteger)
    plan_version: int
    rules: str
    names: str
    start: str
    streams: str


class Watch(Table, table=True):
    """What the watcher has noticed of an attempt: `marked` is what was wrong with it when it
    looked, `seen_us` the `look_us` that it followed, `next_us` when it looks again by itself."""

    __tablename__ = "watches"
    __table_args__ = (CheckConstraint("marked IN ('', 'silent', 'stalled')", name="marked"),)

    attempt_key: int = Field(primary_key=True, foreign_key="attempts.id", sa_type=BigInteger)
    marked: str = Field(max_length=16)
    seen_us: int = Field(sa_type=BigInteger)
    next_us: int | None = Field(default=None, sa_type=BigInteger)


class Flip(Table, table=True):
    """An attempt became silent, stood still, or showed life again; appended by the watcher."""

    __tablename__ = "liveness_flips"
    __table_args__ = (
        Index(None, "campaign_id", "id"),
        CheckConstraint("became IN ('alive', 'silent', 'stalled')", name="became"),
    )

    id: int | None = Field(default=None, sa_column=Column(_BIG, primary_key=True))
    campaign_id: str = Field(foreign_key="campaigns.id", max_length=64)
    attempt_key: int = Field(foreign_key="attempts.id", sa_type=BigInteger)
    became: str = Field(max_length=16)
    since_us: int = Field(sa_type=BigInteger)
    noticed_us: int = Field(sa_type=BigInteger)


class Run(Table, table=True):
    """A run's status, and its current attempt: a fold, made again by `refold`."""

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("campaign_id", "first_event"),
        CheckConstraint(
            "status IN ('planned', 'running', 'completed', 'failed', 'stopped', 'lost')",
            name="status",
        ),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    run_id: str = Field(primary_key=True, max_length=64)
    first_event: int = Field(sa_type=BigInteger)
    status: str = Field(max_length=16)
    attempt: int


class Thinned(Table, table=True):
    """The state of an attempt whose beats were thinned after the close; appended.

    `number` is the journal entry that binds it, `streams` what its events came to, `first_event`
    and `last_event` their numbers when all were there, `kept_sha256` a hash of those that stayed.
    """

    __tablename__ = "thinned"
    __table_args__ = (CheckConstraint("removed >= 1", name="removed"),)

    attempt_key: int = Field(primary_key=True, foreign_key="attempts.id", sa_type=BigInteger)
    campaign_id: str = Field(foreign_key="campaigns.id", max_length=64)
    number: int
    first_event: int = Field(sa_type=BigInteger)
    last_event: int = Field(sa_type=BigInteger)
    removed: int
    kept: int
    kept_sha256: str = Field(max_length=64)
    streams: str


class StopRecord(Table, table=True):
    """A line of the stop register as the journal says it; a newer line of the same attempt and
    key (a rule, a person's ask, the end) counts before an older one, `withdrawn` takes it back."""

    __tablename__ = "stop_records"
    __table_args__ = (
        CheckConstraint("act IN ('stop', 'warn')", name="act"),
        Index(None, "campaign_id", "run_id"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    run_id: str = Field(max_length=64)
    attempt: int
    attempt_id: str = Field(max_length=32)
    step: str | None = None
    config_sha256: str | None = None
    key: str
    rule: str | None = None
    reason_code: str
    text: str
    metric: str | None = None
    value: str | None = None
    act: str
    fired_on_box: bool
    confirmed: bool
    withdrawn: bool
    actor_kind: str
    actor_name: str
    at: datetime
    recorded_at: datetime


class RestoreCheck(Table, table=True):
    """The result of a restore check as the journal says it; `found` is all of it, as JSON."""

    __tablename__ = "restore_checks"

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    run_id: str = Field(max_length=64)
    attempt: int
    step: str | None = None
    passed: bool
    at: datetime
    found: str


class TimeSpan(Table, table=True):
    """An entry about people's time as the journal says it; `span` is the entry that began it."""

    __tablename__ = "spans"
    __table_args__ = (
        CheckConstraint("act IN ('start', 'stop', 'span', 'withdraw')", name="act"),
        CheckConstraint("ended_at IS NULL OR ended_at > started_at", name="ends"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    act: str = Field(max_length=16)
    span: int
    step: str
    started_at: datetime
    ended_at: datetime | None = None
    person: str
    note: str


class LateEvent(Table, table=True):
    """An event that came after the close: kept as evidence, folded into nothing; appended.

    `entry` is the journal's entry that says so. `at_us` is None where the job said no time.
    """

    __tablename__ = "late_events"
    __table_args__ = (
        UniqueConstraint("campaign_id", "run_id", "attempt_id", "source", "seq"),
        CheckConstraint("seq >= 1", name="seq"),
        CheckConstraint("length(run_id) BETWEEN 1 AND 64", name="run_id"),
    )

    number: int | None = Field(default=None, sa_column=Column(_BIG, primary_key=True))
    campaign_id: str = Field(foreign_key="campaigns.id", max_length=64)
    run_id: str = Field(max_length=64)
    attempt_id: str = Field(max_length=32)
    source: str = Field(max_length=32)
    seq: int = Field(sa_type=BigInteger)
    kind: str = Field(max_length=16)
    at_us: int | None = Field(default=None, sa_type=BigInteger)
    received_us: int = Field(sa_type=BigInteger)
    entry: int
    payload: str


class Archival(Table, table=True):
    """A person put a run away, or brought it back, as the journal says it; the newest counts."""

    __tablename__ = "archivals"
    __table_args__ = (Index(None, "campaign_id", "run_id"),)

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    run_id: str = Field(max_length=64)
    archived: bool
    reason: str
    by: str
    at: datetime
