"""Which step can no longer change the choice, and what not running it would save.

Said before the order as a condition, and during the runs as a fact once the verdicts are in.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.rules.conditions import Mistake, NeededIf, Verdict, parse_needed_if
from app.plan.rules.model import Plan, Role, Step
from app.plan.rules.spans import hours_said
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Saving:
    """A step that one result of another may make useless; `work_min` is its own estimate."""

    step: str
    title: str
    condition: NeededIf
    work_min: int
    said: Text


def savings(plan: Plan) -> tuple[Saving, ...]:
    """Every step with a `needed_if` that asks for verdicts on variants, in the plan's order."""
    judged = {step.id for step in plan.steps if step.role is Role.VARIANT}
    titles = {step.id: step.title for step in plan.steps}
    found = []
    for step in plan.steps:
        parsed = parse_needed_if(step.needed_if) if step.needed_if else None
        if parsed is None or isinstance(parsed, Mistake):
            continue
        if not all(one.step in judged for one in parsed.verdicts):
            continue
        work = -(-step.estimate_s() // 60)
        said = _said(step, parsed, titles, work)
        found.append(Saving(step.id, step.title, parsed, work, said))
    return tuple(found)


def _said(step: Step, condition: NeededIf, titles: dict[str, str], work_min: int) -> Text:
    """The saving as a sentence, for the case in which the condition does not hold."""
    against = tuple(_opposite(one, titles) for one in condition.verdicts)
    figures = {"step": step.title, "work": hours_said(work_min)}
    if len(against) == 1:
        return text(
            "If {case}, {step} cannot change the choice: saves {work}. Else it is needed.",
            case=against[0],
            **figures,
        )
    if condition.every:
        return text(
            "If one of these holds, {step} cannot change the choice: saves {work}: {cases}.",
            cases=against,
            **figures,
        )
    return text(
        "If all of these hold, {step} cannot change the choice: saves {work}: {cases}.",
        cases=against,
        **figures,
    )


def _opposite(verdict: Verdict, titles: dict[str, str]) -> Text:
    """What speaks against the need: the other verdict of the same step."""
    name = titles.get(verdict.step, verdict.step)
    if verdict.passes:
        return text("{step} does not pass", step=name)
    return text("{step} passes", step=name)
