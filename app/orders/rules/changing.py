"""Changes of an order: each is a row of its own that points at it, with its reason.

Amounts are told as people say them (a refund of 10.00, the price that is right) and kept as
what the row adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from app.orders.rules.entering import Problem, line_problem, tidy
from app.orders.rules.records import (
    CANCELLATION,
    CORRECTION,
    CREDIT,
    EXTENSION,
    PAYMENT_FAILED,
    PRICE,
    REFUND,
    REVERSAL,
    USABLE_UNTIL,
    Order,
    OrderChange,
    OrderedLot,
    changed,
)
from app.orders.rules.typed import day_problem
from app.texts import Text, text
from app.units import MAX_MINOR, Money

REASON = 500
AFTER_CLOSE = (REFUND, CREDIT)
"""The changes that a closed campaign still takes."""

_OF_LOT = (EXTENSION, USABLE_UNTIL)
_BACK = (REFUND, CREDIT)


@dataclass(frozen=True, slots=True)
class NewChange:
    """A change as it is said.

    `amount_minor` is what came back (refund, credit), the price that is right (correction,
    price) or what the provider states for an extension; None is not stated. `lot` is the place
    of the lot that an extension or `usable_until` moves, None where the order has one lot.
    `at` is when a cancellation or failed payment took effect, None for now. `of` is the
    extension that a price belongs to.
    """

    kind: str
    reason: str
    amount_minor: int | None = None
    on: date | None = None
    lot: int | None = None
    ends_at: datetime | None = None
    usable_until: datetime | None = None
    at: datetime | None = None
    of: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", tidy(self.reason))


def reason_problem(reason: str) -> Problem | None:
    """A change without a reason is refused."""
    if not tidy(reason):
        return Problem("reason", text("Say why: the reason stays with the record."))
    return line_problem("reason", tidy(reason), REASON)


def when_problem(on: date) -> Problem | None:
    """A day that nobody means is refused."""
    said = day_problem(on)
    return None if said is None else Problem("on", said)


def change_problems(new: NewChange) -> tuple[Problem, ...]:
    """What is wrong with a change by itself."""
    found = [_amount_problem(new), when_problem(new.on) if new.on else None]
    if new.kind in _BACK and new.on is None:
        found.append(Problem("on", text("Enter a day as year, month and day: 2026-12-01.")))
    if new.kind == EXTENSION and new.ends_at is None:
        found.append(Problem("ends_at", text("Say when the extended window ends.")))
    if new.kind == USABLE_UNTIL and new.usable_until is None:
        found.append(Problem("usable_until", text("Say until when the lot is usable.")))
    found.append(reason_problem(new.reason))
    return tuple(problem for problem in found if problem)


def _amount_problem(new: NewChange) -> Problem | None:
    amount, name = new.amount_minor, "price" if new.kind in (CORRECTION, PRICE) else "amount"
    if amount is None:
        if new.kind in _BACK or name == "price":
            return Problem(name, text("Enter the amount."))
        return None
    if new.kind in _BACK and not 0 < amount <= MAX_MINOR:
        return Problem(name, text("A refund is an amount above zero."))
    if not 0 <= amount <= MAX_MINOR:
        return Problem(name, text("An amount is not negative; log a refund as one."))
    return None


def reversal_minor(order: Order) -> int | None:
    """What a reversal adds so that the rows sum to zero; None where nothing was stated."""
    rows = order.rows_minor
    return None if order.price_now_minor is None and rows == 0 else -rows


def change_problem(order: Order, new: NewChange) -> Problem | None:
    """Why an order cannot take this change, if it cannot; a Problem contradicts the record."""
    if not order.is_active:
        said = text("Order {reference} was reversed before.", reference=order.reference)
        return Problem("amount" if new.kind in _BACK else "", said)
    if new.kind in _BACK:
        return _refund_problem(order, new.amount_minor or 0)
    if new.kind == CORRECTION:
        return _correction_problem(order, new.amount_minor or 0)
    if new.kind == PRICE:
        return _price_problem(order, new)
    if new.kind in _OF_LOT:
        return _lot_problem(order, new)
    if new.kind in (CANCELLATION, PAYMENT_FAILED):
        return _early_problem(order)
    return None


def _refund_problem(order: Order, amount_minor: int) -> Problem | None:
    """More than was paid, and is not back yet, cannot come back."""
    if order.price_now_minor is None and order.rows_minor == 0:
        return Problem("amount", text("The order has no price yet: state the price first."))
    if amount_minor > order.rows_minor:
        left = Money(order.rows_minor, order.currency)
        return Problem("amount", text("Only {left} of this order is left to refund.", left=left))
    return None


def _correction_problem(order: Order, right_minor: int) -> Problem | None:
    price = order.price_now_minor
    if price is None:
        return Problem("price", text("The order has no price yet: state the price first."))
    if right_minor == price:
        return Problem("price", text("The order says this price already."))
    if order.rows_minor - price + right_minor < 0:
        said = text("More than this was refunded already; the price cannot be below it.")
        return Problem("price", said)
    return None


def _price_problem(order: Order, new: NewChange) -> Problem | None:
    if new.of is not None:
        if any(row.number == new.of for row in order.unpriced_extensions):
            return None
        return Problem("extension", text("This extension has its amount, or is none of the order."))
    if order.price_now_minor is not None:
        return Problem("price", text("The order has a price: correct it instead."))
    return None


def lot_of(order: Order, new: NewChange) -> OrderedLot | None:
    """The lot that a change moves: the one named, else the only one."""
    if new.lot is None:
        return order.lots[0] if len(order.lots) == 1 else None
    return order.lots[new.lot] if 0 <= new.lot < len(order.lots) else None


def _lot_problem(order: Order, new: NewChange) -> Problem | None:
    lot = lot_of(order, new)
    if lot is None:
        places = tuple(str(place) for place in range(len(order.lots)))
        return Problem("lot", text("Say which lot of the order is meant."), places)
    ends_at, usable_until = new.ends_at or lot.ends_at, new.usable_until
    if new.kind == EXTENSION and ends_at <= lot.ends_at:
        return Problem("ends_at", text("An extension ends after the window as it stands."))
    if usable_until is not None and not lot.starts_at < usable_until <= ends_at:
        said = text("The lot is usable until a time inside its window, or its end.")
        return Problem("usable_until", said)
    if new.kind == USABLE_UNTIL and usable_until == lot.usable_until:
        return Problem("usable_until", text("The lot says this time already."))
    return None


def _early_problem(order: Order) -> Problem | None:
    early = order.ended_early
    if early is None:
        return None
    said: Text = text("Order {reference} was cancelled before.", reference=order.reference)
    if early.kind == PAYMENT_FAILED:
        said = text("The payment of order {reference} failed before.", reference=order.reference)
    return Problem("", said)


def added_minor(order: Order, new: NewChange) -> int | None:
    """What the row adds to the order's sum: minus a refund, the difference to the right price."""
    amount = new.amount_minor
    if new.kind == REVERSAL:
        return reversal_minor(order)
    if amount is None:
        return None
    if new.kind in _BACK:
        return -amount
    return amount - (order.price_now_minor or 0) if new.kind == CORRECTION else amount


def row_of(order: Order, new: NewChange, number: int, actor: str, now: datetime) -> OrderChange:
    """The row that a change becomes, logged at an instant under a number of the journal."""
    lot = lot_of(order, new) if new.kind in _OF_LOT else None
    early = new.kind in (CANCELLATION, PAYMENT_FAILED)
    return OrderChange(
        number=number,
        logged_at=now,
        logged_by=actor,
        kind=new.kind,
        amount_minor=added_minor(order, new),
        on=new.on,
        reason=new.reason,
        lot=lot.position if lot else None,
        ends_at=new.ends_at,
        usable_until=new.usable_until,
        at=(new.at or now) if early else None,
        of=new.of,
    )


def tried(order: Order, new: NewChange, now: datetime) -> Order:
    """The order as it would be after a change that the rules take."""
    return changed(order, row_of(order, new, 0, "", now))


def same_change(order: Order, new: NewChange) -> OrderChange | None:
    """The row that says this already, so that a change sent twice is one."""
    rows = [row for row in order.of_kind(new.kind) if row.reason == new.reason]
    if new.kind == CORRECTION:
        stands = new.amount_minor == order.price_now_minor
        return next((row for row in rows[-1:] if stands and new.on in (None, row.on)), None)
    return next((row for row in rows if _says(order, new, row)), None)


def _says(order: Order, new: NewChange, row: OrderChange) -> bool:
    """Whether a row of the same kind and reason holds what is said."""
    if new.kind == REVERSAL:
        return True
    if new.kind in _OF_LOT:
        lot = lot_of(order, new)
        if lot is None or row.lot != lot.position:
            return False
    elif new.at is not None and new.at != row.at:
        return False
    said = (added_minor(order, new), new.on, new.of, new.ends_at, new.usable_until)
    return said == (row.amount_minor, row.on, row.of, row.ends_at, row.usable_until)
