"""The rows of the table of steps on a plan's page, each with its estimate and its saving."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from app.plan.pages.measured import measured_said
from app.plan.queries import PlanView
from app.plan.rules.estimated import Estimated, estimated
from app.plan.rules.measured import Measured
from app.plan.rules.model import Role, Step, StepClass
from app.plan.rules.saving import Saving, saving
from app.plan.rules.scheduled import Placement
from app.plan.rules.spans import hours_said
from app.plan.rules.typed.labels import STEP_KINDS
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class StepLine:
    """One row of the table of steps: where it stands, or why it does not.

    `mark` says of a step in the plan that it may be dropped. The row of a reserve has neither
    estimate nor saving; where a step has several rows only the first one has them. `purpose` is
    what it is for in the decision, `lacks` what a variant does not say of that.
    """

    id: str
    step: str
    title: Text | str
    kind: Text
    klass: str
    p50_s: int | None
    p90_s: int | None
    start_s: int | None
    end_s: int | None
    starts_at: datetime | None
    lane: Text | None
    after: tuple[str, ...]
    out: Text | None
    mark: Text | None
    is_reserve: bool
    estimate: Estimated | None
    saving: Saving | None
    purpose: tuple[Text, ...] = ()
    lacks: tuple[Text, ...] = ()

    @property
    def has_more(self) -> bool:
        """Whether there is more to say of the step than the figures of its row."""
        return self.saving is not None or (self.estimate is not None and bool(self.estimate.parts))


def step_lines(
    view: PlanView, measured: Mapping[str, Measured] | None = None
) -> tuple[StepLine, ...]:
    """Placed steps in the order of the schedule, then those that are not in the plan.

    `measured` is what runs have shown of the saving of steps.
    """
    known = measured or {}
    return tuple(
        line if line.saving is None or line.step not in known else _measured(view, line, known)
        for line in _lines(view)
    )


def _measured(view: PlanView, line: StepLine, known: Mapping[str, Measured]) -> StepLine:
    step = view.step(line.step)
    return line if step is None else replace(line, saving=saving_of(view, step, known))


def saving_of(
    view: PlanView, step: Step, measured: Mapping[str, Measured] | None = None
) -> Saving | None:
    """The advice for a step of a plan, for the lots that it runs on, by measured figures where
    there are any."""
    bars = view.schedule.placements
    there = {bar.lot for bar in bars if bar.step == step.id}
    lots = tuple(lot for lot in view.windows if lot.id in there)
    found = (measured or {}).get(step.id)
    advised = saving(step, lots, view.plan.transfer_rate_bps, found)
    if advised is None or found is None:
        return advised
    return replace(advised, measured=measured_said(found, step.checkpoint))


def _lines(view: PlanView) -> Iterator[StepLine]:
    steps = {step.id: step for step in view.plan.steps}
    seen: set[str] = set()
    for bar in view.schedule.placements:
        step = steps[bar.step]
        if bar.reserve:
            yield _reserve_line(view, step, bar)
        else:
            yield _line(view, step, bar, first=step.id not in seen)
            seen.add(step.id)
    why = {one.id: one.why for one in view.schedule.dropped}
    over = {one.id: one.over_min for one in view.schedule.would_fit}
    for step in steps.values():
        if step.id not in seen:
            yield _line(view, step, None, first=True, out=_why_out(view, step, why, over))


def _line(
    view: PlanView, step: Step, bar: Placement | None, *, first: bool, out: Text | None = None
) -> StepLine:
    stated = step.p50_s is not None or step.parts is not None
    may = step.id in view.schedule.may_be_dropped
    plain = bar is None or bar.id == step.id
    return StepLine(
        id=bar.id if bar is not None else step.id,
        step=step.id,
        title=step.title if plain else f"{step.title} ({bar.lot if bar else ''})",
        kind=STEP_KINDS[step.kind],
        klass=str(step.klass),
        p50_s=step.estimate_s() if stated else None,
        p90_s=step.p90_s,
        start_s=bar.start_min * 60 if bar is not None else None,
        end_s=bar.end_min * 60 if bar is not None else None,
        starts_at=_at(view, bar),
        lane=_lane(bar) if bar is not None else None,
        after=(*step.after, *step.follows),
        out=out,
        mark=text("may be dropped") if may and bar is not None else None,
        is_reserve=False,
        estimate=estimated(step) if first else None,
        saving=saving_of(view, step) if first else None,
        purpose=_purpose(step) if first else (),
        lacks=_lacks(step) if first else (),
    )


def _purpose(step: Step) -> tuple[Text, ...]:
    """What a step is for in the decision, as far as it says."""
    said = []
    if step.isolates:
        said.append(text("Isolates: {what}", what=step.isolates))
    if step.changes_choice_if:
        said.append(text("Changes the choice if {result}", result=step.changes_choice_if))
    return tuple(said)


def _lacks(step: Step) -> tuple[Text, ...]:
    """What a variant does not say of its use for the decision."""
    if step.role is not Role.VARIANT:
        return ()
    said = []
    if not step.isolates:
        said.append(text("does not say what it isolates"))
    if not step.changes_choice_if:
        said.append(text("does not say which result would change the choice"))
    return tuple(said)


def _reserve_line(view: PlanView, step: Step, bar: Placement) -> StepLine:
    return StepLine(
        id=bar.id,
        step=step.id,
        title=text("Reserve of {step}", step=step.title),
        kind=text("Kept for saves and interruptions"),
        klass=str(step.klass),
        p50_s=(bar.end_min - bar.start_min) * 60,
        p90_s=None,
        start_s=bar.start_min * 60,
        end_s=bar.end_min * 60,
        starts_at=_at(view, bar),
        lane=_lane(bar),
        after=(step.id,),
        out=None,
        mark=None,
        is_reserve=True,
        estimate=None,
        saving=None,
    )


def _at(view: PlanView, bar: Placement | None) -> datetime | None:
    zero = view.zero_at
    return zero + timedelta(minutes=bar.start_min) if zero and bar is not None else None


def _why_out(view: PlanView, step: Step, why: Mapping[str, Text], over: Mapping[str, int]) -> Text:
    if step.id in why:
        return why[step.id]
    if step.id in over:
        if not over[step.id]:
            return text("Exploratory, not included; would fit")
        return text(
            "Exploratory, not included; does not fit ({over})", over=hours_said(over[step.id])
        )
    if step.id in view.schedule.not_included and step.klass is StepClass.EXPLORATORY:
        return text("Exploratory, not included")
    return text("Not placed")


def _lane(bar: Placement) -> Text:
    if bar.lane == "people":
        return text("People")
    if not bar.gpus:
        return text("Transfer")
    if len(bar.gpus) == 1:
        return text("{lot}, GPU {n}", lot=bar.lot, n=bar.gpus[0])
    return text("{lot}, GPUs {ns}", lot=bar.lot, ns=tuple(str(n) for n in bar.gpus))
