"""The plan's stop rules in the form that jobs and server judge by."""

from __future__ import annotations

from app.plan.rules.model import Plan, PlannedStopRule
from punktum.stop_rules import StopRule

_HOUR_S = 3600


def stop_rules(plan: Plan) -> tuple[StopRule, ...]:
    """All stop rules of a plan, in its order."""
    return tuple(_shared(rule) for rule in plan.stop_rules)


def _shared(rule: PlannedStopRule) -> StopRule:
    after, value = rule.after_hours, rule.value
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
    )
