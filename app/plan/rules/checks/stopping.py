"""Whether a stop rule says all that its kind is judged by."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.rules.document import Path, Problem
from app.plan.rules.model import Plan, PlannedStopRule, Role, StepKind, StopKind
from app.plan.rules.stopping import NEEDED, TAKEN
from app.texts import text


def stop_rule_problems(path: Path, rule: PlannedStopRule, plan: Plan) -> Iterator[Problem]:
    """What keeps a rule from being judged, and keys that would be without effect."""
    said = {
        "metric": rule.metric, "value": rule.value, "for": rule.for_ if rule.for_ != 1 else None,
        "after_step": rule.after_step, "after_hours": rule.after_hours, "better": rule.better,
    }  # fmt: skip
    for key in NEEDED.get(StopKind(rule.kind), ()):
        if said[key] is None:
            message = text("A rule of kind {kind} needs {key}.", kind=str(rule.kind), key=key)
            yield Problem((*path, key), message)
    for key, value in said.items():
        if value is not None and key not in TAKEN[StopKind(rule.kind)]:
            message = text(
                "{key} has no effect on a rule of kind {kind}.", key=key, kind=str(rule.kind)
            )
            yield Problem((*path, key), message, value)
    if rule.kind == StopKind.NOT_BETTER:
        yield from _against_control(path, rule, plan)
    if rule.kind == StopKind.OVERTIME and rule.after_hours is None:
        yield from _without_limit(path, rule, plan)


def _against_control(path: Path, rule: PlannedStopRule, plan: Plan) -> Iterator[Problem]:
    """By when it is compared, and which way is better."""
    if rule.after_step is None and rule.after_hours is None:
        message = text("By when is it compared with the control? Write after_step or after_hours.")
        yield Problem((*path, "after_hours"), message)
    if rule.better is None and rule.metric not in (None, plan.decision_rule.metric):
        message = text(
            'Is a higher or a lower {metric} better? Write better = "higher", or "lower".',
            metric=rule.metric,
        )
        yield Problem((*path, "better"), message)
    if not any(step.role is Role.CONTROL for step in plan.steps):
        message = text("There is no control to compare with: give a step the role control.")
        yield Problem((*path, "kind"), message, str(rule.kind))


def _without_limit(path: Path, rule: PlannedStopRule, plan: Plan) -> Iterator[Problem]:
    """Without a limit of its own a step's P90 is the longest that it may last."""
    machine = [step for step in plan.steps if step.kind is StepKind.MACHINE]
    named = [step for step in machine if not rule.steps or step.id in rule.steps]
    if named and all(step.p90_s is None for step in named):
        message = text("How long may it last? Write after_hours, or a p90 at its steps.")
        yield Problem((*path, "after_hours"), message)
