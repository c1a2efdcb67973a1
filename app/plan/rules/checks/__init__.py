"""What a whole plan gets wrong, and what it merely leaves out.

Refused is only what is malformed or circular; everything else is a warning that is kept with the
seal.
"""

from __future__ import annotations

from app.plan.rules.checks.advice import missing, warnings
from app.plan.rules.checks.order import order_problems
from app.plan.rules.checks.references import reference_problems
from app.plan.rules.checks.results import result_problems
from app.plan.rules.checks.steps import estimates_missing, step_problems
from app.plan.rules.document import Problem
from app.plan.rules.model import Plan
from app.texts import text

__all__ = ["malformed", "missing", "unsealable", "warnings"]


def malformed(plan: Plan) -> tuple[Problem, ...]:
    """All that keeps a plan from being saved or imported; paths are those of its document."""
    return (
        *result_problems(plan),
        *reference_problems(plan),
        *step_problems(plan),
        *order_problems(plan),
    )


def unsealable(plan: Plan) -> tuple[Problem, ...]:
    """All that keeps a plan from being sealed: what is malformed, and estimates not yet made."""
    empty = () if plan.steps else (Problem(("steps",), text("A plan without steps says nothing.")),)
    return (*malformed(plan), *empty, *estimates_missing(plan))
