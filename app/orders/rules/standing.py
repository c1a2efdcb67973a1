"""Where an order stands at a moment, what it adds to the total, and the total at any instant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app.orders.rules.records import (
    CANCELLATION,
    PAYMENT_FAILED,
    Order,
    OrderChange,
    as_of,
    with_rows,
)
from app.texts import Text, text

QUOTED = "quoted"
STATUSES = (
    QUOTED, "ordered", "payment_failed", "scheduled", "active", "ended", "cancelled", "refunded",
    "reversed",
)  # fmt: skip

STATUS_NAMES: dict[str, Text] = {
    QUOTED: text("quoted"),
    "ordered": text("ordered"),
    PAYMENT_FAILED: text("payment failed"),
    "scheduled": text("scheduled"),
    "active": text("active"),
    "ended": text("ended"),
    "cancelled": text("cancelled"),
    "refunded": text("refunded"),
    "reversed": text("reversed"),
}


@dataclass(frozen=True, slots=True)
class Total:
    """A currency's committed rent in minor units, and how many amounts nobody stated yet."""

    currency: str
    known_minor: int
    unpriced: int


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """An order or a change of one, what it added to the total, and the total after it.

    `amount_minor` is None where the row's amount is not known.
    """

    number: int
    order: int
    logged_at: datetime
    logged_by: str
    kind: str
    reference: str
    amount_minor: int | None
    total: Total
    after_close: bool


def status(order: Order, now: datetime) -> str:
    """One of `STATUSES` at an instant, from the rows that the order holds.

    Refunded means that nothing is left of a price above zero; a lot that starts on delivery is
    only ordered until it begins.
    """
    if not order.is_active:
        return "reversed"
    if order.refunds and order.rows_minor == 0:
        return "refunded"
    early = order.ended_early
    if early is not None and (early.at or early.logged_at) <= now:
        return "cancelled" if early.kind == CANCELLATION else PAYMENT_FAILED
    if now < order.starts_at:
        waits = any(lot.start_basis == "on_delivery" for lot in order.lots)
        return "ordered" if waits else "scheduled"
    return "active" if now < order.ends_at else "ended"


def contributes(order: Order) -> tuple[int | None, Text | None]:
    """What an order adds to its currency's total in minor units, and why where that is 0 or
    None: taken back, never started, or an amount that nobody stated.
    """
    reversal, early = order.reversal, order.ended_early
    if reversal is not None:
        return 0, text("reversed: {reason}", reason=reversal.reason)
    if early is not None and order.never_started:
        if early.kind == CANCELLATION:
            return 0, text("cancelled before its start: {reason}", reason=early.reason)
        return 0, text("payment failed before its start: {reason}", reason=early.reason)
    if order.price_now_minor is None:
        return None, text("its price is not known")
    if order.unpriced_extensions:
        return None, text("the amount of its extension is not known")
    return order.net_minor, None


def unstated(order: Order) -> int:
    """How many amounts of an order nobody stated: a lot each for its price, one an extension."""
    if not order.in_force:
        return 0
    lots = len(order.lots) if order.price_now_minor is None else 0
    return lots + len(order.unpriced_extensions)


def committed_at(orders: Iterable[Order], instant: datetime) -> dict[str, Total]:
    """The committed rent of each currency as the record knew it at an instant."""
    totals: dict[str, Total] = {}
    for order in orders:
        known = as_of(order, instant)
        if known is not None:
            before = totals.get(order.currency, Total(order.currency, 0, 0))
            totals[order.currency] = _plus(before, known.known_minor, unstated(known))
    return totals


def ledger(orders: Iterable[Order]) -> tuple[LedgerRow, ...]:
    """Every row of the orders as it was logged, with the running total of its currency."""
    rows: list[tuple[int, Order, OrderChange | None]] = []
    for order in orders:
        rows.append((order.number, order, None))
        rows += [(change.number, order, change) for change in order.changes]
    totals: dict[str, Total] = {}
    found = []
    for number, order, change in sorted(rows, key=lambda row: row[0]):
        before, after = _through(order, number - 1), _through(order, number)
        total = totals.get(order.currency, Total(order.currency, 0, 0))
        added = (after.known_minor if after else 0) - (before.known_minor if before else 0)
        more = (unstated(after) if after else 0) - (unstated(before) if before else 0)
        totals[order.currency] = total = _plus(total, added, more)
        found.append(_row(order, change, None if more > 0 and not added else added, total))
    return tuple(found)


def _row(order: Order, change: OrderChange | None, added: int | None, total: Total) -> LedgerRow:
    row = change or order
    return LedgerRow(
        number=row.number,
        order=order.number,
        logged_at=row.logged_at,
        logged_by=row.logged_by,
        kind=change.kind if change else "order",
        reference=order.reference,
        amount_minor=added,
        total=total,
        after_close=change.after_close if change else False,
    )


def _through(order: Order, number: int) -> Order | None:
    """The order after the journal's entry of that number."""
    if order.number > number:
        return None
    return with_rows(order, (row for row in order.changes if row.number <= number))


def _plus(total: Total, minor: int, unpriced: int) -> Total:
    return Total(total.currency, total.known_minor + minor, total.unpriced + unpriced)
