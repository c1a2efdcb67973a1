"""What an order form says before anybody typed: from the plan's next lot, an order or a quote."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.orders.pages.entry import EXTRA, OrderEntry, ask, lot_options, planned_hours
from app.orders.rules import (
    Fillable,
    Order,
    OrderedLot,
    Quote,
    fold_of,
    local_text,
    read_local,
)
from app.units import HOUR_S, add, amount_text


def prefilled(
    lot: Fillable | None, open_lots: Sequence[Fillable], zone: str, currency: str, now: datetime
) -> OrderEntry:
    """A form that says what the plan says of its next lot; the start is now where none is planned.

    Without any lot to fill only the currency is known.
    """
    values = {"price_currency": currency}
    if lot is None:
        return OrderEntry(zone, lot_options(open_lots), values)
    starts_at = lot.starts_at or now.replace(second=0, microsecond=0)
    ends_at = lot.ends_at or (add(starts_at, lot.hours * HOUR_S) if lot.hours else None)
    values |= _moments(zone, starts=starts_at, ends=ends_at)
    values |= {"provider": lot.provider or "", "lot": lot.id}
    if lot.price_minor is not None and lot.currency is not None:
        values["price"] = amount_text(lot.price_minor, lot.currency)
        values["price_currency"] = lot.currency
    entry = OrderEntry(
        zone, lot_options(open_lots), values, planned_hours(lot), lot.starts_at is None
    )
    _keep_folds(entry)
    return entry


def of_quote(quote: Quote, entry: OrderEntry) -> OrderEntry:
    """The same form with what a quote says in place of the plan; what it leaves open stays."""
    said, values = quote.said, entry.values
    values |= {"quote": str(quote.number), "provider": said.provider}
    values["price"] = ""
    values["price_currency"] = said.currency
    if said.price_minor is not None:
        values["price"] = amount_text(said.price_minor, said.currency)
    values |= {"gpus": str(said.gpus)} if said.gpus else {}
    values |= {"gpu": said.gpu} if said.gpu else {}
    values |= {"link": said.link} if said.link else {}
    starts_at, ends_at = said.starts_at, said.window_ends_at
    if starts_at is None and said.hours is not None:
        known = read_local(entry.get("starts"), entry.zone, entry.get("starts_fold")).at
        ends_at = add(known, said.hours * HOUR_S) if known else None
    if starts_at is not None:
        entry.proposed_start = False
    values |= _moments(entry.zone, starts=starts_at, ends=ends_at)
    _keep_folds(entry)
    return entry


def of_order(order: Order, open_lots: Sequence[Fillable], zone: str) -> OrderEntry:
    """A form that says what an order says as it stands, to be corrected."""
    price = order.price_now_minor
    values = {
        "provider": order.provider,
        "reference": order.reference,
        "price": "" if price is None else amount_text(price, order.currency),
        "price_currency": order.currency,
        "account": order.account or "",
        "link": order.link or "",
        "note": order.note or "",
        "quote": "" if order.quote is None else str(order.quote),
    } | _moments(zone, ordered=order.ordered_at)
    further = tuple(str(number) for number in range(len(order.lots) - 1))
    entry = OrderEntry(zone, lot_options(open_lots), values, further=further)
    for prefix, lot in zip(entry.prefixes, order.lots, strict=True):
        values |= {prefix + name: value for name, value in _lot_values(lot, zone).items()}
    _keep_folds(entry)
    return entry


def _lot_values(lot: OrderedLot, zone: str) -> dict[str, str]:
    usable = lot.usable_until if lot.usable_until != lot.ends_at else None
    renews = {True: "yes", False: "no", None: ""}[lot.auto_renew]
    return {
        "lot": lot.planned_lot or EXTRA,
        "gpus": "" if lot.gpus is None else str(lot.gpus),
        "gpu": lot.gpu or "",
        "memory": "" if lot.memory_gib is None else str(lot.memory_gib),
        "start_basis": lot.start_basis or "",
        "end_policy": lot.end_policy or "",
        "auto_renew": renews,
    } | _moments(
        zone,
        starts=lot.starts_at,
        ends=lot.ends_at,
        usable=usable,
        deleted=lot.data_deleted_at,
    )


def _moments(zone: str, **moments: datetime | None) -> dict[str, str]:
    """Local times for fields of these names, with which of two equal ones each is."""
    values: dict[str, str] = {}
    for name, at in moments.items():
        if at is not None:
            values |= {name: local_text(at, zone), f"{name}_fold": fold_of(at, zone)}
    return values


def _keep_folds(entry: OrderEntry) -> None:
    """Show which of two equal local times a prefilled one is."""
    for name, value in tuple(entry.values.items()):
        if name.endswith("_fold") and value:
            plain = name.removesuffix("_fold")
            ask(entry, plain, read_local(entry.get(plain), entry.zone).folds)
