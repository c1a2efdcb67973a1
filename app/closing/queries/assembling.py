"""One report from what all rooms know of a campaign."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sqlmodel import Session

from app.budget.queries import expenses_of
from app.budget.rules import Budget
from app.closing.queries.delivered import delivered_lines
from app.closing.rules.checklist import Point
from app.closing.rules.deviations import Deviation
from app.closing.rules.report import (
    DecisionLine,
    ExpenseLine,
    MoneyLine,
    OrderLine,
    Report,
    RuleLine,
    StepRow,
    StopLine,
    UnplannedLine,
)
from app.decisions import queries as decisions
from app.decisions.rules.evaluation import Evaluation
from app.deliverables.rules.standing import DeliverableStanding
from app.journal import read_head
from app.orders.queries import orders_of
from app.orders.rules import Order
from app.plan.queries import PlanView
from app.runs import queries as runs
from app.timeline.queries import TimelineView
from app.timeline.rules.facts import Facts
from app.timeline.rules.lines import StepLine, unplanned_lines
from app.timeline.rules.states import spent_s


def assemble(
    session: Session,
    view: TimelineView,
    plan: PlanView,
    gaps: tuple[Deviation, ...],
    delivered: tuple[DeliverableStanding, ...],
    budget: Budget | None,
    points: tuple[Point, ...],
    now: datetime,
) -> Report:
    """The report as it would be at this moment; outcome and conclusion come with the close."""
    campaign_id = view.header.id
    judged = decisions.evaluation(session, campaign_id, now)
    head = read_head(session, campaign_id)
    return Report(
        **_subject(plan),
        **_ending(view, points, judged.proposed if judged else None, now),
        rule=_rule_lines(judged),
        orders=tuple(_order(order) for order in orders_of(session, campaign_id)),
        expenses=_expenses(session, campaign_id),
        money=_money(budget),
        deliverables=delivered_lines(session, campaign_id, plan, delivered, now),
        steps=tuple(_step(gap) for gap in gaps),
        decisions=tuple(
            DecisionLine(one.at, one.actor_name, one.choice, one.step, one.cut, one.reason)
            for one in reversed(decisions.log(session, campaign_id))
        ),
        stops=tuple(
            StopLine(
                one.run, one.step, one.reason_code, one.value, one.text, one.at, one.act == "warn"
            )
            for one in runs.stop_records(session, campaign_id)
        ),
        uncertainties=tuple(one.text for one in plan.plan.uncertainties),
        head_number=head.number,
        head_sha256=head.sha256,
        unplanned=tuple(_unplanned(line, view.facts) for line in unplanned_lines(view.facts)),
    )


def _subject(plan: PlanView) -> dict[str, Any]:
    """What the campaign is about, and the rule it decides by."""
    rule = plan.plan.decision_rule
    return {
        "campaign": plan.campaign_id,
        "question": plan.plan.question,
        "zone": plan.plan.zone,
        "currency": plan.plan.currency,
        "research_decision": plan.plan.research_decision,
        "metric": rule.metric,
        "better": rule.better,
        "threshold": _decimal(rule.threshold),
        "gain": _decimal(rule.gain_over_control),
        "yes": rule.yes,
        "no": rule.no,
        "plan_version": plan.version,
        "plan_sha256": plan.sha256,
    }


def _ending(
    view: TimelineView, points: tuple[Point, ...], proposed: str | None, now: datetime
) -> dict[str, Any]:
    """Where it stands; outcome and conclusion are added by the close."""
    return {
        "outcome": None,
        "conclusion": None,
        "closed_at": None,
        "closed_by": None,
        "spare_s": _spare_s(view.facts, now),
        "proposed": proposed,
        "sealed_at": view.facts.sealed_at,
        "accepted": view.facts.accepted,
        "announced": view.facts.announced,
        "open_points": tuple(point.said for point in points if point.is_open),
        "checklist": points,
    }


def _spare_s(facts: Facts, now: datetime) -> int | None:
    """Seconds from a close at `now` to the end of the last lot; the forecast has no say in it."""
    if facts.zero_at is None or not facts.windows:
        return None
    return max(window.usable_s for window in facts.windows) - facts.second(now)


def _expenses(session: Session, campaign_id: str) -> tuple[ExpenseLine, ...]:
    return tuple(
        ExpenseLine(one.kind, one.amount_minor, one.currency, one.charged_on.isoformat(), one.note)
        for one in expenses_of(session, campaign_id)
    )


def _rule_lines(judged: Evaluation | None) -> tuple[RuleLine, ...]:
    if judged is None:
        return ()
    lines = ([judged.control] if judged.control else []) + list(judged.variants)
    return tuple(
        RuleLine(
            one.step,
            one.title,
            one.n,
            _decimal(one.mean),
            _decimal(one.difference),
            _decimal(one.needed),
            one.verdict,
            one.reason,
        )
        for one in lines
    )


def _order(order: Order) -> OrderLine:
    first = order.lots[0] if order.lots else None
    return OrderLine(
        provider=order.provider,
        reference=order.reference,
        currency=order.currency,
        price_minor=order.price_minor,
        net_minor=order.net_minor,
        gpu=first.gpu if first else None,
        starts_at=first.starts_at if first else None,
        ends_at=first.ends_at if first else None,
        reversed_because=_not_counted(order),
    )


def _not_counted(order: Order) -> str | None:
    """Why an order adds nothing: what was said when it was taken back, or ended before it began."""
    if order.reversal is not None:
        return order.reversal.reason
    early = order.ended_early if order.never_started else None
    return early.reason if early is not None else None


def _unplanned(line: StepLine, facts: Facts) -> UnplannedLine:
    runs_of_line = dict.fromkeys(one.run for one in line.stretches if one.run is not None)
    spent = spent_s(line.stretches, facts)
    return UnplannedLine(line.step.title, line.state, tuple(runs_of_line), spent)


def _money(budget: Budget | None) -> tuple[MoneyLine, ...]:
    if budget is None:
        return ()
    return tuple(
        MoneyLine(
            currency=one.currency,
            committed_minor=one.committed_minor,
            unpriced_lots=one.unpriced_lots,
            external_minor=sum(minor for _, minor in one.external),
            accepted=one.accepted,
            unit_minor=one.unit_cost.minor if one.unit_cost else None,
            rounded=one.unit_cost.rounded if one.unit_cost else False,
            undefined=one.undefined,
        )
        for one in budget.currencies
    )


def _step(gap: Deviation) -> StepRow:
    return StepRow(
        step=gap.step,
        title=gap.title,
        klass=gap.klass,
        state=gap.state,
        planned_s=gap.planned_s,
        observed_s=gap.observed_s,
        duration_delta_s=gap.duration_delta_s,
        end_delta_s=gap.end_delta_s,
        owed=gap.why_owed is not None,
        category=gap.explained.category if gap.explained else None,
        sentence=gap.explained.sentence if gap.explained else None,
    )


def _decimal(value: Decimal | Fraction | None) -> Decimal | None:
    """A figure in plain digits; a mean that has no end is rounded at six places."""
    if isinstance(value, Fraction):
        value = round(Decimal(value.numerator) / Decimal(value.denominator), 6)
    return None if value is None else Decimal(format(value.normalize(), "f"))
