"""A plan tried with other figures: nothing is written, the sealed plan stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.plan.rules.conditions import NeededIf, Standing, parse_needed_if, parse_standing
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import (
    DecisionPoint,
    Plan,
    PlannedLot,
    Role,
    Step,
    StepClass,
    StepKind,
)
from app.plan.rules.slugs import free_slug


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried: other estimates (seconds by step), steps left out and exploratory ones
    taken in, one more step on the GPU, other lots."""

    estimates: Mapping[str, int] = field(default_factory=dict)
    out: frozenset[str] = frozenset()
    included: frozenset[str] | None = None
    added_title: str = ""
    added_s: int | None = None
    offer: str | None = None
    lots: int = 1

    @property
    def changes_anything(self) -> bool:
        """Whether something is tried at all."""
        return self != Trial(included=self.included) or self.included is not None


def tried(plan: Plan, trial: Trial) -> Plan:
    """The plan as it would be.

    An estimate that is replaced takes its P90 along in the same ratio, and its parts give way. A
    step that is left out takes along what needs its result; `left_out` names all of them.
    Conditions and rules that spoke of it go too.
    """
    gone = left_out(plan.steps, trial.out)
    steps = plan.steps
    for name in gone:
        steps = without(steps, name)
    steps = tuple(_changed(step, trial) for step in steps)
    steps = _with_added(steps, trial)
    steps = tuple(_without_condition(step, gone) for step in steps)
    points = tuple(
        _without_standing(one, steps) for one in plan.decision_points if one.step not in gone
    )
    rules = tuple(
        replace(rule, steps=tuple(name for name in rule.steps if name not in gone))
        for rule in plan.stop_rules
        if not rule.steps or set(rule.steps) - gone
    )
    lots = plan.lots if trial.offer is None else _lots(plan, trial.offer, trial.lots)
    return replace(plan, steps=steps, decision_points=points, stop_rules=rules, lots=lots)


def left_out(steps: Sequence[Step], out: frozenset[str]) -> frozenset[str]:
    """Some steps with everything that needs their results, directly or not."""
    gone = {step.id for step in steps if step.id in out}
    while more := {step.id for step in steps if step.id not in gone and gone & set(step.after)}:
        gone |= more
    return frozenset(gone)


def without(steps: Sequence[Step], gone: str) -> tuple[Step, ...]:
    """The steps without one of them: what came after it no longer waits for it."""
    return tuple(
        replace(
            step,
            after=tuple(name for name in step.after if name != gone),
            follows=tuple(name for name in step.follows if name != gone),
        )
        for step in steps
        if step.id != gone
    )


def _changed(step: Step, trial: Trial) -> Step:
    seconds = trial.estimates.get(step.id)
    if seconds is not None and seconds != step.estimate_s():
        step = replace(step, p50_s=seconds, p90_s=_scaled(step, seconds), parts=None)
    if trial.included is not None and step.klass is StepClass.EXPLORATORY:
        step = replace(step, include=step.id in trial.included)
    return step


def _without_condition(step: Step, gone: frozenset[str]) -> Step:
    """The step without a `needed_if` that asks for the verdict of a step left out."""
    parsed = parse_needed_if(step.needed_if) if step.needed_if else None
    if isinstance(parsed, NeededIf) and any(one.step in gone for one in parsed.verdicts):
        return replace(step, needed_if=None)
    return step


def _without_standing(point: DecisionPoint, steps: Sequence[Step]) -> DecisionPoint:
    """The decision point without a rule whose facts nobody would bring any more."""
    parsed = parse_standing(point.standing) if point.standing else None
    if not isinstance(parsed, Standing):
        return point
    ids = {step.id for step in steps}
    roles = {step.role.replace("_", " ") for step in steps if step.role is not None}
    subjects = {fact.subject for fact in parsed.facts} - {None}
    if subjects <= ids | roles and (parsed.cut is None or parsed.cut in ids):
        return point
    return replace(point, standing=None)


def _scaled(step: Step, seconds: int) -> int | None:
    before = step.estimate_s()
    if step.p90_s is None or not before:
        return None
    return round(step.p90_s * seconds / before)


def _with_added(steps: tuple[Step, ...], trial: Trial) -> tuple[Step, ...]:
    """One more useful step on the GPU, behind what the control comes after."""
    if not trial.added_title or trial.added_s is None:
        return steps
    control = next((step for step in steps if step.role is Role.CONTROL), None)
    name = free_slug(trial.added_title, {step.id for step in steps}, "step")
    added = Step(
        name,
        trial.added_title,
        StepKind.MACHINE,
        StepClass.USEFUL,
        p50_s=trial.added_s,
        gpus=control.gpus if control is not None else 1,
        after=control.after if control is not None else (),
    )
    return (*steps, added)


def _lots(plan: Plan, offer: str, count: int) -> tuple[PlannedLot, ...]:
    """Lots of one offer side by side, from the instant at which the plan's first lot begins."""
    starts_at = min((lot.starts_at for lot in plan.lots if lot.starts_at), default=None)
    return tuple(
        PlannedLot(f"lot-{n}", offer=offer, starts_at=starts_at) for n in range(1, count + 1)
    )


def total_minor(windows: Sequence[LotWindow]) -> tuple[int | None, str | None]:
    """The price of all the lots and its currency; None where one is unknown or they differ."""
    currencies = {lot.currency for lot in windows}
    prices = [lot.price_minor for lot in windows]
    if not windows or len(currencies) != 1 or None in prices:
        return None, None
    return sum(price or 0 for price in prices), currencies.pop()
