"""Reading expenses, and the whole budget of a campaign."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, col, select

from app.budget.rules import Budget, Expense, Terms, budget
from app.budget.tables import ExpenseRow
from app.campaigns.queries import header
from app.deliverables.rules.standing import Acceptance
from app.orders.queries import orders_of
from app.orders.rules import Order
from app.plan.queries import current


@dataclass(frozen=True, slots=True)
class Ledger:
    """A budget with the orders and expenses that it is the sum of."""

    budget: Budget
    orders: tuple[Order, ...]
    expenses: tuple[Expense, ...]


def expenses_of(session: Session, campaign_id: str) -> tuple[Expense, ...]:
    """All expenses of a campaign as they were logged."""
    rows = session.exec(
        select(ExpenseRow)
        .where(ExpenseRow.campaign_id == campaign_id)
        .order_by(col(ExpenseRow.number))
    )
    return tuple(
        Expense(
            row.number, row.logged_at, row.logged_by, row.kind, row.amount_minor, row.currency,
            row.charged_on, row.note, row.reference, row.corrects_number,
        )
        for row in rows
    )  # fmt: skip


def terms_of(session: Session, campaign_id: str) -> Terms | None:
    """How the plan that holds now counts; None for an unknown campaign."""
    view = current(session, campaign_id)
    if view is not None:
        units = [deliverable.unit for deliverable in view.plan.deliverables]
        return Terms(view.plan.currency, view.plan.research_decision, len(units), sum(units))
    head = header(session, campaign_id)
    return Terms(head.currency, False, 0, 0) if head else None


def ledger_of(session: Session, campaign_id: str, acceptance: Acceptance) -> Ledger | None:
    """A campaign's budget with the rows that it is made of; None for an unknown campaign."""
    terms, head = terms_of(session, campaign_id), header(session, campaign_id)
    if terms is None or head is None:
        return None
    orders, expenses = orders_of(session, campaign_id), expenses_of(session, campaign_id)
    found = budget(terms, orders, expenses, acceptance, head.outcome)
    return Ledger(found, orders, expenses)


def budget_of(session: Session, campaign_id: str, acceptance: Acceptance) -> Budget | None:
    """A campaign's budget with what was accepted; None for an unknown campaign."""
    ledger = ledger_of(session, campaign_id, acceptance)
    return ledger.budget if ledger else None
