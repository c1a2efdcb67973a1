"""What the page of a plan shows, worked out before the template sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.plan.pages.parts import Part, parts_of
from app.plan.queries import PlanView
from app.plan.rules.answer import plan_answer
from app.plan.rules.drawing import Drawing, draw
from app.plan.rules.model import Step, StepClass
from app.plan.rules.scheduled import Placement, Schedule
from app.plan.rules.sealing import promise
from app.plan.rules.spans import hours_said
from app.plan.rules.typed.labels import STEP_KINDS
from app.plan.rules.words import decision_rule_said
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class StepLine:
    """One row of the table of steps: where it stands, or why it does not."""

    id: str
    title: str
    kind: Text
    klass: str | None
    p50_s: int | None
    p90_s: int | None
    start_s: int | None
    end_s: int | None
    starts_at: datetime | None
    lane: Text | None
    after: tuple[str, ...]
    out: Text | None


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether the plan fits, and by how much, with what bounds it."""

    tone: str
    line: Text
    lower_bound: Text | None
    proof: Text | None
    problems: tuple[Text, ...]
    dropped: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One sealed version in the list of them."""

    version: int
    sealed_at: datetime
    sealed_by: str
    sha256: str
    reason: str | None
    knowledge: Text
    href: str


@dataclass(frozen=True, slots=True)
class PlanPage:
    """The page of one version of a plan."""

    campaign_id: str
    version: int
    is_draft: bool
    is_open: bool
    newest_version: int
    next_version: int
    changes: tuple[str, ...]
    fit: Fit
    drawing: Drawing | None
    steps: tuple[StepLine, ...]
    rule: Text
    yes: str
    no: str
    parts: tuple[Part, ...]
    promise: Text
    sealed: VersionLine | None
    warnings: tuple[Text, ...]
    versions: tuple[VersionLine, ...]


def fit_of(schedule: Schedule, view: PlanView) -> Fit:
    """The answer of the plan alone, by the calendar."""
    titles = {step.id: step.title for step in view.plan.steps}
    line = plan_answer(schedule, view.windows)
    shown = [*view.lot_problems, *schedule.problems]
    bound = schedule.lower_bound_min
    too_long = schedule.exceeds_min is not None or schedule.proof is not None
    return Fit(
        tone="fits" if schedule.fits else "exceeds" if too_long else "open",
        line=line,
        lower_bound=(
            text("No plan of these steps can be shorter than {bound}.", bound=hours_said(bound))
            if bound is not None
            else None
        ),
        proof=schedule.proof if schedule.end_min is not None else None,
        problems=tuple(one for one in shown if str(one) != str(line)),
        dropped=tuple((titles.get(one.id, one.id), one.why) for one in schedule.dropped),
    )


def step_lines(view: PlanView) -> tuple[StepLine, ...]:
    """Placed steps in the order of the schedule, then those that are not in the plan."""
    steps = {step.id: step for step in view.plan.steps}
    placed = [_placed_line(view, steps[bar.step], bar) for bar in view.schedule.placements]
    there = {bar.step for bar in view.schedule.placements}
    why = {one.id: one.why for one in view.schedule.dropped}
    left = [
        _line(step, _why_out(view, step, why)) for step in steps.values() if step.id not in there
    ]
    return (*placed, *left)


def _placed_line(view: PlanView, step: Step, bar: Placement) -> StepLine:
    zero = view.zero_at
    line = _line(step, None)
    title = step.title if bar.id == step.id else f"{step.title} ({bar.lot})"
    return StepLine(
        id=bar.id,
        title=title,
        kind=line.kind,
        klass=line.klass,
        p50_s=line.p50_s,
        p90_s=line.p90_s,
        start_s=bar.start_min * 60,
        end_s=bar.end_min * 60,
        starts_at=zero + timedelta(minutes=bar.start_min) if zero else None,
        lane=_lane(bar),
        after=line.after,
        out=None,
    )


def _line(step: Step, out: Text | None) -> StepLine:
    stated = step.p50_s is not None or step.parts is not None
    return StepLine(
        id=step.id,
        title=step.title,
        kind=STEP_KINDS[step.kind],
        klass=None if step.klass is StepClass.ESSENTIAL else str(step.klass),
        p50_s=step.estimate_s() if stated else None,
        p90_s=step.p90_s,
        start_s=None,
        end_s=None,
        starts_at=None,
        lane=None,
        after=(*step.after, *step.follows),
        out=out,
    )


def _why_out(view: PlanView, step: Step, why: dict[str, Text]) -> Text:
    if step.id in why:
        return why[step.id]
    if step.id in view.schedule.not_included:
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


def version_line(view: PlanView) -> VersionLine:
    """A sealed version in short."""
    assert view.sealed_at is not None
    assert view.sha256 is not None
    assert view.knowledge is not None
    return VersionLine(
        view.version,
        view.sealed_at,
        view.sealed_by or "",
        view.sha256,
        view.reason,
        view.knowledge.said,
        f"/campaigns/{view.campaign_id}/plan/versions/{view.version}",
    )


def plan_page(
    view: PlanView, versions: Sequence[PlanView], changes: tuple[str, ...], is_open: bool
) -> PlanPage:
    """Everything the page of a version shows."""
    is_draft = view.version == 0
    rule = view.plan.decision_rule
    return PlanPage(
        campaign_id=view.campaign_id,
        version=view.version,
        is_draft=is_draft,
        is_open=is_open,
        newest_version=len(versions),
        next_version=len(versions) + 1,
        changes=changes,
        fit=fit_of(view.schedule, view),
        drawing=draw(view.plan.steps, view.windows, view.schedule),
        steps=step_lines(view),
        rule=decision_rule_said(rule),
        yes=rule.yes,
        no=rule.no,
        parts=parts_of(view, view.campaign_id, is_draft and is_open),
        promise=promise(view.schedule),
        sealed=None if is_draft else version_line(view),
        warnings=view.warnings,
        versions=tuple(version_line(one) for one in reversed(versions)),
    )
