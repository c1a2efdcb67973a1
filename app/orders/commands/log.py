"""Logging an order, and correcting one: a price by a row, other facts by an order in its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.journal import Actor, append
from app.offers.queries import catalogue
from app.orders.commands.change import append_change
from app.orders.commands.refusals import (
    Logged,
    OrderDiffers,
    refuse,
    reversed_before,
    unknown_order,
)
from app.orders.queries import orders_of, planned_lots, quotes_of
from app.orders.rules import (
    CORRECTION,
    PRICE,
    REVERSAL,
    USABLE_UNTIL,
    Filling,
    NewChange,
    NewLot,
    NewOrder,
    Order,
    Problem,
    change_problem,
    corrections,
    differences,
    fill,
    find_same,
    problems,
    reason_problem,
    same_change,
)
from app.texts import text
from app.units import instant_text

_CARRIED = (CORRECTION, PRICE, USABLE_UNTIL)
"""Changes that an order in place of another one says by itself."""


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
    """Bring an order to what it should have said, in one step with one reason.

    Where only the price is other it is a row with the difference; else the order is reversed
    and the right one logged. `Logged` names the order that holds from then on.
    """
    refuse_closed(tx, campaign_id)
    if found := [p for p in (*problems(new), reason_problem(reason)) if p is not None]:
        return refuse(found)
    known = orders_of(tx.orm, campaign_id)
    order = next((order for order in known if order.number == number), None)
    if order is None:
        return unknown_order(number)
    row = _price_row(order, new, reason)
    if row is not None:
        return _change_price(tx, campaign_id, order, row, actor, now)
    refusal = _refuse_correction(order, new, known)
    if refusal is not None:
        return refusal
    others = tuple(other for other in known if other.number != number)
    payload = _payload(tx, campaign_id, new, others, replaces=number)
    if isinstance(payload, AppError):
        return payload
    taken_back = NewChange(REVERSAL, reason)
    append_change(tx, campaign_id, order, taken_back, actor=actor, now=now)
    entry = append(tx, campaign_id, "order.logged", actor, payload, now)
    return Logged(entry.number, True)


def _price_row(order: Order, new: NewOrder, reason: str) -> NewChange | None:
    """The change that says the right price, where nothing but the price is other."""
    same_names = order.provider == new.provider and order.reference == new.reference
    fields = {difference.field for difference in corrections(order, new)}
    if new.price_minor is None or not same_names or not fields <= {"price"}:
        return None
    first = order.price_now_minor is None
    return NewChange(PRICE if first else CORRECTION, reason, new.price_minor)


def _change_price(
    tx: WriteSession, campaign_id: str, order: Order, row: NewChange, actor: Actor, now: datetime
) -> Logged | AppError:
    if not order.is_active:
        return reversed_before(order)
    if same_change(order, row) is not None:
        return Logged(order.number, False)
    if order.price_now_minor == row.amount_minor:
        return Conflict(text("Nothing differs from the order as it is logged."))
    problem = change_problem(order, row)
    if problem is not None:
        return Conflict(problem.text, field=problem.field)
    append_change(tx, campaign_id, order, row, actor=actor, now=now)
    return Logged(order.number, True)


def _refuse_correction(order: Order, new: NewOrder, known: Iterable[Order]) -> AppError | None:
    if not order.is_active:
        return reversed_before(order)
    if any(change.kind not in _CARRIED for change in order.changes):
        return Conflict(
            text(
                "Order {reference} was changed since it was logged (a refund, an extension, a"
                " cancellation). Reverse it and log it anew with them.",
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
    if kept and not corrections(order, new):
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
    filled = {lot.planned_lot for other in others if other.in_force for lot in other.lots}
    taken = {id_ for id_ in filled if id_ is not None}
    if new.quote is not None:
        numbers = tuple(str(quote.number) for quote in quotes_of(tx.orm, campaign_id))
        if str(new.quote) not in numbers:
            said = text("There is no quote {number} in this campaign.", number=str(new.quote))
            return refuse([Problem("quote", said, numbers)])
    fillings = fill(new, planned.lots, taken, catalogue(tx.orm))
    if isinstance(fillings, Problem):
        named = {lot.lot for lot in new.lots if lot.lot is not None}
        if fillings.field.endswith("lot") and named <= {lot.id for lot in planned.lots}:
            return Conflict(fillings.text, field=fillings.field, allowed=fillings.allowed)
        return refuse([fillings])
    offer = fillings[0].offer
    return {
        "provider": new.provider,
        "account": new.account,
        "reference": new.reference,
        "price_minor": new.price_minor,
        "price_typed": new.price_typed,
        "currency": new.currency,
        "ordered_at": _instant(new.ordered_at),
        "link": new.link,
        "note": new.note,
        "plan_version": planned.version,
        "replaces": replaces,
        "offer": asdict(offer) if offer else None,
        "quote": new.quote,
        "source": asdict(new.source) if new.source else None,
        "lots": [_lot_payload(*pair) for pair in zip(new.lots, fillings, strict=True)],
    }


def _lot_payload(new: NewLot, filling: Filling) -> dict[str, object]:
    return {
        "planned_lot": filling.planned_lot,
        "gpus": filling.gpus,
        "gpu": filling.gpu,
        "memory_gib": new.memory_gib,
        "starts_at": instant_text(new.starts_at),
        "ends_at": instant_text(new.ends_at),
        "usable_until": instant_text(new.usable_until or new.ends_at),
        "start_basis": new.start_basis,
        "end_policy": new.end_policy,
        "data_deleted_at": _instant(new.data_deleted_at),
        "auto_renew": new.auto_renew,
    }


def _instant(at: datetime | None) -> str | None:
    return None if at is None else instant_text(at)
