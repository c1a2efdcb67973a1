"""What a person sees who is about to close, and the report of a closed campaign."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, col, select

from app.budget.queries import budget_of
from app.budget.rules import Budget
from app.closing.queries.assembling import assemble
from app.closing.rules.checklist import Point, Standing, checklist
from app.closing.rules.deviations import Deviation, Explained, why_owed
from app.closing.rules.plain import from_record
from app.closing.rules.report import Report
from app.closing.tables import Close, Explanation
from app.deliverables import queries as deliverables
from app.deliverables.rules.standing import DeliverableStanding
from app.plan.queries import PlanView, current
from app.runs import queries as runs
from app.texts import Text, text
from app.timeline.queries import TimelineView, timeline
from app.timeline.rules.facts import BROKEN
from app.timeline.rules.lines import StepLine


@dataclass(frozen=True, slots=True)
class SilentRun:
    """A run that promised a sign and gave none: only a person can say how it ended."""

    run: str
    step: str
    since_at: datetime | None


@dataclass(frozen=True, slots=True)
class Closing:
    """What a person sees who is about to close: the report as it would be, and what is open."""

    report: Report
    deviations: tuple[Deviation, ...]
    points: tuple[Point, ...]
    timeline: TimelineView
    silent: tuple[SilentRun, ...] = ()


def explanations(session: Session, campaign_id: str) -> dict[str, Explained]:
    """The newest explanation of each step."""
    rows = session.exec(
        select(Explanation)
        .where(Explanation.campaign_id == campaign_id)
        .order_by(col(Explanation.number))
    )
    return {row.step: Explained(row.step, row.category, row.sentence) for row in rows}


def closed_report(session: Session, campaign_id: str) -> Report | None:
    """The report as it was at the close; None while the campaign is open."""
    row = session.exec(select(Close).where(Close.campaign_id == campaign_id)).first()
    if row is None:
        return None
    report = from_record(Report, json.loads(row.report))
    return replace(
        report,
        outcome=row.outcome,
        conclusion=row.conclusion,
        closed_at=row.at,
        closed_by=row.by,
        head_number=row.number,
        head_sha256=row.sha256,
    )


def closing(session: Session, campaign_id: str, now: datetime) -> Closing | None:
    """Everything for the close of a campaign; None for an unknown one."""
    view = timeline(session, campaign_id, now)
    plan = current(session, campaign_id)
    if view is None or plan is None:
        return None
    said = explanations(session, campaign_id)
    found = runs.runs_of(session, campaign_id, now)
    gaps = tuple(_deviation(line, view, plan, said) for line in view.lines)
    delivered = deliverables.standing_of(session, campaign_id)
    accepted = deliverables.acceptance(session, campaign_id)
    budget = budget_of(session, campaign_id, accepted)
    points = checklist(_standing(view, plan, gaps, delivered, budget, found))
    report = assemble(session, view, plan, gaps, delivered, budget, points, now)
    quiet = (run for run in found if run.silent and not run.archived)
    return Closing(report, gaps, points, view, tuple(_silent(run, plan) for run in quiet))


def _silent(run: runs.RunView, plan: PlanView) -> SilentRun:
    step = plan.step(run.step) if run.step is not None else None
    return SilentRun(run.id, step.title if step else run.step or "", run.silent_since_at)


def _deviation(
    line: StepLine, view: TimelineView, plan: PlanView, said: Mapping[str, Explained]
) -> Deviation:
    placed = line.planned_s is not None or line.stretches
    owed = why_owed(
        line.state,
        line.planned_s,
        line.duration_delta_s,
        plan.plan.tolerance,
        added=line.new,
        is_forecast=line.is_forecast,
    )
    observed = line.observed_s
    return Deviation(
        step=line.step.id,
        title=line.step.title,
        klass=line.step.klass.value,
        state=line.state,
        planned_s=line.planned_s,
        observed_s=observed,
        duration_delta_s=None if line.is_forecast else line.duration_delta_s,
        end_delta_s=None if line.is_forecast else line.end_delta_s,
        why_owed=owed if view.facts.version and placed else None,
        proposed=_proposed(line),
        explained=said.get(line.step.id),
    )


def _proposed(line: StepLine) -> Text | None:
    """What the record itself knows of the reason: runs that were stopped or failed."""
    broken = [one for one in line.stretches if one.kind in BROKEN and one.reason is not None]
    if not broken:
        return None
    last = broken[-1]
    return text("{run}: {reason}", run=last.run or "", reason=last.reason)


def _standing(
    view: TimelineView,
    plan: PlanView,
    gaps: tuple[Deviation, ...],
    delivered: tuple[DeliverableStanding, ...],
    budget: Budget | None,
    found: tuple[runs.RunView, ...],
) -> Standing:
    judged = {rule.rule for run in found for rule in run.rules if rule.evaluated}
    titles = {step.id: step.title for step in plan.plan.steps}
    points = {point.step for point in plan.plan.decision_points} | {
        line.step.id for line in view.lines if line.step.kind == "decision_point"
    }
    decided = {name for name, _ in view.facts.decided.points}
    return Standing(
        deviations=gaps,
        silent_rules=tuple(rule.id for rule in plan.plan.stop_rules if rule.id not in judged),
        undecided=tuple(titles.get(name, name) for name in sorted(points - decided)),
        unaccepted=tuple(
            one.title
            for one in delivered
            if one.announced and one.essential and one.state != "accepted"
        ),
        unpriced_lots=sum(one.unpriced_lots for one in budget.currencies) if budget else 0,
        unordered_lots=sum(not window.ordered for window in view.facts.windows),
        going=tuple(run.id for run in found if run.status == "running" and not run.silent),
        silent=tuple(run.id for run in found if run.status == "running" and run.silent),
        unretrieved=sum(one.state == "accepted" and one.retrieved is None for one in delivered),
    )


def report(session: Session, campaign_id: str, now: datetime) -> Report | None:
    """The report: as it was at the close, else as it would be at `now`."""
    known = closed_report(session, campaign_id)
    if known is not None:
        return known
    found = closing(session, campaign_id, now)
    return found.report if found else None
