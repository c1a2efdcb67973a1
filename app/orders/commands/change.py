"""Taking an order back, wholly or in part, by a row that points at it."""

from __future__ import annotations

from datetime import date, datetime

from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.journal import Actor, append
from app.orders.commands.refusals import Logged, refuse, reversed_before, unknown_order
from app.orders.queries import order_numbered
from app.orders.rules import (
    REFUND,
    REVERSAL,
    Order,
    amount_problem,
    reason_problem,
    refund_problem,
    reversal_minor,
    same_refund,
    tidy,
    when_problem,
)


def reverse_order(
    tx: WriteSession, campaign_id: str, number: int, reason: str, *, actor: Actor, now: datetime
) -> Logged | AppError:
    """Take an order back: a row that points at it makes its figure zero and frees its lot."""
    refuse_closed(tx, campaign_id)
    if problem := reason_problem(reason):
        return refuse([problem])
    order = order_numbered(tx.orm, campaign_id, number)
    if order is None:
        return unknown_order(number)
    if order.reversal is not None:
        if order.reversal.reason == tidy(reason):
            return Logged(order.reversal.number, False)
        return reversed_before(order)
    return Logged(append_reversal(tx, campaign_id, order, reason, actor=actor, now=now), True)


def refund_order(
    tx: WriteSession,
    campaign_id: str,
    number: int,
    amount_minor: int,
    on: date,
    reason: str,
    *,
    actor: Actor,
    now: datetime,
) -> Logged | AppError:
    """Log what the provider paid back (above zero) on a day; the sealed plan stays as it is."""
    refuse_closed(tx, campaign_id)
    wrong = (amount_problem(amount_minor), when_problem(on), reason_problem(reason))
    if found := [problem for problem in wrong if problem]:
        return refuse(found)
    order = order_numbered(tx.orm, campaign_id, number)
    if order is None:
        return unknown_order(number)
    known = same_refund(order, amount_minor, on, reason)
    if known is not None:
        return Logged(known.number, False)
    if problem := refund_problem(order, amount_minor):
        return Conflict(problem.text, field=problem.field)
    return Logged(
        _append(tx, campaign_id, order, REFUND, -amount_minor, on, reason, actor, now), True
    )


def append_reversal(
    tx: WriteSession, campaign_id: str, order: Order, reason: str, *, actor: Actor, now: datetime
) -> int:
    """Append the row that makes an order net to zero; returns its number."""
    amount = reversal_minor(order)
    return _append(tx, campaign_id, order, REVERSAL, amount, None, reason, actor, now)


def _append(
    tx: WriteSession,
    campaign_id: str,
    order: Order,
    kind: str,
    amount_minor: int | None,
    on: date | None,
    reason: str,
    actor: Actor,
    now: datetime,
) -> int:
    payload = {
        "order": order.number,
        "kind": kind,
        "amount_minor": amount_minor,
        "currency": order.currency,
        "provider": order.provider,
        "reference": order.reference,
        "plan_version": order.plan_version,
        "on": on.isoformat() if on else None,
        "reason": tidy(reason),
    }
    return append(tx, campaign_id, "order.reversed", actor, payload, now).number
