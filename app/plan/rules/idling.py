"""GPUs that wait for a person who is not there: work of people planned outside their hours.

The step stays where it is planned. Said is until when its machines would really wait, how many
GPU hours that idles, and which start of the lots avoids it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.plan.rules.lots import LotWindow, zero_at
from app.plan.rules.scheduled import Placement, Schedule
from app.plan.rules.working import WAKING, WorkingHours

_STEP = 15
"""Other starts are tried a quarter of an hour apart, up to a week later."""
_WEEK = 7 * 24 * 60


@dataclass(frozen=True, slots=True)
class Idle:
    """A step of people at a time when nobody works.

    `begins_at` is the planned instant, `resumes_at` when a person is there again; `gpu_min` sums
    the minutes of all GPUs that have nothing to do in between.
    """

    bar: str
    step: str
    begins_at: datetime
    resumes_at: datetime
    gpu_min: int


def idling(
    schedule: Schedule,
    lots: Sequence[LotWindow],
    zone: ZoneInfo,
    hours: WorkingHours | None,
) -> tuple[Idle, ...]:
    """Every step of people that begins outside working hours and keeps a GPU waiting.

    Nothing can be said while the plan counts in hours: () then.
    """
    zero = zero_at(lots)
    return () if zero is None else _found(schedule, lots, zone, hours or WAKING, zero)


def better_start(
    schedule: Schedule,
    lots: Sequence[LotWindow],
    zone: ZoneInfo,
    hours: WorkingHours | None,
) -> datetime | None:
    """The first start of hour 0, within a week from the planned one, at which no GPU waits for a
    person; None where there is none, or nothing waits."""
    zero = zero_at(lots)
    if zero is None or not _found(schedule, lots, zone, hours or WAKING, zero):
        return None
    for later in range(_STEP, _WEEK + 1, _STEP):
        start = zero + timedelta(minutes=later)
        if not _found(schedule, lots, zone, hours or WAKING, start):
            return start
    return None


def _found(
    schedule: Schedule,
    lots: Sequence[LotWindow],
    zone: ZoneInfo,
    hours: WorkingHours,
    zero: datetime,
) -> tuple[Idle, ...]:
    found = []
    for bar in schedule.placements:
        if bar.person is None or bar.start_min < 0:
            continue
        begins = zero + timedelta(minutes=bar.start_min)
        resumes = hours.next(begins, zone)
        if resumes == begins:
            continue
        until = bar.start_min + round((resumes - begins).total_seconds() / 60)
        gpu_min = sum(_free(lot, schedule.placements, bar.start_min, until) for lot in lots)
        if gpu_min:
            found.append(Idle(bar.id, bar.step, begins, resumes, gpu_min))
    return tuple(found)


def _free(lot: LotWindow, bars: Sequence[Placement], since: int, until: int) -> int:
    """GPU minutes of a lot between two minutes in which nothing is planned on it."""
    since, until = max(since, lot.start_min), min(until, lot.usable_min)
    if until <= since:
        return 0
    taken = sum(
        len(bar.gpus) * max(0, min(bar.end_min, until) - max(bar.start_min, since))
        for bar in bars
        if bar.lot == lot.id and bar.gpus
    )
    return lot.gpus * (until - since) - taken
