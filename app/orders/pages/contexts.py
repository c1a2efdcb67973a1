"""What the pages of orders show, computed before the template."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.orders.pages.change import TITLES, ChangeEntry
from app.orders.pages.entry import OrderEntry
from app.orders.pages.lines import OrderLine, known_part, money, order_line
from app.orders.pages.quoting import QuoteEntry, QuoteLine
from app.orders.pages.reading import View
from app.orders.rules import Fillable, Order
from app.orders.rules.lot_cards import LotCard
from app.texts import Text, ntext, text
from app.units import HOUR_S, Duration, Money


@dataclass(frozen=True, slots=True)
class OrdersPage:
    """The list with its form; `entry` and `quote_entry` are None after the close.

    `quoted` is how the form differs from its quote, `warning` what the budget says before.
    """

    action: str
    orders: tuple[OrderLine, ...]
    entry: OrderEntry | None
    heading: Text
    about: Text | None
    is_folded: bool
    other_lots: tuple[tuple[str, str], ...]
    quotes: tuple[QuoteLine, ...]
    quote_entry: QuoteEntry | None
    lots: tuple[LotCard, ...]
    quoted: tuple[Text, ...] | None = None
    warning: Text | None = None
    conflict: Text | None = None
    conflict_href: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeForm:
    """One small form with its title; `preview` says what it would make of the total."""

    title: Text
    action: str
    id: str
    entry: ChangeEntry
    preview: Text | None
    extensions: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class OrderPage:
    """One order with what can be done to it; nothing once reversed, after the close only what
    came back."""

    order: OrderLine
    back: str
    is_closed: bool
    can_correct: bool
    can_reverse: bool
    changes: tuple[ChangeForm, ...]
    reason: str
    reason_error: Text | None


@dataclass(frozen=True, slots=True)
class CorrectionPage:
    """The form that brings an order to what it should have said."""

    order: OrderLine
    action: str
    entry: OrderEntry


def lines_of(view: View, now: datetime) -> tuple[OrderLine, ...]:
    """The orders of a campaign, the newest first."""
    return tuple(
        order_line(order, view.frame.id, view.orders, now, view.quotes)
        for order in reversed(view.orders)
    )


def change_form(entry: ChangeEntry, campaign_id: str) -> ChangeForm:
    """A small form, with what the change it says makes of the total."""
    order, preview = entry.order, None
    if entry.shown is not None:
        preview = text(
            "Nothing was saved yet. The order counts as {before}; with this change as {after}.",
            before=_figure(order),
            after=_figure(entry.shown),
        )
    return ChangeForm(
        title=TITLES[entry.act],
        action=f"/campaigns/{campaign_id}/orders/{order.number}/{entry.act}",
        id=entry.act,
        entry=entry,
        preview=preview,
        extensions=_extensions(order),
    )


def _figure(order: Order) -> Money | Text:
    """What an order counts as, or at least, or that it is not known."""
    at_least = known_part(order)
    if at_least is not None:
        return text("≥ {amount}", amount=at_least)
    return money(order.net_minor, order.currency) or text("not known")


def _extensions(order: Order) -> tuple[tuple[str, Text], ...]:
    """What a price may belong to, where extensions have none; empty where there is no choice."""
    rows = order.unpriced_extensions
    if not rows:
        return ()
    own: list[tuple[str, Text]] = []
    if order.price_now_minor is None:
        own.append(("", text("the order")))
    return (*own, *((str(row.number), text("the extension until {at}", at=row.ends_at))
                    for row in rows))  # fmt: skip


def about_lot(lot: Fillable) -> Text:
    """What the plan says of a lot, in one line; what nobody stated is left out."""
    count = None if lot.gpus is None else ntext("{n} GPU", "{n} GPUs", lot.gpus)
    length = None if lot.hours is None else Duration(lot.hours * HOUR_S)
    price = money(lot.price_minor, lot.currency)
    parts = tuple(part for part in (lot.gpu, count, length, price) if part is not None)
    return text("By plan: {parts}", parts=parts) if parts else text("As the plan names it")
