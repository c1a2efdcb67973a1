"""An order as scripts read it: amounts and instants as text, unknown as null."""

from __future__ import annotations

from app.orders.rules.records import OfferSnapshot, Order, OrderChange, OrderedLot
from app.units import amount_text, instant_text


def as_json(order: Order) -> dict[str, object]:
    """One item of `GET …/orders`."""
    return {
        "number": order.number,
        "provider": order.provider,
        "account": order.account,
        "reference": order.reference,
        "price": _amount(order.price_minor, order.currency),
        "currency": order.currency,
        "net": _amount(order.net_minor, order.currency),
        "state": "active" if order.is_active else "reversed",
        "before_seal": order.before_seal,
        "replaces": order.replaces,
        "note": order.note,
        "lots": [_lot(lot) for lot in order.lots],
        "changes": [_change(change, order.currency) for change in order.changes],
        "offer": _offer(order.offer) if order.offer else None,
        "logged_at": instant_text(order.logged_at),
        "logged_by": order.logged_by,
    }


def _lot(lot: OrderedLot) -> dict[str, object]:
    return {
        "id": lot.id,
        "fills": lot.planned_lot,
        "gpus": lot.gpus,
        "gpu": lot.gpu,
        "starts_at": instant_text(lot.starts_at),
        "ends_at": instant_text(lot.ends_at),
        "usable_until": instant_text(lot.usable_until),
    }


def _change(change: OrderChange, currency: str) -> dict[str, object]:
    return {
        "number": change.number,
        "kind": change.kind,
        "amount": _amount(change.amount_minor, currency),
        "on": change.on.isoformat() if change.on else None,
        "reason": change.reason,
        "logged_at": instant_text(change.logged_at),
        "logged_by": change.logged_by,
    }


def _offer(offer: OfferSnapshot) -> dict[str, object]:
    price = offer.price_minor
    return {
        "id": offer.id,
        "provider": offer.provider,
        "gpu": offer.gpu,
        "gpus": offer.gpus,
        "hours": offer.hours,
        "price": _amount(price, offer.currency or ""),
        "currency": offer.currency,
        "source": offer.source,
    }


def _amount(minor: int | None, currency: str) -> str | None:
    return None if minor is None else amount_text(minor, currency)
