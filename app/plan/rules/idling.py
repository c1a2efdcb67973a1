"""GPUs that wait for a person who is not there: work of people planned outside their hours.

The step stays where it is planned. Said is when a person would really have done it, how many GPU
hours have nothing to do until then, and which start of the lots avoids that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.plan.rules.lots import LotWindow, zero_at
from app.plan.rules.model import Plan, StepKind
from app.plan.rules.precedence import STAR
from app.plan.rules.scheduled import Placement, Schedule
from app.plan.rules.working import WAKING

_STEP = 15
"""Other starts are tried a quarter of an hour apart, up to a week later."""
_WEEK = 7 * 24 * 60


@dataclass(frozen=True, slots=True)
class Idle:
    """A step of people that is planned, wholly or in part, when nobody works.

    `begins_at` and `ends_at` are planned, `done_at` is when a person would have done it;
    `gpu_min` sums the minutes of all GPUs that have nothing to do because of that.
    """

    bar: str
    step: str
    begins_at: datetime
    ends_at: datetime
    done_at: datetime
    gpu_min: int


@dataclass(frozen=True, slots=True)
class _Wait:
    """A planned bar of a person that machines wait for, and the bars that do not wait for it."""

    bar: Placement
    others: tuple[Placement, ...]


def idling(plan: Plan, schedule: Schedule, lots: Sequence[LotWindow]) -> tuple[Idle, ...]:
    """Every step of people that keeps a GPU waiting beyond its planned end.

    Nothing can be said while the plan counts in hours: () then.
    """
    zero = zero_at(lots)
    return () if zero is None else _found(plan, _waits(plan, schedule), lots, zero)


def better_start(plan: Plan, schedule: Schedule, lots: Sequence[LotWindow]) -> datetime | None:
    """The first start of hour 0, within a week from the planned one, at which no GPU waits for a
    person; None where there is none, or nothing waits."""
    zero, waits = zero_at(lots), _waits(plan, schedule)
    if zero is None or not _found(plan, waits, lots, zero):
        return None
    for later in range(_STEP, _WEEK + 1, _STEP):
        start = zero + timedelta(minutes=later)
        if not _found(plan, waits, lots, start):
            return start
    return None


def _waits(plan: Plan, schedule: Schedule) -> tuple[_Wait, ...]:
    """What of a schedule does not depend on the instant at which it begins."""
    machines = {step.id for step in plan.steps if step.kind is StepKind.MACHINE}
    found = []
    for bar in schedule.placements:
        if bar.person is None or bar.start_min < 0:
            continue
        behind = _behind(plan, bar.step)
        if behind & machines:
            others = tuple(one for one in schedule.placements if one.step not in behind)
            found.append(_Wait(bar, others))
    return tuple(found)


def _found(
    plan: Plan, waits: Sequence[_Wait], lots: Sequence[LotWindow], zero: datetime
) -> tuple[Idle, ...]:
    hours, zone = plan.working_hours or WAKING, ZoneInfo(plan.zone)
    found = []
    for wait in waits:
        bar = wait.bar
        begins, ends = (zero + timedelta(minutes=at) for at in (bar.start_min, bar.end_min))
        done = hours.done(begins, bar.end_min - bar.start_min, zone)
        until = bar.end_min + round((done - ends).total_seconds() / 60)
        gpu_min = sum(_free(lot, wait.others, bar.end_min, until) for lot in lots)
        if gpu_min:
            found.append(Idle(bar.id, bar.step, begins, ends, done, gpu_min))
    return tuple(found)


def _behind(plan: Plan, name: str) -> set[str]:
    """Everything that waits for a step, directly or through others."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        at = ahead.pop()
        for step in plan.steps:
            if step.id not in found and not {at, STAR}.isdisjoint((*step.after, *step.follows)):
                found.add(step.id)
                ahead.append(step.id)
    return found


def _free(lot: LotWindow, bars: Sequence[Placement], since: int, until: int) -> int:
    """GPU minutes of a lot between two minutes in which none of some bars is on it."""
    since, until = max(since, lot.start_min), min(until, lot.usable_min)
    if until <= since:
        return 0
    taken = sum(
        len(bar.gpus) * max(0, min(bar.end_min, until) - max(bar.start_min, since))
        for bar in bars
        if bar.lot == lot.id and bar.gpus
    )
    return lot.gpus * (until - since) - taken
