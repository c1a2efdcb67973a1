"""Whether the right steps are in the plan: all essential ones, optional ones only where they
may be, every step that is left out named, and control and variants on one lot where they must."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Role, Step, StepClass, StepKind
from app.plan.rules.typed.labels import CLASSES
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
                "{step} is {klass} and wrongly in or out", step=step.id, klass=CLASSES[step.klass]
            )
            found.append(Violation("class", step.id, said))
        elif there:
            found += _per_lot(case, step)
    for name in dropped:
        if name not in case.step:
            found.append(Violation("class", name, text("{step}: no such step", step=name)))
    return (*found, *_said_of_optional(case), *_together(case))


def _said_of_optional(case: Case) -> Iterator[Violation]:
    """Which steps may be dropped, and of which it is said whether they would fit."""
    optional = tuple(
        step.id
        for step in case.steps
        if case.bars[step.id] and step.id not in case.needed_by_essential
    )
    if case.schedule.may_be_dropped != optional:
        said = text("{names} may be dropped", names=optional)
        yield Violation("class", "may_be_dropped", said)
    asked = [one.id for one in case.schedule.would_fit]
    strange = set(asked) - set(case.schedule.not_included)
    if (
        strange
        or len(asked) != len(set(asked))
        or any(one.over_min < 0 for one in case.schedule.would_fit)
    ):
        said = text("{names}: not asked whether they fit", names=tuple(sorted(strange)))
        yield Violation("class", "would_fit", said)


def _together(case: Case) -> Iterator[Violation]:
    """Control and variants on several lots, where they are to run on one."""
    tied = [
        bar
        for step in case.steps
        if step.role in (Role.CONTROL, Role.VARIANT) and not step.per_lot
        for bar in case.bars[step.id]
        if step.kind is StepKind.MACHINE
    ]
    if case.elsewhere is False and len({bar.lot for bar in tied}) > 1:
        for bar in tied:
            said = text("{bar} is on {lot}, apart from the others", bar=bar.id, lot=bar.lot)
            yield Violation("together", bar.id, said)


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
