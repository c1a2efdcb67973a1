"""Changing an order by a row that points at it."""

from __future__ import annotations

from datetime import date, datetime

from app.campaigns.commands import refuse_closed, standing
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.journal import Actor, append
from app.orders.commands.refusals import Logged, refuse, reversed_before, unknown_order
from app.orders.queries import order_numbered
from app.orders.rules import (
    AFTER_CLOSE,
    REFUND,
    REVERSAL,
    NewChange,
    Order,
    change_problem,
    change_problems,
    row_of,
    same_change,
)
from app.texts import Text
from app.units import instant_text


def change_order(
    tx: WriteSession, campaign_id: str, number: int, new: NewChange, *, actor: Actor, now: datetime
) -> Logged | AppError:
    """Log a change of an order; the same one again is the row that is there.

    A closed campaign still takes refunds and credits: they are marked, and its closed figures
    stand.
    """
    closed = standing(tx, campaign_id) == "closed"
    if closed and new.kind not in AFTER_CLOSE:
        refuse_closed(tx, campaign_id)
    if found := change_problems(new):
        return refuse(found)
    order = order_numbered(tx.orm, campaign_id, number)
    if order is None:
        return unknown_order(number)
    known = same_change(order, new)
    if known is not None:
        return Logged(known.number, False)
    problem = change_problem(order, new)
    if problem is not None:
        return _contradiction(order, problem.field, problem.text, problem.allowed)
    return Logged(
        append_change(tx, campaign_id, order, new, actor=actor, now=now, after_close=closed), True
    )


def _contradiction(order: Order, field: str, said: Text, allowed: tuple[str, ...]) -> AppError:
    if not order.is_active:
        return reversed_before(order, field or None)
    return Conflict(said, field=field or None, allowed=allowed or None, order=order.number)


def reverse_order(
    tx: WriteSession, campaign_id: str, number: int, reason: str, *, actor: Actor, now: datetime
) -> Logged | AppError:
    """Take an order back: a row that points at it makes its figure zero and frees its lot."""
    new = NewChange(REVERSAL, reason)
    return change_order(tx, campaign_id, number, new, actor=actor, now=now)


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
    new = NewChange(REFUND, reason, amount_minor, on)
    return change_order(tx, campaign_id, number, new, actor=actor, now=now)


def append_change(
    tx: WriteSession,
    campaign_id: str,
    order: Order,
    new: NewChange,
    *,
    actor: Actor,
    now: datetime,
    after_close: bool = False,
) -> int:
    """Append a change that the rules took; returns its number."""
    row = row_of(order, new, 0, actor.name, now)
    payload = {
        "order": order.number,
        "kind": row.kind,
        "amount_minor": row.amount_minor,
        "currency": order.currency,
        "provider": order.provider,
        "reference": order.reference,
        "plan_version": order.plan_version,
        "on": row.on.isoformat() if row.on else None,
        "reason": row.reason,
        "lot": row.lot,
        "ends_at": instant_text(row.ends_at) if row.ends_at else None,
        "usable_until": instant_text(row.usable_until) if row.usable_until else None,
        "at": instant_text(row.at) if row.at else None,
        "of": row.of,
        "after_close": after_close,
    }
    return append(tx, campaign_id, "order.changed", actor, payload, now).number
