"""Which steps of a plan bring the results home."""

from __future__ import annotations

from collections.abc import Iterable

from app.plan.rules.model import Role, Step, StepKind


def retrieving(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps with the role of the retrieval; where none has it, the transfers."""
    known = tuple(steps)
    named = tuple(step for step in known if step.role is Role.RETRIEVAL)
    return named or tuple(step for step in known if step.kind is StepKind.TRANSFER)
