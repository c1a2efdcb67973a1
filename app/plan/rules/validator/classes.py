"""Whether the right steps are in the plan: all essential ones, optional ones only where they
may be, and every step that is left out named."""

from __future__ import annotations

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepClass, StepKind
from app.plan.rules.validator.case import Case, Violation
from app.texts import text


def class_violations(case: Case) -> tuple[Violation, ...]:
    """Steps that are missing, not named as left out, or in the plan without leave."""
    found: list[Violation] = []
    dropped = [one.id for one in case.schedule.dropped]
    for step in case.steps:
        there = bool(case.bars[step.id])
        named = dropped.count(step.id) + case.schedule.not_included.count(step.id)
        if step.id in case.needed_by_essential:
            wrong = named > 0 or (not there and case.schedule.end_min is not None)
        elif step.klass is StepClass.EXPLORATORY and not step.include:
            wrong = there or named != 1 or step.id in dropped
        elif case.lots and not case.schedule.fits:
            wrong = there or dropped.count(step.id) != 1
        else:
            wrong = there + named != 1 or step.id in case.schedule.not_included
        if wrong:
            said = text(
                "{step} is {klass} and wrongly in or out", step=step.id, klass=step.klass.value
            )
            found.append(Violation("class", step.id, said))
        elif there:
            found += _per_lot(case, step)
    for name in dropped:
        if name not in case.step:
            found.append(Violation("class", name, text("{step}: no such step", step=name)))
    return tuple(found)


def _per_lot(case: Case, step: Step) -> list[Violation]:
    """One bar, or for a step per lot one bar on each lot that can hold it."""
    bars = case.bars[step.id]
    if not case.spread(step):
        right = len(bars) == 1
    else:
        wanted = sorted(lot.id for lot in case.lots if _can_hold(case, step, lot))
        right = sorted(bar.lot or "" for bar in bars) == wanted
    if right:
        return []
    said = text("{step} is not on each lot that can hold it", step=step.id)
    return [Violation("per_lot", step.id, said)]


def _can_hold(case: Case, step: Step, lot: LotWindow) -> bool:
    ready = all(
        any(bar.lot == lot.id for bar in case.bars[name])
        for name in step.after
        if case.step[name].per_lot
    )
    if step.kind is not StepKind.MACHINE:
        return ready
    length = min(bar.end_min - bar.start_min for bar in case.bars[step.id])
    roomy = lot.gpus >= max(1, step.gpus) and lot.usable_min - lot.start_min >= length
    return ready and roomy
