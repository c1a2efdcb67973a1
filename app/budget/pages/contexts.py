"""What the pages of the budget show, computed before the template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from app.budget.pages.entry import ExpenseEntry
from app.budget.queries import Ledger
from app.budget.rules import (
    KIND_NAMES,
    CurrencyBudget,
    Expense,
    cost_text,
    family,
    net_minor,
)
from app.deliverables.rules.standing import Rejection
from app.orders.rules import Order
from app.texts import Text, ntext, text
from app.units import Money, zone


@dataclass(frozen=True, slots=True)
class RentLine:
    """An order's price, or one change of it, with its amount or why there is none."""

    reference: str
    href: str
    what: Text
    days: Text | date | None
    amount: Money | Text


@dataclass(frozen=True, slots=True)
class ExternalLine:
    """One row of the expenses; a correction stands below the charge that it belongs to."""

    number: int
    kind: Text
    on: date
    note: str | None
    reference: str | None
    amount: Money
    is_correction: bool
    href: str | None


@dataclass(frozen=True, slots=True)
class CurrencyCard:
    """One currency's arithmetic: rent row by row, external expenses apart, the result."""

    currency: str
    rent: tuple[RentLine, ...]
    committed: Text | Money
    external: tuple[ExternalLine, ...]
    external_sums: tuple[tuple[Text, Money], ...]
    unit_cost: Text | Money | None
    arithmetic: Text | None
    undefined: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class BudgetPage:
    """The whole budget; `entry` is None after the close."""

    lines: tuple[Text, ...]
    research_decision: bool
    cards: tuple[CurrencyCard, ...]
    rejections: tuple[Rejection, ...]
    action: str
    orders_href: str
    entry: ExpenseEntry | None


@dataclass(frozen=True, slots=True)
class CorrectionPage:
    """A charge with its rows, and the form that brings it to what it should be."""

    lines: tuple[ExternalLine, ...]
    left: Money
    currency: str
    action: str
    back: str
    entry: ExpenseEntry


def card(
    one: CurrencyBudget, campaign_id: str, ledger: Ledger, place: ZoneInfo, can_change: bool
) -> CurrencyCard:
    """A currency's card from the campaign's orders and expenses."""
    mine = [order for order in ledger.orders if order.currency == one.currency]
    rows = [row for row in ledger.expenses if row.currency == one.currency]
    return CurrencyCard(
        currency=one.currency,
        rent=tuple(line for order in mine for line in _rent(order, campaign_id, place)),
        committed=one.committed_text,
        external=external_lines(rows, campaign_id, can_change),
        external_sums=tuple(
            (text("{kind}, in all", kind=KIND_NAMES[kind]), Money(minor, one.currency))
            for kind, minor in one.external
            if sum(row.kind == kind for row in rows) > 1
        ),
        unit_cost=cost_text(one.unit_cost) if one.unit_cost else None,
        arithmetic=_arithmetic(one),
        undefined=one.undefined,
    )


def _arithmetic(one: CurrencyBudget) -> Text | None:
    """How the cost of a unit comes about; None where there is none."""
    if one.unit_cost is None:
        return None
    units = ntext("{n} accepted unit", "{n} accepted units", one.accepted)
    return text("{committed} ÷ {units}", committed=one.committed_text, units=units)


def _rent(order: Order, campaign_id: str, place: ZoneInfo) -> Iterable[RentLine]:
    """An order's price, then each change of it."""
    href = f"/campaigns/{campaign_id}/orders/{order.number}"
    lot, price = order.lots[0], order.price_minor
    days = text(
        "{start} – {end}",
        start=lot.starts_at.astimezone(place).date(),
        end=lot.ends_at.astimezone(place).date(),
    )
    yield RentLine(
        order.reference,
        href,
        text("Price of the lot from {provider}", provider=order.provider),
        days,
        text("not known") if price is None else Money(price, order.currency),
    )
    for change in order.changes:
        what = text("Refund: {reason}", reason=change.reason)
        if change is order.reversal:
            what = text("Reversed: {reason}", reason=change.reason)
        amount: Money | Text = text("not counted")
        if change.amount_minor is not None:
            amount = Money(change.amount_minor, order.currency)
        yield RentLine(order.reference, href, what, change.on, amount)


def external_lines(
    rows: Sequence[Expense], campaign_id: str, can_change: bool
) -> tuple[ExternalLine, ...]:
    """Each charge with its corrections below it."""
    lines = []
    for charge in rows:
        if charge.corrects is None:
            href = f"/campaigns/{campaign_id}/budget/expenses/{charge.number}/correct"
            for row in family(rows, charge.number):
                is_first = row is charge
                lines.append(_line(row, href if is_first and can_change else None))
    return tuple(lines)


def _line(row: Expense, href: str | None) -> ExternalLine:
    return ExternalLine(
        row.number, KIND_NAMES[row.kind], row.charged_on, row.note, row.reference,
        Money(row.amount_minor, row.currency), row.corrects is not None, href,
    )  # fmt: skip


def budget_page(
    ledger: Ledger, campaign_id: str, zone_name: str, entry: ExpenseEntry | None
) -> BudgetPage:
    """The whole page; `entry` is None where nothing is written any more."""
    base, found, place = f"/campaigns/{campaign_id}", ledger.budget, zone(zone_name)
    return BudgetPage(
        lines=found.lines,
        research_decision=found.research_decision,
        cards=tuple(
            card(one, campaign_id, ledger, place, entry is not None) for one in found.currencies
        ),
        rejections=found.rejections,
        action=f"{base}/budget",
        orders_href=f"{base}/orders",
        entry=entry,
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
