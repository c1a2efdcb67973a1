"""What runs without a value mean: a stop rule on the decision metric is evidence, a loss is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.decisions.rules.results import RunResult, figure, names_of
from app.plan.rules.model import DecisionRule, PlannedStopRule, StopKind
from app.runs.rules.words import reason_said
from app.texts import Text, text

_UNENDED = ("planned", "running")
_LOSING = {
    "higher": (StopKind.BELOW, StopKind.NOT_BETTER),
    "lower": (StopKind.ABOVE, StopKind.NOT_BETTER),
}


def lost_by_rule(
    rule: DecisionRule, stop_rules: Mapping[str, PlannedStopRule], results: Sequence[RunResult]
) -> Text | None:
    """The sentence for a variant that a stop rule on the decision metric ended.

    Only a finite value on the losing side counts, and only while no other run of the variant
    is still on its way.
    """
    if any(result.status in _UNENDED for result in results):
        return None
    for result in reversed(results):
        fired = result.fired
        if result.status != "stopped" or fired is None or figure(fired.value) is None:
            continue
        planned = stop_rules.get(fired.rule)
        if planned is None or planned.kind not in _LOSING[rule.better]:
            continue
        metric = fired.metric or planned.metric
        if metric not in names_of(rule):
            continue
        return _sentence(result, metric)
    return None


def _sentence(result: RunResult, metric: str) -> Text:
    fired = result.fired
    assert fired is not None
    values = {"run": result.run, "rule": fired.rule, "metric": metric, "value": fired.value}
    if fired.progress is None:
        return text("{run} was stopped by the rule {rule}: {metric} was {value}", **values)
    return text(
        "{run} was stopped by the rule {rule}: {metric} was {value} at step {step}",
        **values, step=fired.progress,
    )  # fmt: skip


def without_value(rule: DecisionRule, results: Sequence[RunResult]) -> Text:
    """Why there is no evidence, told by the newest run."""
    if not results:
        return text("no run yet")
    unended = [result for result in results if result.status in _UNENDED]
    newest = unended[-1] if unended else results[-1]
    reason = reason_said(newest.reason_code or "–")
    if newest.status == "running":
        return text("{run} is still running", run=newest.run)
    if newest.status == "planned":
        return text("{run} has not started", run=newest.run)
    if newest.status == "completed":
        return text("{run} posted no {metric}", run=newest.run, metric=rule.metric)
    if newest.fired is not None:
        return _by_another_rule(newest)
    if newest.status == "stopped":
        return text("{run} was stopped ({reason})", run=newest.run, reason=reason)
    if newest.status == "lost":
        return text("{run} was lost", run=newest.run)
    return text("{run} failed ({reason})", run=newest.run, reason=reason)


def _by_another_rule(result: RunResult) -> Text:
    fired = result.fired
    assert fired is not None
    if fired.value is None:
        return text("{run} was stopped by the rule {rule}", run=result.run, rule=fired.rule)
    return text(
        "{run} was stopped by the rule {rule}: {metric} was {value}",
        run=result.run, rule=fired.rule, metric=fired.metric or "–", value=fired.value,
    )  # fmt: skip
