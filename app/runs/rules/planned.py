"""The plan's stop rules in the form that jobs and server judge by."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime

from app.plan.rules.checkpoints import last_safe_save_s
from app.plan.rules.model import (
    Checkpoint,
    Plan,
    PlannedStopRule,
    Step,
    StepKind,
    StopKind,
)
from punktum.stop_rules import StopRule

_HOUR_S = 3600


def stop_rules(plan: Plan, usable_until: datetime | None = None) -> tuple[StopRule, ...]:
    """All stop rules of a plan, in its order.

    `usable_until` is the end of the lot that is worked on: with it a rule about time knows the
    last save of each step that can still be fetched.
    """
    return tuple(_shared(rule, plan, usable_until) for rule in plan.stop_rules)


def _shared(rule: PlannedStopRule, plan: Plan, usable_until: datetime | None) -> StopRule:
    after, value = rule.after_hours, rule.value
    better = rule.better
    if rule.kind == StopKind.NOT_BETTER and better is None:
        better = plan.decision_rule.better
    is_timed = rule.kind == StopKind.OVERTIME
    return StopRule(
        rule.id,
        str(rule.kind),
        rule.metric,
        None if value is None else format(value, "f"),
        rule.for_,
        rule.act,
        rule.steps,
        rule.after_step,
        None if after is None else round(after * _HOUR_S),
        better,
        _limits(plan) if is_timed and after is None else (),
        _saves(plan, usable_until) if is_timed and usable_until is not None else (),
    )


def _limits(plan: Plan) -> tuple[tuple[str, int], ...]:
    """The longest that each machine step may last, in seconds: its P90."""
    return tuple(sorted((step.id, step.p90_s) for step in _machine(plan) if step.p90_s is not None))


def _saves(plan: Plan, usable_until: datetime) -> tuple[tuple[str, int], ...]:
    """When each machine step begins its last save that can still be fetched; since 1970."""
    found = []
    for step in _machine(plan):
        stated = step.checkpoint or Checkpoint()
        needed_s = last_safe_save_s(stated.size_bytes, plan.transfer_rate_bps, stated.write_s)
        if needed_s is not None:
            found.append((step.id, int(usable_until.timestamp()) - math.ceil(needed_s)))
    return tuple(sorted(found))


def _machine(plan: Plan) -> Iterator[Step]:
    return (step for step in plan.steps if step.kind is StepKind.MACHINE)
