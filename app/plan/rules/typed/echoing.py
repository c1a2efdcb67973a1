"""What was understood of each typed row of steps: its lengths, and when the step ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.plan.rules.lots import LotWindow, zero_at
from app.plan.rules.model import Plan
from app.plan.rules.scheduled import Schedule
from app.plan.rules.spans import hours_said
from app.texts import Text
from app.units import UnitError, parse_duration, zone


@dataclass(frozen=True, slots=True)
class Echo:
    """One row as understood.

    The end counts in minutes from hour 0 and, where the first lot's start is known, stands on the
    campaign's own clock too; both are None where the step is not in the plan.
    """

    p50_s: int | None = None
    p90_s: int | None = None
    by_parts: bool = False
    end_min: int | None = None
    ends_at: datetime | None = None

    @property
    def ends_after(self) -> Text | None:
        """The end on the plan's own clock, where no calendar is known and it is not before it."""
        if self.ends_at is not None or self.end_min is None or self.end_min < 0:
            return None
        return hours_said(self.end_min)


def echoes_read(tables: Sequence[Mapping[str, Any]]) -> list[Echo]:
    """The lengths alone, of rows that are no plan yet."""
    return [Echo(_length(table.get("p50")), _length(table.get("p90"))) for table in tables]


def echoes_placed(plan: Plan, made: Schedule, lots: Sequence[LotWindow]) -> list[Echo]:
    """The lengths of a plan's steps, and the ends of those that are placed, in their order."""
    ends: dict[str, int] = {}
    for bar in made.placements:
        if not bar.reserve:
            ends[bar.step] = max(bar.end_min, ends.get(bar.step, bar.end_min))
    zero, clock = zero_at(lots), zone(plan.zone)
    found = []
    for step in plan.steps:
        end, parts = ends.get(step.id), step.p50_s is None and step.parts is not None
        p50_s = step.parts.total_s() if parts and step.parts is not None else step.p50_s
        at = zero + timedelta(minutes=end) if zero is not None and end is not None else None
        local = at.astimezone(clock) if at is not None else None
        found.append(Echo(p50_s, step.p90_s, parts, end, local))
    return found


def _length(given: object) -> int | None:
    try:
        return parse_duration(given) if given is not None else None
    except UnitError:
        return None
