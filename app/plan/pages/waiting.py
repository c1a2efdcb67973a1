"""What a plan's page says of GPUs that wait for people."""

from __future__ import annotations

from app.plan.queries import PlanView
from app.plan.rules.idling import better_start, idling
from app.plan.rules.spans import hours_said
from app.texts import Text, text


def waiting(view: PlanView) -> tuple[Text, ...]:
    """One sentence for each GPU that would wait for a person, and the start that avoids it."""
    found = idling(view.plan, view.schedule, view.windows)
    if not found:
        return ()
    titles = {step.id: step.title for step in view.plan.steps}
    said = [
        text(
            "{step} is planned from {at}, partly or wholly at a time when nobody works. GPU idle "
            "while waiting for a person: {idle}, until {until}.",
            step=titles[one.step],
            at=one.begins_at,
            idle=hours_said(one.gpu_min),
            until=one.done_at,
        )
        for one in found
    ]
    start = better_start(view.plan, view.schedule, view.windows)
    if start is not None:
        said.append(text("With the first lot beginning {at} no GPU waits for a person.", at=start))
    return tuple(said)
