"""Rows of the budget's arithmetic: rent order by order, expenses charge by charge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from app.budget.rules import KIND_NAMES, TAX, Expense, family, tax_said
from app.orders.rules import Order, OrderChange, contributes
from app.orders.rules.records import (
    CORRECTION,
    CREDIT,
    EXTENSION,
    PRICE,
    REFUND,
    REVERSAL,
)
from app.texts import Text, ntext, text
from app.units import Money

_CHANGES: dict[str, Text] = {
    REFUND: text("Refund"),
    CREDIT: text("Credit"),
    CORRECTION: text("Price corrected"),
    PRICE: text("Price stated later"),
    EXTENSION: text("Extension"),
    REVERSAL: text("Reversed"),
}
"""The changes that have an amount; what else happened to an order stands on its own page."""


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
    provider: str | None
    amount: Money
    is_correction: bool
    href: str | None


def rent_lines(
    orders: Iterable[Order], campaign_id: str, place: ZoneInfo, *, after_close: bool = False
) -> tuple[RentLine, ...]:
    """Each order's price with the changes of it up to the close, or only those after it."""
    found: list[RentLine] = []
    for order in orders:
        href = f"/campaigns/{campaign_id}/orders/{order.number}"
        if after_close:
            changes = [change for change in order.changes if change.after_close]
            found += [_change(order, change, href) for change in changes]
        else:
            found += _rent(order, href, place)
    return tuple(found)


def _rent(order: Order, href: str, place: ZoneInfo) -> Iterator[RentLine]:
    """An order's price, then each change of it; one line where it never started."""
    lots = order.logged_lots
    days = text(
        "{start} – {end}",
        start=min(lot.starts_at for lot in lots).astimezone(place).date(),
        end=max(lot.ends_at for lot in lots).astimezone(place).date(),
    )
    if order.never_started and order.is_active:
        why = contributes(order)[1] or text("never started")
        said = text("Does not count: {reason}", reason=why)
        yield RentLine(order.reference, href, said, days, Money(0, order.currency))
        return
    what = ntext(
        "Price of the lot from {provider}",
        "Price of {n} lots from {provider}",
        len(lots),
        provider=order.provider,
    )
    price = order.price_minor
    amount: Text | Money = text("not known") if price is None else Money(price, order.currency)
    yield RentLine(order.reference, href, what, days, amount)
    for change in order.changes:
        if change.kind in _CHANGES and not change.after_close:
            yield _change(order, change, href)


def _change(order: Order, change: OrderChange, href: str) -> RentLine:
    what = text("{change}: {reason}", change=_CHANGES[change.kind], reason=change.reason)
    amount: Money | Text = text("not known")
    if change.amount_minor is not None:
        amount = Money(change.amount_minor, order.currency)
    elif change.kind == REVERSAL:
        amount = text("not counted")
    elif change not in order.unpriced_extensions:
        amount = text("stated later")
    return RentLine(order.reference, href, what, change.on, amount)


def external_lines(
    rows: Sequence[Expense], campaign_id: str, can_change: bool
) -> tuple[ExternalLine, ...]:
    """Each charge with its corrections below it; a correction whose charge is not among them
    stands by itself."""
    known = {row.number for row in rows}
    lines = []
    for charge in rows:
        if charge.corrects is None:
            href = f"/campaigns/{campaign_id}/budget/expenses/{charge.number}/correct"
            for row in family(rows, charge.number):
                lines.append(_external(row, href if row is charge and can_change else None))
        elif charge.corrects not in known:
            lines.append(_external(charge, None))
    return tuple(lines)


def _external(row: Expense, href: str | None) -> ExternalLine:
    name = tax_said(row.tax_state) if row.kind == TAX else KIND_NAMES[row.kind]
    return ExternalLine(
        row.number, name, row.charged_on, row.note, row.reference, row.provider,
        Money(row.amount_minor, row.currency), row.corrects is not None, href,
    )  # fmt: skip
