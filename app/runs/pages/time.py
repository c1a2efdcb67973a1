"""People's time as the runs page shows it: by step, with what goes on and what was logged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.plan.queries import PlanView
from app.plan.rules.model import StepKind
from app.runs.queries import SpanView
from app.texts import Text, text
from app.web import Form

PEOPLE = (StepKind.HUMAN, StepKind.DECISION_POINT, StepKind.TRANSFER)


@dataclass(frozen=True, slots=True)
class StepTime:
    """A step that people work on: planned and logged seconds, and the span that goes on."""

    id: str
    title: str
    planned_s: int
    logged_s: int
    running: SpanView | None
    spans: tuple[SpanView, ...]

    @property
    def choices(self) -> tuple[tuple[str, Text], ...]:
        """The spans to choose from, the newest first."""
        return tuple((str(span.number), _said(span)) for span in reversed(self.spans))


@dataclass(slots=True)
class SpanEntry:
    """The form for a span as it was typed, and what is wrong with it."""

    zone: str
    steps: tuple[tuple[str, str], ...]
    form: Form = field(default_factory=Form)
    folds: dict[str, tuple[tuple[str, Text, None], ...]] = field(default_factory=dict)

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        return tuple(self.form.errors.items())


def step_times(
    plan: PlanView | None, spans: Sequence[SpanView], now: datetime
) -> tuple[StepTime, ...]:
    """The steps of people in the plan's order, then other steps that time was logged on."""
    steps = plan.plan.steps if plan else ()
    planned = {step.id: step for step in steps if step.kind in PEOPLE}
    titles = {step.id: step.title for step in steps}
    others = {span.step for span in spans} - planned.keys()
    found = []
    for id_ in [*planned, *sorted(others)]:
        mine = tuple(span for span in spans if span.step == id_)
        logged = sum(
            round(((span.ended_at or now) - span.started_at).total_seconds()) for span in mine
        )
        going = next((span for span in mine if span.ended_at is None), None)
        estimate = planned[id_].estimate_s() if id_ in planned else 0
        found.append(StepTime(id_, titles.get(id_, id_), estimate, logged, going, mine))
    return tuple(found)


def choices(plan: PlanView | None) -> tuple[tuple[str, str], ...]:
    """The steps that time can be logged on: those of people first."""
    steps = plan.plan.steps if plan else ()
    ordered = sorted(steps, key=lambda step: step.kind not in PEOPLE)
    return tuple((step.id, step.title) for step in ordered)


def _said(span: SpanView) -> Text:
    if span.ended_at is None:
        return text("from {start}, still going on", start=span.started_at)
    return text("from {start} until {end}", start=span.started_at, end=span.ended_at)
