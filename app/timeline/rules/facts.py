"""What the timeline is told: the sealed plan, the lots as ordered, and all that happened.

Seconds count from hour 0 (`_s`), the start of the first lot; unknown is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.plan.rules.model import Plan, Step
from app.plan.rules.scheduled import Schedule
from app.texts import Text

DONE, RUNNING, STOPPED, FAILED, SILENT = "done", "running", "stopped", "failed", "silent"


@dataclass(frozen=True, slots=True)
class Stretch:
    """One observed span of work on a step: an attempt of a run, or a person's time.

    `kind` is one of done, running, stopped, failed, silent; `open` ones go on. `proof` says
    that a run was stopped by a rule whose verdict counts, so that nothing is repeated.
    """

    step: str | None
    starts_at: datetime
    ends_at: datetime
    open: bool
    kind: str
    run: str | None = None
    attempt: int = 0
    lot: str | None = None
    gpus: tuple[int, ...] = ()
    reason: Text | str | None = None
    proof: bool = False
    last_seen_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A lot on the timeline, as ordered or, until it is, as planned."""

    id: str
    gpu: str | None
    gpus: int
    starts_s: int
    ends_s: int
    usable_s: int
    ordered: bool


@dataclass(frozen=True, slots=True)
class Decided:
    """What decisions say of steps: which points are decided, which steps were cut."""

    points: tuple[tuple[str, datetime], ...] = ()
    cut: tuple[str, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything the timeline is made of at the instant `now_at`.

    `sealed` is the first sealed schedule (the draft's while there is none), `plan` what holds
    now. `zero_at` is None while no lot has a start and nothing happened. `sealed_zero_at` is hour 0
    by the sealed plan; `by_calendar`: the sealed bars stand there, not at the lot's real start.
    `unneeded` are the steps that the verdicts so far made useless.
    """

    plan: Plan
    sealed: Schedule
    sealed_steps: tuple[Step, ...]
    version: int
    sealed_at: datetime | None
    windows: tuple[Window, ...]
    zero_at: datetime | None
    now_at: datetime
    closed_at: datetime | None = None
    outcome: str | None = None
    stretches: tuple[Stretch, ...] = ()
    decided: Decided = Decided()
    accepted: int = 0
    announced: int = 0
    unneeded: tuple[str, ...] = ()
    sealed_zero_at: datetime | None = None
    by_calendar: bool = False

    def second(self, at: datetime) -> int:
        """An instant in seconds from hour 0; 0 while hour 0 is unknown."""
        return 0 if self.zero_at is None else round((at - self.zero_at).total_seconds())

    def instant(self, second: int) -> datetime | None:
        """Seconds from hour 0 as an instant; None while hour 0 is unknown."""
        return None if self.zero_at is None else self.zero_at + timedelta(seconds=second)

    @property
    def late_s(self) -> int:
        """By how much hour 0 lies behind the sealed plan's, in seconds; negative for earlier."""
        if self.zero_at is None or self.sealed_zero_at is None:
            return 0
        return round((self.zero_at - self.sealed_zero_at).total_seconds())

    @property
    def ghost_s(self) -> int:
        """Where hour 0 of the sealed bars stands, in seconds from the real hour 0."""
        return -self.late_s if self.by_calendar else 0

    @property
    def until_at(self) -> datetime:
        """Where the record ends: the close, else now."""
        return self.closed_at or self.now_at

    @property
    def until_s(self) -> int:
        """`until_at` in seconds from hour 0; 0 while hour 0 is unknown."""
        return self.second(self.until_at)

    def of(self, step_id: str) -> tuple[Stretch, ...]:
        """What happened on a step, in order of time."""
        return tuple(stretch for stretch in self.stretches if stretch.step == step_id)
