"""Orders and quotes as scripts read them: amounts and instants as text, unknown as null."""

from __future__ import annotations

from datetime import date, datetime

from app.orders.rules.quoting import Quote, quote_difference
from app.orders.rules.records import OfferSnapshot, Order, OrderChange, OrderedLot
from app.orders.rules.sameness import Difference
from app.orders.rules.standing import LedgerRow, contributes, status
from app.units import amount_text, instant_text


def as_json(order: Order, now: datetime, quote: Quote | None = None) -> dict[str, object]:
    """One item of `GET …/orders` at an instant; `quote` is the one that it names."""
    why = contributes(order)[1]
    source = order.source
    return {
        "number": order.number,
        "provider": order.provider,
        "account": order.account,
        "reference": order.reference,
        "price": _amount(order.price_minor, order.currency),
        "price_now": _amount(order.price_now_minor, order.currency),
        "currency": order.currency,
        "net": _amount(order.net_minor, order.currency),
        "net_reason": None if why is None else str(why),
        "state": "active" if order.is_active else "reversed",
        "status": status(order, now),
        "before_seal": order.before_seal,
        "replaces": order.replaces,
        "ordered_at": _instant(order.ordered_at),
        "link": order.link,
        "note": order.note,
        "quote": order.quote,
        "quote_difference": differences_as_json(quote_difference(quote, order), order.currency)
        if quote else [],
        "source": {"way": source.way, "sha256": source.sha256} if source else None,
        "lots": [_lot(lot) for lot in order.lots],
        "changes": [_change(change, order) for change in order.changes],
        "offer": _offer(order.offer) if order.offer else None,
        "logged_at": instant_text(order.logged_at),
        "logged_by": order.logged_by,
    }  # fmt: skip


def quote_as_json(quote: Quote, orders: tuple[int, ...], today: date) -> dict[str, object]:
    """One item of `GET …/orders/quotes`; `orders` are the numbers of those made from it."""
    said = quote.said
    return {
        "number": quote.number,
        "provider": said.provider,
        "price": _amount(said.price_minor, said.currency),
        "currency": said.currency,
        "gpu": said.gpu,
        "gpus": said.gpus,
        "starts_at": _instant(said.starts_at),
        "ends_at": _instant(said.ends_at),
        "hours": said.hours,
        "valid_until": said.valid_until.isoformat() if said.valid_until else None,
        "is_over": quote.is_over(today),
        "note": said.note,
        "link": said.link,
        "status": "ordered" if orders else "quoted",
        "orders": list(orders),
        "logged_at": instant_text(quote.logged_at),
        "logged_by": quote.logged_by,
    }


def ledger_as_json(row: LedgerRow) -> dict[str, object]:
    """One item of `GET …/orders/ledger`."""
    total, currency = row.total, row.total.currency
    return {
        "number": row.number,
        "order": row.order,
        "kind": row.kind,
        "reference": row.reference,
        "amount": _amount(row.amount_minor, currency),
        "currency": currency,
        "total": amount_text(total.known_minor, currency),
        "unpriced": total.unpriced,
        "after_close": row.after_close,
        "logged_at": instant_text(row.logged_at),
        "logged_by": row.logged_by,
    }


def differences_as_json(found: tuple[Difference, ...], currency: str) -> list[dict[str, object]]:
    """Differences as the API writes them, under the names of its fields."""
    return [
        {
            "field": one.field,
            "recorded": _plain(one.field, one.recorded, currency),
            "sent": _plain(one.field, one.said, currency),
        }
        for one in found
    ]


def _plain(field: str, value: object, currency: str) -> object:
    if field == "price" and isinstance(value, int):
        return amount_text(value, currency)
    return instant_text(value) if isinstance(value, datetime) else value


def _lot(lot: OrderedLot) -> dict[str, object]:
    return {
        "id": lot.id,
        "fills": lot.planned_lot,
        "gpus": lot.gpus,
        "gpu": lot.gpu,
        "memory_gib": lot.memory_gib,
        "starts_at": instant_text(lot.starts_at),
        "ends_at": instant_text(lot.ends_at),
        "usable_until": instant_text(lot.usable_until),
        "start_basis": lot.start_basis,
        "end_policy": lot.end_policy,
        "data_deleted_at": _instant(lot.data_deleted_at),
        "auto_renew": lot.auto_renew,
    }


def _change(change: OrderChange, order: Order) -> dict[str, object]:
    lots = order.lots
    return {
        "number": change.number,
        "kind": change.kind,
        "amount": _amount(change.amount_minor, order.currency),
        "on": change.on.isoformat() if change.on else None,
        "reason": change.reason,
        "lot": None if change.lot is None else lots[change.lot].id,
        "ends_at": _instant(change.ends_at),
        "usable_until": _instant(change.usable_until),
        "at": _instant(change.at),
        "extension": change.of,
        "after_close": change.after_close,
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


def _instant(at: datetime | None) -> str | None:
    return None if at is None else instant_text(at)
