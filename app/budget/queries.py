"""Reading expenses and budgets, and the whole budget of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.budget.rules import (
    Budget,
    Committed,
    Expense,
    FocusChoice,
    FocusRefusal,
    FocusRows,
    Later,
    Limit,
    Spent,
    Terms,
    TimeShare,
    after_close_as_json,
    as_json,
    budget,
    chosen_rows,
    focus_rows,
    in_force,
    later,
    records,
    share_of_time,
    spent,
    spent_as_json,
    until_close,
    warns,
    write_csv,
    write_focus,
)
from app.budget.tables import BudgetLimitRow, ExpenseRow
from app.campaigns.queries import Header, header
from app.deliverables.rules.standing import Acceptance
from app.orders.queries import lots_of, orders_of
from app.orders.rules import Order, unstated
from app.plan.queries import PlanView, current
from app.runs.queries import RunView, runs_of
from app.texts import Text
from app.units import Money


@dataclass(frozen=True, slots=True)
class Ledger:
    """A budget with the orders and expenses that it is the sum of.

    `orders` and `expenses` are all there are, `later` what of them came after the close and is
    no part of the budget; `limits` are the budgets that count.
    """

    budget: Budget
    orders: tuple[Order, ...]
    expenses: tuple[Expense, ...]
    later: tuple[Later, ...]
    limits: tuple[Limit, ...]


def expenses_of(session: Session, campaign_id: str) -> tuple[Expense, ...]:
    """All expenses of a campaign as they were logged, those after the close too."""
    rows = session.exec(
        select(ExpenseRow)
        .where(ExpenseRow.campaign_id == campaign_id)
        .order_by(col(ExpenseRow.number))
    )
    return tuple(
        Expense(
            row.number, row.logged_at, row.logged_by, row.kind, row.amount_minor, row.currency,
            row.charged_on, row.note, row.reference, row.corrects_number, row.tax_state,
            row.provider, row.after_close,
        )
        for row in rows
    )  # fmt: skip


def limits_of(session: Session, campaign_id: str) -> tuple[Limit, ...]:
    """The budgets that count: the plan's in its currency, or what was set since."""
    return _limits(session, campaign_id, current(session, campaign_id))


def _limits(session: Session, campaign_id: str, view: PlanView | None) -> tuple[Limit, ...]:
    rows = session.exec(
        select(BudgetLimitRow)
        .where(BudgetLimitRow.campaign_id == campaign_id)
        .order_by(col(BudgetLimitRow.number))
    )
    said = (
        Limit(row.currency, row.amount_minor, row.number, row.reason, row.set_at, row.set_by)
        for row in rows
    )
    if view is None:
        return in_force("", None, said)
    return in_force(view.plan.currency, view.plan.budget_minor, said)


def _terms(head: Header, view: PlanView | None) -> Terms:
    """How the plan that holds now counts."""
    if view is None:
        return Terms(head.currency, False, 0, 0)
    units = [deliverable.unit for deliverable in view.plan.deliverables]
    return Terms(view.plan.currency, view.plan.research_decision, len(units), sum(units))


def ledger_of(
    session: Session, campaign_id: str, acceptance: Acceptance, view: PlanView | None = None
) -> Ledger | None:
    """A campaign's budget with the rows that it is made of; None for an unknown campaign.

    `view` is the plan that holds now where the caller has read it already. Five statements.
    """
    head = header(session, campaign_id)
    if head is None:
        return None
    view = view or current(session, campaign_id)
    orders, expenses = orders_of(session, campaign_id), expenses_of(session, campaign_id)
    limits = _limits(session, campaign_id, view)
    found = budget(
        _terms(head, view), *until_close(orders, expenses), acceptance, head.outcome, limits
    )
    return Ledger(found, orders, expenses, later(orders, expenses), limits)


def budget_of(session: Session, campaign_id: str, acceptance: Acceptance) -> Budget | None:
    """A campaign's budget with what was accepted; None for an unknown campaign."""
    ledger = ledger_of(session, campaign_id, acceptance)
    return ledger.budget if ledger else None


def spent_of(session: Session, campaign_id: str, now: datetime) -> Spent:
    """The machine time of a campaign's runs as they stand at `now`."""
    return spent(runs_of(session, campaign_id, now))


def time_shares(session: Session, run: RunView) -> tuple[TimeShare, ...]:
    """The shares that a run has of the time of its campaign's lots; one statement."""
    return share_of_time(run, lots_of(session, run.campaign_id))


def warning(session: Session, campaign_id: str, more: Money | str) -> Text | None:
    """What a budget has to say before an order of `more`: its price, or the currency alone
    while the price is not known. None while it holds, or where there is none."""
    limits = limits_of(session, campaign_id)
    if not limits:
        return None
    return warns(limits, committed_of(session, campaign_id), more)


def committed_of(session: Session, campaign_id: str) -> dict[str, Committed]:
    """The committed rent of each currency now, with what is not priced yet."""
    found: dict[str, Committed] = {}
    for order in orders_of(session, campaign_id):
        so_far = found.get(order.currency, Committed(0))
        found[order.currency] = Committed(
            so_far.minor + order.known_minor, so_far.unpriced + unstated(order)
        )
    return found


def csv_of(session: Session, campaign_id: str) -> str | None:
    """Every row of the money's record as CSV; None for an unknown campaign."""
    if header(session, campaign_id) is None:
        return None
    return write_csv(records(orders_of(session, campaign_id), expenses_of(session, campaign_id)))


def whole_of(
    session: Session, campaign_id: str, acceptance: Acceptance, now: datetime
) -> dict[str, object] | None:
    """The budget as JSON with every row it is made of; None for an unknown campaign."""
    ledger = ledger_of(session, campaign_id, acceptance)
    if ledger is None:
        return None
    return {
        "campaign": campaign_id,
        **as_json(ledger.budget),
        "machine_time": spent_as_json(spent_of(session, campaign_id, now)),
        "after_close": after_close_as_json(ledger.later),
        "rows": [row.as_json() for row in records(ledger.orders, ledger.expenses)],
    }


def focus_rows_of(
    session: Session, campaign_id: str, charged_by: str | None = None
) -> FocusRows | None:
    """The charges as rows of FOCUS; None for an unknown campaign."""
    if header(session, campaign_id) is None:
        return None
    orders, expenses = orders_of(session, campaign_id), expenses_of(session, campaign_id)
    return focus_rows(campaign_id, orders, expenses, charged_by)


def focus_of(session: Session, campaign_id: str, choice: FocusChoice) -> str | FocusRefusal | None:
    """The charges as a FOCUS file, or what must be chosen first; None for an unknown campaign."""
    found = focus_rows_of(session, campaign_id, choice.charged_by)
    if found is None:
        return None
    rows = chosen_rows(found, choice)
    return rows if isinstance(rows, FocusRefusal) else write_focus(rows, choice.version)
