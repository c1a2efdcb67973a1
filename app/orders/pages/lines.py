"""An order, its lots and its rows as the pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.orders.pages.words import CHANGE_NAMES, END_POLICIES, RENEWS, START_BASES, TONES, WAY_NAMES
from app.orders.rules import (
    CANCELLATION,
    CREDIT,
    EXTENSION,
    PAYMENT_FAILED,
    REFUND,
    REVERSAL,
    STATUS_NAMES,
    USABLE_UNTIL,
    Difference,
    OfferSnapshot,
    Order,
    OrderChange,
    OrderedLot,
    Quote,
    contributes,
    quote_difference,
    status,
)
from app.texts import Text, ntext, text
from app.units import HOUR_S, Duration, Money, Span


@dataclass(frozen=True, slots=True)
class LotLine:
    """A rented lot as it stands: its window, its GPUs, what happens at its end."""

    id: str
    starts_at: datetime
    ends_at: datetime
    length: Duration
    usable_until: datetime | None
    gpus: Text
    fills: Text
    start: Text | None
    end: Text | None
    deleted: datetime | Text
    renews: Text | None
    warning: bool


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A row of an order's arithmetic; `moved` is what it says of a window."""

    what: Text
    moved: Text | None
    amount: Money | Text
    reason: str
    at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class OrderLine:
    """An order in the list and on its own page; `why` says why it counts as 0 or is not known.

    `at_least` is the known part of what it counts as, where an amount is missing.
    """

    number: int
    href: str
    reference: str
    provider: str
    account: str | None
    note: str | None
    link: str | None
    is_active: bool
    status: Text
    tone: str
    lots: tuple[LotLine, ...]
    price: Money | None
    net: Money | None
    at_least: Money | None
    net_note: Text | None
    why: Text | None
    remarks: tuple[Text, ...]
    changes: tuple[ChangeLine, ...]
    ordered_at: datetime | None
    logged_at: datetime
    logged_by: str
    way: Text | None
    offer: tuple[object, ...] | None
    source: str | None
    quote: tuple[Text, ...] | None


def order_line(
    order: Order,
    campaign_id: str,
    others: Iterable[Order],
    now: datetime,
    quotes: Sequence[Quote] = (),
) -> OrderLine:
    """An order as the pages show it at an instant, beside the other orders of its campaign."""
    standing, net = status(order, now), order.net_minor
    quote = next((one for one in quotes if one.number == order.quote), None)
    return OrderLine(
        number=order.number,
        href=f"/campaigns/{campaign_id}/orders/{order.number}",
        reference=order.reference,
        provider=order.provider,
        account=order.account,
        note=order.note,
        link=order.link,
        is_active=order.is_active,
        status=STATUS_NAMES[standing],
        tone=TONES.get(standing, "calm"),
        lots=tuple(_lot_line(lot) for lot in order.lots),
        price=money(order.price_minor, order.currency),
        net=money(net, order.currency),
        at_least=known_part(order),
        net_note=_net_note(order),
        why=contributes(order)[1],
        remarks=tuple(_remarks(order, others)),
        changes=tuple(_change_line(change, order) for change in order.changes),
        ordered_at=order.ordered_at,
        logged_at=order.logged_at,
        logged_by=order.logged_by,
        way=WAY_NAMES[order.source.way] if order.source else None,
        offer=_offer_parts(order.offer) if order.offer else None,
        source=order.offer.source if order.offer else None,
        quote=differences_said(quote_difference(quote, order), order.currency) if quote else None,
    )


def known_part(order: Order) -> Money | None:
    """What is known of an order's figure while the whole of it is not; None where nothing is."""
    if order.net_minor is not None or order.known_minor == 0:
        return None
    return Money(order.known_minor, order.currency)


def _net_note(order: Order) -> Text | None:
    """What the list says below the price, where the order counts as something else."""
    at_least, net = known_part(order), order.net_minor
    if at_least is not None:
        return text("counts as ≥ {amount}", amount=at_least)
    if net is None or net == order.price_minor:
        return None
    if not order.in_force:
        return text("counts as zero")
    return text("net {amount}", amount=Money(net, order.currency))


def money(minor: int | None, currency: str | None) -> Money | None:
    """An amount for a page, None where it is not known."""
    return None if minor is None or currency is None else Money(minor, currency)


def differences_said(found: Iterable[Difference], currency: str) -> tuple[Text, ...]:
    """Each difference in words: what was quoted, what it is."""
    return tuple(
        text(
            "{field}: quoted {quoted}, ordered {ordered}",
            field=one.name,
            quoted=_value(one.field, one.recorded, currency),
            ordered=_value(one.field, one.said, currency),
        )
        for one in found
    )


def _value(field: str, value: object, currency: str) -> object:
    if field == "price" and isinstance(value, int):
        return Money(value, currency)
    return value if isinstance(value, datetime | int) else str(value)


def _lot_line(lot: OrderedLot) -> LotLine:
    count = text("number not stated")
    if lot.gpus is not None:
        count = ntext("{n} GPU", "{n} GPUs", lot.gpus)
    gpus = text("{gpu}, {count}", gpu=lot.gpu, count=count) if lot.gpu else count
    if lot.memory_gib is not None:
        gpus = text("{gpus}, {memory} GiB", gpus=gpus, memory=lot.memory_gib)
    fills = text("extra lot")
    if lot.planned_lot is not None:
        fills = text("fills {lot}", lot=lot.planned_lot)
    return LotLine(
        lot.id,
        lot.starts_at,
        lot.ends_at,
        Duration(Span(lot.starts_at, lot.ends_at).seconds),
        lot.usable_until if lot.usable_until != lot.ends_at else None,
        gpus,
        fills,
        START_BASES.get(lot.start_basis or ""),
        END_POLICIES.get(lot.end_policy or ""),
        lot.data_deleted_at or text("not stated by the provider: treat as wiped at the end"),
        None if lot.auto_renew is None else RENEWS["yes" if lot.auto_renew else "no"],
        bool(lot.auto_renew) or lot.end_policy == "auto_renews",
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
        elif change.kind in (REFUND, CREDIT) and change.amount_minor is not None:
            amount = Money(-change.amount_minor, order.currency)
            if change.kind == REFUND:
                yield text("Refund of {amount}: {reason}", amount=amount, reason=change.reason)
            else:
                yield text("Credit of {amount}: {reason}", amount=amount, reason=change.reason)
        elif change.kind in (CANCELLATION, PAYMENT_FAILED, EXTENSION):
            named = CHANGE_NAMES[change.kind]
            yield text("{change}: {reason}", change=named, reason=change.reason)


def _named(other: Order, order: Order) -> str:
    """Its reference, with its number where both carry the same one."""
    if other.reference == order.reference:
        return f"{other.reference} (#{other.number})"
    return other.reference


def _change_line(change: OrderChange, order: Order) -> ChangeLine:
    what = CHANGE_NAMES[change.kind]
    if change.kind == REFUND and change.on is not None:
        what = text("Refund of {day}", day=change.on)
    elif change.kind == CREDIT and change.on is not None:
        what = text("Credit of {day}", day=change.on)
    amount: Money | Text = text("no amount")
    if change.amount_minor is not None:
        amount = Money(change.amount_minor, order.currency)
    elif change.kind == EXTENSION:
        amount = text("not known")
    elif change.kind == REVERSAL:
        amount = text("not counted")
    return ChangeLine(
        what, _moved(change, order), amount, change.reason, change.logged_at, change.logged_by
    )


def _moved(change: OrderChange, order: Order) -> Text | None:
    """What a row says of a window, or since when it holds; None where neither."""
    if change.after_close:
        return text("after the close")
    if change.kind == EXTENSION:
        return text("until {at}", at=change.ends_at)
    if change.kind == USABLE_UNTIL:
        return text("until {at}", at=change.usable_until)
    if change.kind in (CANCELLATION, PAYMENT_FAILED):
        return text("since {at}", at=change.at)
    return None


def _offer_parts(offer: OfferSnapshot) -> tuple[object, ...]:
    """The catalogue line as it was: who, which GPU, how many, how long, its price then."""
    length = None if offer.hours is None else Duration(offer.hours * HOUR_S)
    price = money(offer.price_minor, offer.currency) or text("price not known")
    named = f"{offer.provider} {offer.gpu}"
    parts = (named, ntext("{n} GPU", "{n} GPUs", offer.gpus), length, price)
    return tuple(part for part in parts if part is not None)
