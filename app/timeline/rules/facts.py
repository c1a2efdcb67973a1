"""What the timeline is told: the sealed plan, the lots as ordered, and all that happened.

Seconds count from hour 0 (`_s`), the start of the first lot; unknown is None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar, cast

from app.plan.rules.model import Plan, Step
from app.plan.rules.scheduled import Schedule
from app.texts import Text

T = TypeVar("T")
DONE, RUNNING, STOPPED, FAILED = "done", "running", "stopped", "failed"
SILENT, LOST = "silent", "lost"
GOING = (RUNNING, SILENT)
"""Kinds of work of which nobody said an end."""
BROKEN = (STOPPED, FAILED, LOST)
"""Kinds of an end before the work was done."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One observed span of work on a step: an attempt of a run, or a person's time.

    `kind` is one of done, running, stopped, failed, silent, lost, and `reason` the attempt's own.
    `open` ones go on; `ends_at` is then the last sign. `machine_s` is the attempt's machine time as
    the list of runs has it, None for a person's time, which is the span itself. `current`: the
    run's state is taken from this attempt, one of `attempts`. `proof` says that a run was stopped
    by a rule whose verdict counts, so that nothing is repeated. `last_seen_at`, `stalled_since_at`
    and since when a run is silent are told by our clock.
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
    machine_s: int | None = None
    current: bool = True
    attempts: int = 1
    stalled_since_at: datetime | None = None


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
    _known: dict[str, object] = field(default_factory=dict, init=False, compare=False, repr=False)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the facts alone, worked out when it is first asked for."""
        if name not in self._known:
            self._known[name] = make()
        return cast("T", self._known[name])

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
        return self.once("until_s", lambda: self.second(self.until_at))

    def goes_on(self, one: Stretch) -> bool:
        """Whether a stretch still grows; nothing does after the close."""
        return one.open and self.closed_at is None

    def left_open(self, one: Stretch) -> bool:
        """Whether the campaign was closed while nobody had said how a stretch ended."""
        return one.kind in GOING and self.closed_at is not None

    def span(self, one: Stretch) -> tuple[int, int]:
        """Where a stretch is drawn, in seconds from hour 0; never past the end of the record.

        A run that was open at the close is drawn to its last sign, a person's time to the close.
        """
        known = self.once("spans", self._spans).get(id(one))
        return known if known is not None else self._span(one, self.until_s)

    def _spans(self) -> dict[int, tuple[int, int]]:
        """The spans of the facts' own stretches, by what each of them is."""
        until = self.until_s
        return {id(one): self._span(one, until) for one in self.stretches}

    def _span(self, one: Stretch, until: int) -> tuple[int, int]:
        starts = min(self.second(one.starts_at), until)
        grows = one.open and (self.closed_at is None or one.run is None)
        ends = until if grows else min(self.second(one.ends_at), until)
        return starts, max(starts, ends)

    @property
    def last_end_s(self) -> int | None:
        """Where the last stretch ends, in seconds from hour 0; None while nothing happened."""
        return self.once(
            "last_end_s", lambda: max((self.span(one)[1] for one in self.stretches), default=None)
        )

    def usable_s(self, one: Stretch) -> int | None:
        """When the rented lot of a run's stretch can no longer be used; None where none is known.

        A job that does not say its lot may use any, so the last one counts.
        """
        if one.run is None:
            return None
        rented = [window for window in self.windows if window.ordered]
        mine = [window.usable_s for window in rented if window.id == one.lot]
        return max(mine or [window.usable_s for window in rented], default=None)

    def of(self, step_id: str) -> tuple[Stretch, ...]:
        """What happened on a step, in order of time."""
        return self.once("by_step", self._by_step).get(step_id, ())

    def _by_step(self) -> dict[str | None, tuple[Stretch, ...]]:
        found: dict[str | None, list[Stretch]] = {}
        for one in self.stretches:
            found.setdefault(one.step, []).append(one)
        return {step: tuple(mine) for step, mine in found.items()}
