"""What the page of a plan shows, worked out before the template sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.plan.pages.chance import ChancePart, chance_part
from app.plan.pages.lines import StepLine, step_lines
from app.plan.pages.parts import Part, late_rules, parts_of
from app.plan.pages.waiting import waiting
from app.plan.queries import PlanView
from app.plan.rules.answer import plan_answer, why_not
from app.plan.rules.changes import Change
from app.plan.rules.drawing import Drawing, draw
from app.plan.rules.measured import Measured
from app.plan.rules.needed import savings
from app.plan.rules.scheduled import Schedule
from app.plan.rules.sealing import promise
from app.plan.rules.spans import hours_said
from app.plan.rules.words import decision_rule_said
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether the plan fits, and by how much, with what bounds it."""

    tone: str
    line: Text
    lower_bound: Text | None
    proof: Text | None
    problems: tuple[Text, ...]
    dropped: tuple[tuple[str, Text], ...]
    waiting: tuple[Text, ...] = ()


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
    changes: tuple[Change, ...]
    revised: tuple[Change, ...]
    fit: Fit
    chance: ChancePart
    drawing: Drawing | None
    steps: tuple[StepLine, ...]
    estimates: tuple[StepLine, ...]
    rule: Text
    yes: str
    no: str
    parts: tuple[Part, ...]
    savings: tuple[Text, ...]
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
            text(
                "{end}; no plan can be shorter than {bound}.",
                end=hours_said(schedule.end_min),
                bound=hours_said(bound),
            )
            if bound is not None and schedule.end_min is not None
            else None
        ),
        proof=why_not(schedule),
        problems=tuple(one for one in shown if str(one) != str(line)),
        dropped=_dropped(schedule, titles),
        waiting=waiting(view),
    )


def _dropped(schedule: Schedule, titles: Mapping[str, str]) -> tuple[tuple[str, Text], ...]:
    """What is left out; before the essential part has a place nothing is known of room."""
    if schedule.end_min is None:
        return ()
    return tuple((titles.get(one.id, one.id), one.why) for one in schedule.dropped)


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
    view: PlanView,
    versions: Sequence[PlanView],
    changes: tuple[Change, ...],
    revised: tuple[Change, ...] = (),
    *,
    is_open: bool,
    measured: Mapping[str, Measured] | None = None,
) -> PlanPage:
    """Everything the page of a version shows; `measured` is what runs have shown of saving."""
    is_draft = view.version == 0
    lines = step_lines(view, measured)
    rule = view.plan.decision_rule
    return PlanPage(
        campaign_id=view.campaign_id,
        version=view.version,
        is_draft=is_draft,
        is_open=is_open,
        newest_version=len(versions),
        next_version=len(versions) + 1,
        changes=changes,
        revised=revised,
        fit=fit_of(view.schedule, view),
        chance=chance_part(view),
        drawing=draw(view.plan.steps, view.windows, view.schedule),
        steps=lines,
        estimates=tuple(line for line in lines if line.has_more),
        rule=decision_rule_said(rule),
        yes=rule.yes,
        no=rule.no,
        parts=parts_of(view, view.campaign_id, is_draft and is_open, late_rules(view, versions)),
        savings=tuple(one.said for one in savings(view.plan)),
        promise=promise(view.schedule),
        sealed=None if is_draft else version_line(view),
        warnings=view.warnings,
        versions=tuple(version_line(one) for one in reversed(versions)),
    )
