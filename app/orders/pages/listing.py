"""The list of orders with the form that logs one, and the quotes that are kept beside."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.budget.queries import warning
from app.errors import AppError, Closed, Conflict, Malformed
from app.orders.commands import Logged, OrderDiffers, log_order, log_quote
from app.orders.pages.contexts import OrdersPage, about_lot, lines_of
from app.orders.pages.entry import OrderEntry, is_rearranged, read_entry, typed
from app.orders.pages.filled_in import of_quote, prefilled
from app.orders.pages.lines import differences_said
from app.orders.pages.quoting import QuoteEntry, QuoteLine, quote_line, read_quote
from app.orders.pages.reading import View, view_of
from app.orders.rules import NewOrder, quote_difference, read_amount
from app.orders.rules.lot_cards import LotCard
from app.texts import Text, text
from app.timeline.queries import lot_cards, timeline
from app.units import CURRENCIES, Money, zone
from app.web import Form, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}/orders")

Typed = Annotated[Form, Depends(read_form)]


@router.get("")
def show_orders(
    request: Request,
    campaign_id: str,
    lot: str = "",
    quote: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """All orders, and a form filled in from the plan's next unfilled lot, the one named, or a
    quote."""
    view = view_of(request, campaign_id)
    named = next((one for one in view.open_lots if one.id == lot), None)
    chosen = named or (view.open_lots[0] if view.open_lots else None)
    entry = prefilled(chosen, view.open_lots, view.frame.zone, view.currency, clock.now())
    quoted = view.quote(quote)
    if quoted is not None:
        entry = of_quote(quoted, entry)
    return orders_page(request, view, entry)


@router.post("")
def log(request: Request, campaign_id: str, form: Typed) -> Response:
    """Log an order as it was typed."""
    actor, now, view = person(request), clock.now(), view_of(request, campaign_id)
    view.refuse_closed()
    if is_rearranged(form):
        return orders_page(request, view, typed(form.values, view.open_lots, view.frame.zone))
    entry, new = read_entry(form, view.open_lots, view.frame.zone)
    if new is None:
        return orders_page(request, view, entry, status=422)
    try:
        logged: Logged = request.app.state.db.write(
            campaign_id, lambda tx: log_order(tx, campaign_id, new, actor=actor, now=now)
        )
    except OrderDiffers as refusal:
        href = f"/campaigns/{campaign_id}/orders/{refusal.order.number}/correct"
        return orders_page(request, view, entry, conflict=(refusal.detail, href), status=409)
    except (Malformed, Conflict) as refusal:
        take(entry, refusal)
        return orders_page(request, view, entry, status=refusal.status)
    said = said_of(view_of(request, campaign_id), logged, new)
    if logged.is_new:
        with request.app.state.db.read() as session:
            warned = warning(session, campaign_id, Money(0, new.currency))
        said = text("{said} {warning}", said=said, warning=warned) if warned else said
    return redirect(request, f"/campaigns/{campaign_id}/orders", said)


@router.post("/quotes")
def quote(request: Request, campaign_id: str, form: Typed) -> Response:
    """Keep a quote as it was typed."""
    actor, now, view = person(request), clock.now(), view_of(request, campaign_id)
    view.refuse_closed()
    entry, new = read_quote(form, view.frame.zone, view.currency)
    if new is None:
        return _quote_refused(request, view, entry, 422)
    try:
        logged: Logged = request.app.state.db.write(
            campaign_id, lambda tx: log_quote(tx, campaign_id, new, actor=actor, now=now)
        )
    except Malformed as refusal:
        entry.take(refusal)
        return _quote_refused(request, view, entry, refusal.status)
    said = text("The quote of {provider} is kept.", provider=new.provider)
    if not logged.is_new:
        said = text("The quote of {provider} was kept before.", provider=new.provider)
    return redirect(request, f"/campaigns/{campaign_id}/orders", said)


def _quote_refused(request: Request, view: View, entry: QuoteEntry, status: int) -> Response:
    lot = view.open_lots[0] if view.open_lots else None
    order = prefilled(lot, view.open_lots, view.frame.zone, view.currency, clock.now())
    return orders_page(request, view, order, quote_entry=entry, status=status)


def take(entry: OrderEntry, refusal: AppError) -> None:
    """What a command refused, at its field; a closed campaign is no field's fault."""
    if isinstance(refusal, Closed):
        raise refusal
    entry.take(refusal)


def said_of(view: View, logged: Logged, new: NewOrder) -> Text:
    """What is said once an order was logged: which lot it fills, and how it differs from its
    quote."""
    order = view.order(logged.number)
    if not logged.is_new:
        return text("Order {reference} was logged before.", reference=order.reference)
    fills = tuple(lot.planned_lot for lot in order.lots if lot.planned_lot is not None)
    said = text("Order {reference} is logged, as an extra lot.", reference=order.reference)
    if fills:
        said = text(
            "Order {reference} is logged. It fills {lot}.",
            reference=order.reference,
            lot=fills[0] if len(fills) == 1 else fills,
        )
    quoted = view.quote(new.quote) if new.quote is not None else None
    found = quote_difference(quoted, order) if quoted is not None else ()
    if not found:
        return said
    differs = differences_said(found, order.currency)
    return text("{said} It differs from its quote: {differs}.", said=said, differs=differs)


def orders_page(
    request: Request,
    view: View,
    entry: OrderEntry,
    *,
    conflict: tuple[Text, str] | None = None,
    quote_entry: QuoteEntry | None = None,
    status: int = 200,
) -> Response:
    """The list of orders around a form as it stands."""
    lot = next((lot for lot in view.open_lots if lot.id == entry.get("lot")), None)
    base, now = f"/campaigns/{view.frame.id}/orders", clock.now()
    shown = entry.errors or conflict or entry.get("quote") or entry.further
    context = OrdersPage(
        action=base,
        orders=lines_of(view, now),
        entry=None if view.is_closed else entry,
        heading=_heading(view, lot.id if lot else None, entry),
        about=about_lot(lot) if lot else None,
        is_folded=bool(view.orders) and not view.open_lots and not shown,
        other_lots=tuple(
            (one.id, f"{base}?lot={one.id}") for one in view.open_lots if one is not lot
        ),
        quotes=_quote_lines(view),
        quote_entry=None
        if view.is_closed
        else quote_entry or QuoteEntry(view.frame.zone, view.currency),
        lots=_lots(request, view, now),
        quoted=_quoted(view, entry),
        warning=None if view.is_closed else _warning(request, view, entry),
        conflict=conflict[0] if conflict else None,
        conflict_href=conflict[1] if conflict else None,
    )
    return page(request, "orders/index.html", context, frame=view.frame, status=status)


def _lots(request: Request, view: View, now: datetime) -> tuple[LotCard, ...]:
    """The rented lots with their hours."""
    with request.app.state.db.read() as session:
        seen = timeline(session, view.frame.id, now)
        return lot_cards(session, seen) if seen is not None else ()


def _heading(view: View, lot: str | None, entry: OrderEntry) -> Text:
    if entry.get("quote"):
        return text("Log the order made from the quote of {provider}",
                    provider=entry.get("provider"))  # fmt: skip
    if lot is not None:
        return text("Log the order for {lot}", lot=lot)
    return text("Log another order") if view.orders else text("Log an order")


def _quote_lines(view: View) -> tuple[QuoteLine, ...]:
    today = clock.now().astimezone(zone(view.frame.zone)).date()
    return tuple(
        quote_line(quote, view.frame.id, view.orders, today, view.is_closed)
        for quote in reversed(view.quotes)
    )


def _warning(request: Request, view: View, entry: OrderEntry) -> Text | None:
    """What the budget says before this order; nothing while no price can be spoken of."""
    currency, typed_price = entry.get("price_currency"), entry.get("price")
    minor = read_amount(typed_price, currency, entry.get("price_reading")).minor
    if currency not in CURRENCIES or (minor is None and (typed_price or not entry.get("lot"))):
        return None
    more = currency if minor is None else Money(minor, currency)
    with request.app.state.db.read() as session:
        return warning(session, view.frame.id, more)


def _quoted(view: View, entry: OrderEntry) -> tuple[Text, ...] | None:
    """How the form as typed differs from its quote; None without a quote, or while a field is
    not understood."""
    number = entry.get("quote")
    quoted = view.quote(int(number)) if number.isdecimal() else None
    if quoted is None:
        return None
    _, new = read_entry(Form({**entry.values, "reference": "-"}), view.open_lots, entry.zone)
    return None if new is None else differences_said(quote_difference(quoted, new), new.currency)
