"""Judges a finished schedule against its steps and lots, with no part of what placed it.

Used on every save and API write: a schedule of ours with a violation is a fault of ours. All
spans are half-open; a piece of no length meets only what begins before it and ends after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step
from app.plan.rules.scheduled import Schedule
from app.plan.rules.validator.case import Case, Violation
from app.plan.rules.validator.classes import class_violations
from app.plan.rules.validator.figures import figure_violations
from app.plan.rules.validator.order import order_violations
from app.plan.rules.validator.places import place_violations, unknown_bars
from app.plan.rules.validator.reserves import reserve_violations

__all__ = ["Violation", "violations"]


def violations(
    steps: Sequence[Step],
    lots: Sequence[LotWindow],
    people: int,
    schedule: Schedule,
    *,
    elsewhere: bool | None = None,
) -> tuple[Violation, ...]:
    """Everything a schedule breaks; empty when it may be kept.

    The windows' ends bind only a schedule that says it fits; of another it is checked that
    `exceeds_min` states how far it overruns them. The steps themselves must be free of
    circles and unknown names: a schedule of others holds no bars and is not judged.
    """
    case = Case(tuple(steps), tuple(lots), people, schedule, elsewhere)
    strange = unknown_bars(case)
    if strange:
        return strange  # nothing else can be judged while a bar belongs to no step or lot
    if not case.judged:
        return ()
    return (
        *place_violations(case),
        *reserve_violations(case),
        *order_violations(case),
        *class_violations(case),
        *figure_violations(case),
    )
