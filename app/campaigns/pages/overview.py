"""One campaign at a glance: what is asked, what is due, what stopped, what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request
from sqlmodel import Session
from starlette.responses import Response

from app import clock
from app.budget.queries import budget_of
from app.budget.rules import Budget
from app.closing.queries import closed_report
from app.deliverables.queries import standings, still_there
from app.deliverables.rules.left import Left, left_said
from app.deliverables.rules.standing import DeliverableStanding, acceptance
from app.errors import NotFound
from app.orders.rules.lot_cards import LotCard
from app.plan.queries import PlanView, current
from app.plan.rules.typed.labels import STOP_KINDS
from app.plan.rules.words import decision_rule_said
from app.runs.queries import RunView, StopRecordView, runs_of, stop_records
from app.runs.rules.words import reason_said
from app.texts import Text, text
from app.timeline.queries import TimelineView, frame_of, kept, lot_cards, stand, timeline
from app.units import Money
from app.web import page

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Act:
    """Something that can be done now; the first is the main one."""

    label: Text
    href: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """One line of the stop register, with the run that followed it."""

    run: str
    href: str
    reason: Text
    value: str | None
    at: datetime
    warned: bool
    follower: str | None
    follower_href: str | None


@dataclass(frozen=True, slots=True)
class Paid:
    """One currency: the committed rent, and what was charged outside of it."""

    committed: Text | Money
    external: Money | None


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything the overview shows."""

    campaign_id: str
    is_open: bool
    rule: Text
    yes: str
    no: str
    conclusion: str | None
    acts: tuple[Act, ...]
    steps: int
    version: int
    sealed_at: datetime | None
    sha256: str | None
    stopped: tuple[Stopped, ...]
    deliverables: tuple[DeliverableStanding, ...]
    left: Left
    result: Text | None
    paid: tuple[Paid, ...]
    lots: tuple[LotCard, ...]


@router.get("/campaigns/{campaign_id}")
def show(request: Request, campaign_id: str) -> Response:
    """The overview of one campaign."""
    now = clock.now()
    with request.app.state.db.read() as session:
        at = stand(session, campaign_id, now)
        view = timeline(session, campaign_id, now)
        if view is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id))
        context = kept(session, at, campaign_id, "overview", lambda: _overview(session, view, now))
    return page(
        request, "campaigns/show.html", context, frame=frame_of(view), title=text("Overview")
    )


def _overview(session: Session, view: TimelineView, now: datetime) -> Overview:
    campaign_id, is_open = view.header.id, view.header.state != "closed"
    plan = current(session, campaign_id)
    if plan is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    delivered = standings(session, campaign_id, plan.plan)
    budget = budget_of(session, campaign_id, acceptance(delivered))
    report = None if is_open else closed_report(session, campaign_id)
    records = stop_records(session, campaign_id)
    runs = runs_of(session, campaign_id, now) if records else ()
    return Overview(
        campaign_id=campaign_id,
        is_open=is_open,
        rule=decision_rule_said(plan.plan.decision_rule),
        yes=plan.plan.decision_rule.yes,
        no=plan.plan.decision_rule.no,
        conclusion=report.conclusion if report else None,
        acts=_acts(view, plan),
        steps=len(plan.plan.steps),
        version=plan.version,
        sealed_at=plan.sealed_at,
        sha256=plan.sha256,
        stopped=_register(campaign_id, records, runs, plan),
        deliverables=delivered,
        left=left_said(still_there(session, campaign_id, plan, delivered, now)),
        result=budget.result if budget else None,
        paid=_paid(budget),
        lots=lot_cards(session, view),
    )


def _acts(view: TimelineView, plan: PlanView) -> tuple[Act, ...]:
    """What a person would do now, by where the campaign stands."""
    base, state = f"/campaigns/{view.header.id}", view.header.state
    if state == "closed":
        return (Act(text("Read the report"), f"{base}/report"),)
    if state == "draft":
        write = Act(text("Write the steps"), f"{base}/plan/edit/steps")
        if not plan.plan.steps:
            return (write,)
        seal = Act(text("Seal the plan"), f"{base}/plan/seal")
        return (seal, Act(text("Look at the plan"), f"{base}/plan"))
    waiting = any(not window.ordered for window in view.facts.windows)
    order = (Act(text("Log the order"), f"{base}/orders"),) if waiting else ()
    return (
        *order,
        Act(text("See the timeline"), f"{base}/timeline"),
        Act(text("Record a decision"), f"{base}/decisions"),
    )


def _register(
    campaign_id: str,
    records: Iterable[StopRecordView],
    runs: Iterable[RunView],
    plan: PlanView,
) -> tuple[Stopped, ...]:
    """Stop records in their order; what followed is the run that names the stopped one."""
    followers = {run.parent: run.id for run in runs if run.parent}
    base = f"/campaigns/{campaign_id}/runs"
    kinds = {rule.id: rule.kind for rule in plan.plan.stop_rules}
    lines = []
    for record in records:
        follower = followers.get(record.run)
        lines.append(
            Stopped(
                run=record.run,
                href=f"{base}/{record.run}",
                reason=_reason(record, kinds),
                value=record.value,
                at=record.at,
                warned=record.act == "warn",
                follower=follower,
                follower_href=f"{base}/{follower}" if follower else None,
            )
        )
    return tuple(lines)


def _reason(record: StopRecordView, kinds: dict[str, str]) -> Text:
    if record.metric and kinds.get(record.rule or "") == "non_finite":
        return text("{metric} is not finite", metric=record.metric)
    if record.text:
        return text("{reason}", reason=record.text)
    known = STOP_KINDS.get(kinds.get(record.rule or "", ""))
    return known or reason_said(record.reason_code)


def _paid(budget: Budget | None) -> tuple[Paid, ...]:
    if budget is None:
        return ()
    return tuple(
        Paid(
            one.committed_text,
            Money(sum(minor for _, minor in one.external), one.currency) if one.external else None,
        )
        for one in budget.currencies
    )
