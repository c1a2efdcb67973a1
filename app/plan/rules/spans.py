"""How the plan's sentences name steps and say lengths: in hours, since the plan counts in them."""

from __future__ import annotations

from app.plan.rules.model import Step
from app.texts import Text, text


def hours_said(minutes: int) -> Text:
    """An exact length: "78 h", "18 h 24 min", "40 min". Raises ValueError for a negative one."""
    if minutes < 0:
        raise ValueError(f"a length is never negative: {minutes} min")
    hours, rest = divmod(minutes, 60)
    if not rest:
        return text("{hours} h", hours=hours)
    if not hours:
        return text("{minutes} min", minutes=rest)
    return text("{hours} h {minutes} min", hours=hours, minutes=rest)


def named(step: Step) -> str:
    """A step's title with its id where they differ: `Variant B, rank 32 (variant-b)`."""
    return step.title if step.title == step.id else f"{step.title} ({step.id})"
