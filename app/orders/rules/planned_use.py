"""What a plan does with one of its lots: until when it holds it, how long the retrieval takes."""

from __future__ import annotations

from collections.abc import Sequence

from app.orders.rules.hours import PlannedUse
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step
from app.plan.rules.retrieving import retrieving
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
    here = {one.step for one in placed}
    found = [step for step in retrieving(steps) if step.id in here]
    return sum(step.estimate_s() for step in found) if found else None
