"""What the pages of the budget show, computed before the template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from app.budget.pages.downloads import Downloads
from app.budget.pages.entry import ExpenseEntry, LimitEntry
from app.budget.pages.figures import Summary, over_budget, summaries, tax_sums, unknown
from app.budget.pages.lines import ExternalLine, RentLine, external_lines, rent_lines
from app.budget.queries import Ledger
from app.budget.rules import (
    KIND_NAMES,
    TAX,
    CurrencyBudget,
    Expense,
    Later,
    Limit,
    Spent,
    cost_text,
    net_minor,
    until_close,
)
from app.deliverables.rules.standing import DeliverableStanding, Rejection, State
from app.texts import Text, ntext, text
from app.units import Duration, Money, zone

RUN_STATES: dict[str, Text] = {
    "stopped": text("stopped"),
    "failed": text("failed"),
    "lost": text("lost"),
}


@dataclass(frozen=True, slots=True)
class Quotient:
    """A sum for each accepted unit, opened: what is divided, by which deliverables.

    `value` None is undefined for the reason `undefined`.
    """

    total: Text | Money
    value: Text | Money | None
    units: Text
    undefined: tuple[Text, ...] | Text


@dataclass(frozen=True, slots=True)
class CurrencyCard:
    """One currency's arithmetic: rent row by row, external expenses apart, the result."""

    currency: str
    rent: tuple[RentLine, ...]
    committed: Text | Money
    external: tuple[ExternalLine, ...]
    external_sums: tuple[tuple[Text, Money], ...]
    external_said: Text
    unit_cost: Quotient | None
    external_cost: Quotient | None
    limit: Limit | None
    limit_said: Text | None


@dataclass(frozen=True, slots=True)
class LaterCard:
    """One currency's rows since the close, rent and expenses apart, each with its sum."""

    currency: str
    rent: tuple[RentLine, ...]
    rent_sum: Money
    external: tuple[ExternalLine, ...]
    external_sum: Money


@dataclass(frozen=True, slots=True)
class LostRun:
    """A run without a result, and its machine time."""

    id: str
    href: str
    state: Text
    machine: Duration


@dataclass(frozen=True, slots=True)
class Link:
    """A name with its address."""

    name: str
    href: str


@dataclass(frozen=True, slots=True)
class BudgetPage:
    """The whole budget; `is_open` is false after the close, when only refunds and the rows of
    invoices are taken."""

    summaries: tuple[Summary, ...]
    unknown: tuple[Text, ...]
    over_budget: tuple[Text, ...]
    research_decision: bool
    cards: tuple[CurrencyCard, ...]
    units: tuple[Link, ...]
    rejections: tuple[Rejection, ...]
    spent: Text | None
    lost_runs: tuple[LostRun, ...]
    later: tuple[LaterCard, ...]
    downloads: Downloads
    action: str
    limit_action: str
    orders_href: str
    is_open: bool
    entry: ExpenseEntry
    limit_entry: LimitEntry


@dataclass(frozen=True, slots=True)
class CorrectionPage:
    """A charge with its rows, and the form that brings it to what it should be."""

    lines: tuple[ExternalLine, ...]
    left: Money
    currency: str
    action: str
    back: str
    entry: ExpenseEntry


def budget_page(
    ledger: Ledger,
    campaign_id: str,
    zone_name: str,
    delivered: Iterable[DeliverableStanding],
    machine: Spent,
    downloads: Downloads,
    entries: tuple[ExpenseEntry, LimitEntry],
    is_open: bool,
) -> BudgetPage:
    """The whole page."""
    base, found, place = f"/campaigns/{campaign_id}", ledger.budget, zone(zone_name)
    return BudgetPage(
        summaries=summaries(found),
        unknown=unknown(found),
        over_budget=over_budget(found.currencies),
        research_decision=found.research_decision,
        cards=tuple(
            _card(one, campaign_id, ledger, place, found.research_decision)
            for one in found.currencies
        ),
        units=_units_accepted(delivered, base),
        rejections=found.rejections,
        spent=machine.said,
        lost_runs=_lost_runs(machine, base),
        later=tuple(_later(one, campaign_id, place) for one in ledger.later),
        downloads=downloads,
        action=f"{base}/budget",
        limit_action=f"{base}/budget/limit",
        orders_href=f"{base}/orders",
        is_open=is_open,
        entry=entries[0],
        limit_entry=entries[1],
    )


def _units_accepted(delivered: Iterable[DeliverableStanding], base: str) -> tuple[Link, ...]:
    return tuple(
        Link(one.title, f"{base}/deliverables/{one.id}")
        for one in delivered
        if one.announced and one.unit and one.state is State.ACCEPTED
    )


def _lost_runs(machine: Spent, base: str) -> tuple[LostRun, ...]:
    return tuple(
        LostRun(one.run, f"{base}/runs/{one.run}", RUN_STATES[one.status], Duration(one.machine_s))
        for one in machine.without_result
    )


def _card(
    one: CurrencyBudget, campaign_id: str, ledger: Ledger, place: ZoneInfo, research: bool
) -> CurrencyCard:
    """A currency's card from the campaign's orders and expenses up to the close."""
    orders, rows = until_close(
        [order for order in ledger.orders if order.currency == one.currency],
        [row for row in ledger.expenses if row.currency == one.currency],
    )
    return CurrencyCard(
        currency=one.currency,
        rent=rent_lines(orders, campaign_id, place),
        committed=one.committed_text,
        external=external_lines(rows, campaign_id, True),
        external_sums=_external_sums(one, rows),
        external_said=_external_said(one),
        unit_cost=None if research else _unit_cost(one),
        external_cost=None if research or not one.untaxed_minor else _external_cost(one),
        limit=one.limit,
        limit_said=_limit_said(one.limit, place),
    )


def _external_sums(one: CurrencyBudget, rows: Sequence[Expense]) -> tuple[tuple[Text, Money], ...]:
    """The sum of each kind that has several rows; taxes that differ in state are no sum."""
    found = []
    for kind, minor in one.external:
        states = {row.tax_state for row in rows if row.kind == kind}
        if len(states) == 1 and sum(row.kind == kind for row in rows) > 1:
            name = text("{kind}, in all", kind=KIND_NAMES[kind])
            found.append((name, Money(minor, one.currency)))
    return tuple(found)


def _external_said(one: CurrencyBudget) -> Text:
    """The sum of each kind; a tax and other expenses are never one sum."""
    sums = [
        text("{kind} {amount}", kind=KIND_NAMES[kind], amount=Money(minor, one.currency))
        for kind, minor in one.external
        if kind != TAX
    ]
    sums += [text("tax {sum}", sum=said) for said in tax_sums(one)]
    return text("External expenses: {sums}", sums=tuple(sums))


def _unit_cost(one: CurrencyBudget) -> Quotient:
    cost = cost_text(one.unit_cost) if one.unit_cost else None
    return Quotient(one.committed_text, cost, _units(one), one.undefined)


def _external_cost(one: CurrencyBudget) -> Quotient:
    cost = cost_text(one.external_cost) if one.external_cost else None
    total = Money(one.untaxed_minor, one.currency)
    return Quotient(total, cost, _units(one), one.external_undefined)


def _units(one: CurrencyBudget) -> Text:
    return ntext("{n} accepted unit", "{n} accepted units", one.accepted)


def _limit_said(limit: Limit | None, place: ZoneInfo) -> Text | None:
    """A budget in one line, with who set it and why."""
    if limit is None or limit.amount_minor is None:
        return None
    amount = Money(limit.amount_minor, limit.currency)
    if limit.set_at is None:
        return text("Budget: {amount}, as the plan says", amount=amount)
    return text(
        "Budget: {amount}, set by {who} on {day}: {reason}",
        amount=amount,
        who=limit.set_by,
        day=limit.set_at.astimezone(place).date(),
        reason=limit.reason,
    )


def _later(one: Later, campaign_id: str, place: ZoneInfo) -> LaterCard:
    orders = {order.number: order for order, _ in one.rent}.values()
    return LaterCard(
        currency=one.currency,
        rent=rent_lines(orders, campaign_id, place, after_close=True),
        rent_sum=Money(one.rent_minor, one.currency),
        external=external_lines(one.external, campaign_id, False),
        external_sum=Money(one.external_minor, one.currency),
    )


def correction_page(
    rows: Sequence[Expense], campaign_id: str, entry: ExpenseEntry
) -> CorrectionPage:
    """The page that corrects a charge."""
    first = rows[0]
    return CorrectionPage(
        lines=external_lines(rows, campaign_id, False),
        left=Money(net_minor(rows), first.currency),
        currency=first.currency,
        action=f"/campaigns/{campaign_id}/budget/expenses/{first.number}/correct",
        back=f"/campaigns/{campaign_id}/budget",
        entry=entry,
    )
