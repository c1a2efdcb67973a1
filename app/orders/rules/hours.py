"""What became of the hours of a rented lot: paid, usable, planned, used, idle, left.

Hours that passed are divided without rest: each second of the usable window up to now belongs to
runs, else to people, else to nothing that was reported. Durations in whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.orders.rules.records import OrderedLot

Busy = tuple[datetime, datetime]
"""Half-open: from an instant up to another one."""


@dataclass(frozen=True, slots=True)
class PlannedUse:
    """What the sealed plan does with a lot: until when it holds it, and how long the retrieval
    takes at its end; None where the plan says neither."""

    until_s: int | None = None
    retrieval_s: int | None = None


@dataclass(frozen=True, slots=True)
class LotHours:
    """The hours of one lot at a moment.

    `uncommitted_s` is below zero where the plan exceeds the lot. `runs_s`, `people_s` and `idle_s`
    add up to `elapsed_s`; hours with both count as runs'. `cut_s` is run time that was reported
    behind the usable end, `cut_runs` how many runs that end cut.
    """

    paid_s: int
    usable_s: int
    planned_s: int | None
    uncommitted_s: int | None
    retrieve_by: datetime | None
    elapsed_s: int
    left_s: int
    runs_s: int
    people_s: int
    idle_s: int
    cut_s: int
    cut_runs: int

    @property
    def has_begun(self) -> bool:
        """Whether any usable time has passed."""
        return self.elapsed_s > 0

    @property
    def is_over(self) -> bool:
        """Whether no usable time is left."""
        return self.left_s == 0


def lot_hours(
    lot: OrderedLot,
    use: PlannedUse,
    runs: Sequence[Busy],
    people: Sequence[Busy],
    now: datetime,
) -> LotHours:
    """The hours of a lot at `now`, from the runs that were on it and the time of people."""
    starts, usable_until = lot.starts_at, lot.usable_until
    usable_s = _seconds(usable_until - starts)
    until = min(max(now, starts), usable_until)
    elapsed_s = _seconds(until - starts)
    runs_s = covered_s(runs, starts, until)
    both_s = covered_s([*runs, *people], starts, until)
    cut = _cut(runs, lot)
    return LotHours(
        paid_s=_seconds(lot.ends_at - starts),
        usable_s=usable_s,
        planned_s=use.until_s,
        uncommitted_s=None if use.until_s is None else usable_s - use.until_s,
        retrieve_by=_before(usable_until, use.retrieval_s),
        elapsed_s=elapsed_s,
        left_s=usable_s - elapsed_s,
        runs_s=runs_s,
        people_s=both_s - runs_s,
        idle_s=elapsed_s - both_s,
        cut_s=sum(_seconds(end - max(begin, usable_until)) for begin, end in cut),
        cut_runs=len(cut),
    )


def covered_s(stretches: Iterable[Busy], starts: datetime, until: datetime) -> int:
    """How many seconds of a window at least one of the stretches covers."""
    covered, reached = 0, starts
    for begin, end in sorted(stretches):
        begin, end = max(begin, reached), min(end, until)
        if end > begin:
            covered += _seconds(end - begin)
            reached = end
    return covered


def _cut(runs: Iterable[Busy], lot: OrderedLot) -> list[Busy]:
    """The runs that went on when the lot's usable time ended."""
    return [one for one in runs if one[0] < lot.usable_until < one[1]]


def _before(end: datetime, needed_s: int | None) -> datetime | None:
    return None if needed_s is None else end - timedelta(seconds=needed_s)


def _seconds(length: timedelta) -> int:
    return length // timedelta(seconds=1)
