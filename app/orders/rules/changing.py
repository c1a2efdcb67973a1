"""Taking an order back, wholly or in part, by a row of its own with its reason."""

from __future__ import annotations

from datetime import date

from app.orders.rules.entering import Problem, line_problem, tidy
from app.orders.rules.records import Order, OrderChange
from app.orders.rules.typed import day_problem
from app.texts import text
from app.units import MAX_MINOR, Money

REASON = 500


def reason_problem(reason: str) -> Problem | None:
    """A change without a reason is refused."""
    if not tidy(reason):
        return Problem("reason", text("Say why: the reason stays with the record."))
    return line_problem("reason", tidy(reason), REASON)


def amount_problem(amount_minor: int) -> Problem | None:
    """A refund is told as the positive amount that came back."""
    if 0 < amount_minor <= MAX_MINOR:
        return None
    return Problem("amount", text("A refund is an amount above zero."))


def when_problem(on: date) -> Problem | None:
    """A day that nobody means is refused."""
    said = day_problem(on)
    return None if said is None else Problem("on", said)


def reversal_minor(order: Order) -> int | None:
    """What a reversal adds so that the order nets to zero; None while its price is unknown."""
    net = order.net_minor
    return None if net is None else -net


def refund_problem(order: Order, amount_minor: int) -> Problem | None:
    """Why an order cannot take this refund (in minor units, above zero), if it cannot."""
    net = order.net_minor
    if not order.is_active:
        return Problem("amount", text("The order was reversed: nothing of it is left to refund."))
    if net is None:
        return Problem("amount", text("The order has no price yet: correct the price first."))
    if amount_minor > net:
        left = Money(net, order.currency)
        return Problem("amount", text("Only {left} of this order is left to refund.", left=left))
    return None


def same_refund(order: Order, amount_minor: int, on: date, reason: str) -> OrderChange | None:
    """The refund that is logged already with the same amount, day and reason."""
    said = (-amount_minor, on, tidy(reason))
    return next((c for c in order.refunds if (c.amount_minor, c.on, c.reason) == said), None)
