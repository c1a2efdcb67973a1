"""The decision rule applied to what the runs posted: a proposal, never the decision.

A variant passes at the threshold, or at the control's mean plus the gain; equality passes.
What gave no evidence says why, and a negative outcome needs every variant to have failed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.decisions.rules.lines import Basis, Line, control_line, variant_line
from app.decisions.rules.need import is_needed
from app.decisions.rules.results import RunResult
from app.plan.rules.model import Plan, Role
from app.texts import Text, text

POSITIVE, NEGATIVE, INCONCLUSIVE = "positive", "negative", "inconclusive"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the decision rule says so far.

    `proposed` is `positive`, `negative` or `inconclusive`, None where the plan has no variant;
    `why` is the sentence for it.
    """

    metric: str
    better: str
    take: str
    threshold: Fraction | None
    gain: Fraction | None
    control: Line | None
    variants: tuple[Line, ...]
    proposed: str | None
    why: Text


def evaluate(plan: Plan, results: Sequence[RunResult], cut: Collection[str] = ()) -> Evaluation:
    """Apply a plan's decision rule to its runs; `cut` are steps given up by a decision."""
    rule = plan.decision_rule
    by_step: dict[str, list[RunResult]] = {}
    for result in results:
        by_step.setdefault(result.step, []).append(result)
    controls = [step for step in plan.steps if step.role is Role.CONTROL]
    pool = [result for step in controls for result in by_step.get(step.id, ())]
    basis = Basis.of(plan).shared([result for result in pool if result.status == "completed"])
    control = control_line(basis, controls[0], pool) if controls else None
    basis = basis.against(control)
    variants = [
        variant_line(basis, step, by_step.get(step.id, ()), is_cut=step.id in cut)
        for step in plan.steps
        if step.role is Role.VARIANT
    ]
    verdicts = {line.step: line.verdict for line in variants}
    needed = {step.id: step.needed_if for step in plan.steps if step.needed_if}
    lines = tuple(_unless_unneeded(line, needed, verdicts) for line in variants)
    proposed, why = _proposal(lines)
    return Evaluation(
        rule.metric, rule.better, rule.take,
        None if rule.threshold is None else Fraction(rule.threshold),
        None if rule.gain_over_control is None else Fraction(rule.gain_over_control),
        control, lines, proposed, why,
    )  # fmt: skip


def _unless_unneeded(line: Line, needed: Mapping[str, str], verdicts: Mapping[str, str]) -> Line:
    """A variant without evidence that cannot change the choice any more says so."""
    condition = needed.get(line.step)
    if line.verdict != "no_evidence" or line.dropped or condition is None:
        return line
    if is_needed(condition, verdicts) is not False:
        return line
    reason = text("not needed any more: it was needed if {condition}", condition=condition)
    return line.given_up(reason)


def _proposal(lines: Sequence[Line]) -> tuple[str | None, Text]:
    """The outcome that the lines suggest, with its sentence."""
    passing = [line for line in lines if line.verdict == "passes"]
    open_lines = [line for line in lines if line.verdict == "no_evidence" and not line.dropped]
    failing = [line for line in lines if line.verdict == "does_not_pass"]
    if not lines:
        return None, text("The plan has no step with the role variant, so nothing is compared.")
    if passing:
        names = ", ".join(line.title for line in passing)
        return POSITIVE, text("Passes: {variants}.", variants=names)
    if open_lines:
        names = ", ".join(line.title for line in open_lines)
        return INCONCLUSIVE, text("Nothing passes so far. No evidence: {variants}.", variants=names)
    if failing:
        return NEGATIVE, text("No variant passes.")
    return INCONCLUSIVE, text("No variant gave evidence; all were given up.")
