"""Whether a step can still change the choice, from the verdicts so far."""

from __future__ import annotations

from collections.abc import Mapping

from app.plan.rules.conditions import Mistake, Verdict, parse_needed_if
from app.plan.rules.model import Plan

_KNOWN = {"passes": True, "does_not_pass": False}


def is_needed(condition: str, verdicts: Mapping[str, str]) -> bool | None:
    """Whether `needed_if` holds; None while a verdict that it asks for is not in.

    A condition that cannot be read never makes a step unneeded.
    """
    parsed = parse_needed_if(condition)
    if isinstance(parsed, Mistake):
        return None
    found = [_holds(wanted, verdicts) for wanted in parsed.verdicts]
    settled = not parsed.every
    if settled in found:
        return settled
    return None if None in found else not settled


def unneeded(plan: Plan, verdicts: Mapping[str, str]) -> tuple[str, ...]:
    """The steps that can no longer change the choice, by their `needed_if` and the verdicts."""
    return tuple(
        step.id
        for step in plan.steps
        if step.needed_if is not None and is_needed(step.needed_if, verdicts) is False
    )


def _holds(wanted: Verdict, verdicts: Mapping[str, str]) -> bool | None:
    known = _KNOWN.get(verdicts.get(wanted.step, ""))
    return None if known is None else known == wanted.passes
