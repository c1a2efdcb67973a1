"""What the pages of orders show, computed before the template."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app.orders.pages.change import RefundEntry
from app.orders.pages.entry import OrderEntry
from app.orders.rules import REVERSAL, Fillable, OfferSnapshot, Order, OrderChange, OrderedLot
from app.texts import Text, ntext, text
from app.units import HOUR_S, Duration, Money, Span


@dataclass(frozen=True, slots=True)
class LotLine:
    """A rented lot: its window, its GPUs and which planned lot it fills."""

    starts_at: datetime
    ends_at: datetime
    length: Duration
    usable_until: datetime | None
    gpus: Text
    fills: Text


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A row of an order's arithmetic; `amount` None is not known."""

    what: Text
    amount: Money | None
    reason: str
    at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class OrderLine:
    """An order in the list and on its own page."""

    number: int
    href: str
    reference: str
    provider: str
    account: str | None
    note: str | None
    is_active: bool
    lots: tuple[LotLine, ...]
    price: Money | None
    net: Money | None
    remarks: tuple[Text, ...]
    changes: tuple[ChangeLine, ...]
    logged_at: datetime
    logged_by: str
    offer: tuple[object, ...] | None
    source: str | None


@dataclass(frozen=True, slots=True)
class OrdersPage:
    """The list with its form; `entry` is None after the close."""

    action: str
    orders: tuple[OrderLine, ...]
    entry: OrderEntry | None
    heading: Text
    about: Text | None
    is_folded: bool
    other_lots: tuple[tuple[str, str], ...]
    conflict: Text | None = None
    conflict_href: str | None = None


@dataclass(frozen=True, slots=True)
class OrderPage:
    """One order with what can be done to it; `can_change` is false once reversed or closed."""

    order: OrderLine
    back: str
    can_change: bool
    can_correct: bool
    can_refund: bool
    refund: RefundEntry
    reason: str
    reason_error: Text | None


@dataclass(frozen=True, slots=True)
class CorrectionPage:
    """The form that reverses an order and logs what it should have said."""

    order: OrderLine
    action: str
    entry: OrderEntry


def order_line(order: Order, campaign_id: str, others: Iterable[Order]) -> OrderLine:
    """An order as the pages show it, beside the other orders of its campaign."""
    net = order.net_minor
    return OrderLine(
        number=order.number,
        href=f"/campaigns/{campaign_id}/orders/{order.number}",
        reference=order.reference,
        provider=order.provider,
        account=order.account,
        note=order.note,
        is_active=order.is_active,
        lots=tuple(_lot_line(lot) for lot in order.lots),
        price=_money(order.price_minor, order.currency),
        net=_money(net, order.currency),
        remarks=tuple(_remarks(order, others)),
        changes=tuple(_change_line(change, order.currency) for change in order.changes),
        logged_at=order.logged_at,
        logged_by=order.logged_by,
        offer=_offer_parts(order.offer) if order.offer else None,
        source=order.offer.source if order.offer else None,
    )


def about_lot(lot: Fillable) -> Text:
    """What the plan says of a lot, in one line; what nobody stated is left out."""
    count = None if lot.gpus is None else ntext("{n} GPU", "{n} GPUs", lot.gpus)
    length = None if lot.hours is None else Duration(lot.hours * HOUR_S)
    price = _money(lot.price_minor, lot.currency)
    parts = tuple(part for part in (lot.gpu, count, length, price) if part is not None)
    return text("By plan: {parts}", parts=parts) if parts else text("As the plan names it")


def _money(minor: int | None, currency: str | None) -> Money | None:
    return None if minor is None or currency is None else Money(minor, currency)


def _lot_line(lot: OrderedLot) -> LotLine:
    count = text("number not stated")
    if lot.gpus is not None:
        count = ntext("{n} GPU", "{n} GPUs", lot.gpus)
    gpus = text("{gpu}, {count}", gpu=lot.gpu, count=count) if lot.gpu else count
    fills = text("extra lot")
    if lot.planned_lot is not None:
        fills = text("fills {lot}", lot=lot.planned_lot)
    return LotLine(
        lot.starts_at,
        lot.ends_at,
        Duration(Span(lot.starts_at, lot.ends_at).seconds),
        lot.usable_until if lot.usable_until != lot.ends_at else None,
        gpus,
        fills,
    )


def _remarks(order: Order, others: Iterable[Order]) -> Iterable[Text]:
    if order.before_seal:
        yield text("Logged before the seal")
    for other in others:
        if other.replaces == order.number:
            yield text("Corrected by the order {reference}", reference=_named(other, order))
        if other.number == order.replaces:
            yield text("Corrects the order {reference}", reference=_named(other, order))
    for change in order.changes:
        if change.kind == REVERSAL:
            yield text("Reversed: {reason}", reason=change.reason)
        elif change.amount_minor is not None:
            amount = Money(-change.amount_minor, order.currency)
            yield text("Refund of {amount}: {reason}", amount=amount, reason=change.reason)


def _named(other: Order, order: Order) -> str:
    """Its reference, with its number where both carry the same one."""
    if other.reference == order.reference:
        return f"{other.reference} (#{other.number})"
    return other.reference


def _change_line(change: OrderChange, currency: str) -> ChangeLine:
    if change.kind == REVERSAL:
        what = text("Reversal")
    elif change.on is not None:
        what = text("Refund of {day}", day=change.on)
    else:
        what = text("Refund")
    amount = _money(change.amount_minor, currency)
    return ChangeLine(what, amount, change.reason, change.logged_at, change.logged_by)


def _offer_parts(offer: OfferSnapshot) -> tuple[object, ...]:
    """The catalogue line as it was: who, which GPU, how many, how long, its price then."""
    length = None if offer.hours is None else Duration(offer.hours * HOUR_S)
    price = _money(offer.price_minor, offer.currency) or text("price not known")
    named = f"{offer.provider} {offer.gpu}"
    parts = (named, ntext("{n} GPU", "{n} GPUs", offer.gpus), length, price)
    return tuple(part for part in parts if part is not None)
