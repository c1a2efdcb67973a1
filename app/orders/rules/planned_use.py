"""What a plan does with one of its lots: until when it holds it, how long the retrieval takes."""

from __future__ import annotations

from collections.abc import Sequence

from app.orders.rules.hours import PlannedUse
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Role, Step, StepKind
from app.plan.rules.scheduled import Placement, Schedule
from app.units import MINUTE_S


def planned_use(
    schedule: Schedule, steps: Sequence[Step], windows: Sequence[LotWindow], lot: str | None
) -> PlannedUse:
    """The use of a lot by its name in the plan; nothing is known of an extra one.

    With one lot the whole plan is held against it, as its uncommitted hours are; of several each
    has what was placed on it. The retrieval takes what the plan reserves for it.
    """
    window = next((one for one in windows if one.id == lot), None)
    if window is None:
        return PlannedUse()
    mine = [one for one in schedule.placements if len(windows) == 1 or one.lot == lot]
    if not mine:
        return PlannedUse()
    until_min = max(one.end_min for one in mine) - window.start_min
    return PlannedUse(until_min * MINUTE_S, _retrieval_s(mine, steps))


def _retrieval_s(placed: Sequence[Placement], steps: Sequence[Step]) -> int | None:
    """How long the transfers take that bring the results home; None where none is planned."""
    by_id = {step.id: step for step in steps}
    named = [by_id[one.step] for one in placed if one.step in by_id and not one.reserve]
    found = [step for step in named if step.role is Role.RETRIEVAL]
    found = found or [step for step in named if step.kind is StepKind.TRANSFER]
    if not found:
        return None
    return sum(step.estimate_s() for step in dict.fromkeys(found))
