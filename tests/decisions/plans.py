"""A small plan with a pilot, a decision point, a control and variants, for tests of decisions."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from app.decisions.rules.results import Fired, RunResult, Series
from app.plan.rules.model import (
    Corpus,
    DecisionPoint,
    DecisionRule,
    Plan,
    PlannedLot,
    PlannedStopRule,
    Role,
    Step,
    StepClass,
    StepKind,
)

HOUR_S = 3600
ID = "rank"


def rule(**more: Any) -> DecisionRule:
    """F1, higher is better, a gain of 0.02 over the control, called eval_f1 by the job."""
    base = DecisionRule(
        "f1", "higher", "final", "Ship it.", "Keep the control.",
        gain_over_control=Decimal("0.02"), metrics=(("f1", "eval_f1"),),
    )  # fmt: skip
    return replace(base, **more)


def machine(id_: str, klass: StepClass, role: Role, hours: int = 10, **more: Any) -> Step:
    """A machine step of one GPU."""
    return Step(
        id_, id_.title(), StepKind.MACHINE, klass,
        p50_s=hours * HOUR_S, gpus=1, role=role, **more,
    )  # fmt: skip


def steps() -> tuple[Step, ...]:
    """Pilot, decision point, control, essential variant a, useful b, and c that needs b."""
    after = ("pilot-decision",)
    essential, useful = StepClass.ESSENTIAL, StepClass.USEFUL
    return (
        machine("pilot", essential, Role.PILOT, 4),
        Step("pilot-decision", "Decision after the pilot", StepKind.DECISION_POINT, essential,
             p50_s=HOUR_S, after=("pilot",)),
        machine("control", essential, Role.CONTROL, after=after),
        machine("variant-a", essential, Role.VARIANT, after=after),
        machine("variant-b", useful, Role.VARIANT, after=after),
        machine("probe", StepClass.USEFUL, Role.ANALYSIS, 2, after=("variant-b",)),
    )  # fmt: skip


def plan(**more: Any) -> Plan:
    """The whole plan; `decision_rule`, `steps` and so on may be replaced."""
    base = Plan(
        id=ID,
        question="Which rank do we ship?",
        zone="Europe/Berlin",
        currency="USD",
        decision_rule=rule(),
        corpora=(Corpus("eval"),),
        lots=(PlannedLot("lot-1", offer="iteragpu/rtx-4090/3d"),),
        steps=steps(),
        decision_points=(DecisionPoint("pilot-decision", "continue if pilot <= 1.3 x estimate"),),
        stop_rules=(
            PlannedStopRule("f1-too-low", "below", "f1", Decimal("0.5")),
            PlannedStopRule("loss-not-finite", "non_finite", "loss"),
            PlannedStopRule("f1-too-good", "above", "f1", Decimal("0.999")),
        ),
    )
    return replace(base, **more)


def run(
    id_: str, step: str, value: str | None = None, status: str = "completed", **more: Any
) -> RunResult:
    """A run that posted eval_f1 once."""
    metrics = {} if value is None else {"eval_f1": Series(value, value, value)}
    return RunResult(id_, step, status, metrics=metrics, **more)


def stopped(id_: str, step: str, fired: Fired) -> RunResult:
    """A run that a stop rule ended."""
    return RunResult(id_, step, "stopped", fired=fired, reason_code=f"rule:{fired.rule}")
