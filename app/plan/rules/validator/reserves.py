"""Whether the time kept for interruptions stands where and as long as it should."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.rules.checkpoints import reserve_min
from app.plan.rules.scheduled import Placement
from app.plan.rules.validator.case import Case, Violation
from app.texts import text


def reserve_violations(case: Case) -> tuple[Violation, ...]:
    """Reserves that are missing, in excess, of another length, or not right after their bar."""
    found: list[Violation] = []
    for step in case.steps:
        wanted = reserve_min(step)
        there = list(case.reserves[step.id])
        for bar in case.bars[step.id]:
            mine = [one for one in there if one.id == f"{bar.id}/reserve"]
            found += _judged(bar, mine, wanted)
            there = [one for one in there if one not in mine]
        found += (_wrong(one.id) for one in there)
    return tuple(found)


def _judged(bar: Placement, mine: list[Placement], wanted: int) -> Iterator[Violation]:
    right = len(mine) == (1 if wanted else 0) and all(
        one.start_min == bar.end_min
        and one.end_min - one.start_min == wanted
        and (one.lot, one.gpus, one.lane) == (bar.lot, bar.gpus, bar.lane)
        for one in mine
    )
    if not right:
        yield _wrong(f"{bar.id}/reserve")


def _wrong(name: str) -> Violation:
    said = text("{reserve} is not the reserve of a step right before it", reserve=name)
    return Violation("reserve", name, said)
