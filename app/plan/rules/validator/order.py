"""Whether everything begins after what it comes after."""

from __future__ import annotations

from app.plan.rules.validator.case import Case, Violation
from app.texts import text


def order_violations(case: Case) -> tuple[Violation, ...]:
    """Bars that begin too early, and bars without the bar whose result they need."""
    found: list[Violation] = []
    for bar in case.schedule.placements:
        if bar.reserve:
            continue
        before = case.bars_before(bar)
        for earlier in before:
            if case.over_at(earlier) > bar.start_min:
                said = text(
                    "{bar} begins before {earlier} has ended", bar=bar.id, earlier=earlier.id
                )
                found.append(Violation("order", bar.id, said))
        present = {earlier.step for earlier in before}
        for name in case.step[bar.step].after:
            if name not in present:
                said = text("{bar} is planned without {needed}", bar=bar.id, needed=name)
                found.append(Violation("needed", bar.id, said))
    return tuple(found)
