"""Logging an order, and correcting one by reversing it and logging what it should have said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.journal import Actor, append
from app.offers.queries import catalogue
from app.orders.commands.change import append_reversal
from app.orders.commands.refusals import (
    Logged,
    OrderDiffers,
    refuse,
    reversed_before,
    unknown_order,
)
from app.orders.queries import orders_of, planned_lots
from app.orders.rules import (
    Filling,
    NewOrder,
    Order,
    Problem,
    differences,
    fill,
    find_same,
    problems,
    reason_problem,
)
from app.texts import text
from app.units import instant_text


def log_order(
    tx: WriteSession, campaign_id: str, new: NewOrder, *, actor: Actor, now: datetime
) -> Logged | AppError:
    """Log an order; the identical order again is the same one, a different one a conflict."""
    refuse_closed(tx, campaign_id)
    if found := problems(new):
        return refuse(found)
    known = orders_of(tx.orm, campaign_id)
    same = find_same(known, new)
    if same is not None:
        differing = differences(same, new)
        return OrderDiffers(same, differing) if differing else Logged(same.number, False)
    payload = _payload(tx, campaign_id, new, known)
    if isinstance(payload, AppError):
        return payload
    entry = append(tx, campaign_id, "order.logged", actor, payload, now)
    return Logged(entry.number, True)


def correct_order(
    tx: WriteSession,
    campaign_id: str,
    number: int,
    new: NewOrder,
    reason: str,
    *,
    actor: Actor,
    now: datetime,
) -> Logged | AppError:
    """Reverse an order and log what it should have said, in one step with one reason."""
    refuse_closed(tx, campaign_id)
    if found := [p for p in (*problems(new), reason_problem(reason)) if p is not None]:
        return refuse(found)
    known = orders_of(tx.orm, campaign_id)
    order = next((order for order in known if order.number == number), None)
    if order is None:
        return unknown_order(number)
    refusal = _refuse_correction(order, new, known)
    if refusal is not None:
        return refusal
    others = tuple(other for other in known if other.number != number)
    payload = _payload(tx, campaign_id, new, others, replaces=number)
    if isinstance(payload, AppError):
        return payload
    append_reversal(tx, campaign_id, order, reason, actor=actor, now=now)
    entry = append(tx, campaign_id, "order.logged", actor, payload, now)
    return Logged(entry.number, True)


def _refuse_correction(order: Order, new: NewOrder, known: Iterable[Order]) -> AppError | None:
    if not order.is_active:
        return reversed_before(order)
    if order.refunds:
        return Conflict(
            text(
                "Order {reference} has refunds. Reverse it and log it anew with them.",
                reference=order.reference,
            )
        )
    same = find_same((other for other in known if other.number != order.number), new)
    if same is not None:
        return Conflict(
            text("Order {reference} is in the record already.", reference=same.reference),
            field="reference",
            order=same.number,
        )
    kept = order.provider == new.provider and order.reference == new.reference
    if kept and not differences(order, new):
        return Conflict(text("Nothing differs from the order as it is logged."))
    return None


def _payload(
    tx: WriteSession,
    campaign_id: str,
    new: NewOrder,
    others: Iterable[Order],
    replaces: int | None = None,
) -> dict[str, object] | AppError:
    """The journal's content for an order beside the other ones in force."""
    planned = planned_lots(tx.orm, campaign_id)
    filled = {lot.planned_lot for other in others if other.is_active for lot in other.lots}
    taken = {id_ for id_ in filled if id_ is not None}
    filling = fill(new, planned.lots, taken, catalogue(tx.orm))
    if isinstance(filling, Problem):
        if filling.field == "lot" and any(lot.id == new.lot for lot in planned.lots):
            return Conflict(filling.text, field="lot", allowed=filling.allowed)
        return refuse([filling])
    return {
        "provider": new.provider,
        "account": new.account,
        "reference": new.reference,
        "price_minor": new.price_minor,
        "price_typed": new.price_typed,
        "currency": new.currency,
        "note": new.note,
        "plan_version": planned.version,
        "replaces": replaces,
        "offer": asdict(filling.offer) if filling.offer else None,
        "lots": [_lot_payload(new, filling)],
    }


def _lot_payload(new: NewOrder, filling: Filling) -> dict[str, object]:
    return {
        "planned_lot": filling.planned_lot,
        "gpus": filling.gpus,
        "gpu": filling.gpu,
        "starts_at": instant_text(new.starts_at),
        "ends_at": instant_text(new.ends_at),
        "usable_until": instant_text(new.usable_until or new.ends_at),
    }
