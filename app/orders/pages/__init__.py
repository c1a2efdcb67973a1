"""The pages of orders: the list with its form, one order, and its correction."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.errors import AppError, Closed, Conflict, Malformed
from app.orders.commands import (
    Logged,
    OrderDiffers,
    correct_order,
    log_order,
    refund_order,
    reverse_order,
    reversed_before,
)
from app.orders.pages.change import RefundEntry, read_refund, refund_form
from app.orders.pages.contexts import (
    CorrectionPage,
    OrderPage,
    OrdersPage,
    about_lot,
    order_line,
)
from app.orders.pages.entry import OrderEntry, of_order, prefilled, read_entry
from app.orders.pages.reading import View, view_of
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}/orders", include_in_schema=False)

Typed = Annotated[Form, Depends(read_form)]


@router.get("")
def show_orders(request: Request, campaign_id: str, lot: str = "") -> Response:
    """All orders, and a form prefilled from the plan's next unfilled lot, or the one named."""
    view = view_of(request, campaign_id)
    named = next((one for one in view.open_lots if one.id == lot), None)
    chosen = named or (view.open_lots[0] if view.open_lots else None)
    entry = prefilled(chosen, view.open_lots, view.frame.zone, view.currency, clock.now())
    return _orders(request, view, entry)


@router.post("")
def log(request: Request, campaign_id: str, form: Typed) -> Response:
    """Log an order as it was typed."""
    actor, now, view = person(request), clock.now(), view_of(request, campaign_id)
    view.refuse_closed()
    entry, new = read_entry(form, view.open_lots, view.frame.zone)
    if new is None:
        return _orders(request, view, entry, status=422)
    try:
        logged: Logged = request.app.state.db.write(
            campaign_id, lambda tx: log_order(tx, campaign_id, new, actor=actor, now=now)
        )
    except OrderDiffers as refusal:
        href = f"/campaigns/{campaign_id}/orders/{refusal.order.number}/correct"
        return _orders(request, view, entry, conflict=(refusal.detail, href), status=409)
    except (Malformed, Conflict) as refusal:
        _take(entry, refusal)
        return _orders(request, view, entry, status=refusal.status)
    return redirect(
        request, f"/campaigns/{campaign_id}/orders", _said(view_of(request, campaign_id), logged)
    )


@router.get("/{number}")
def show_order(request: Request, campaign_id: str, number: int) -> Response:
    """One order with its arithmetic and what can be done to it."""
    view = view_of(request, campaign_id)
    order = view.order(number)
    return _order(request, view, number, refund_form(order.currency, view.frame.zone, clock.now()))


@router.post("/{number}/reverse")
def reverse(request: Request, campaign_id: str, number: int, form: Typed) -> Response:
    """Take an order back, with a reason."""
    actor, now, view = person(request), clock.now(), view_of(request, campaign_id)
    order, reason = view.order(number), form.get("reason")
    try:
        request.app.state.db.write(
            campaign_id,
            lambda tx: reverse_order(tx, campaign_id, number, reason, actor=actor, now=now),
        )
    except Malformed as refusal:
        entry = refund_form(order.currency, view.frame.zone, now)
        return _order(request, view, number, entry, reason=(reason, refusal.detail), status=422)
    said = text("Order {reference} is reversed: it counts as zero.", reference=order.reference)
    return redirect(request, f"/campaigns/{campaign_id}/orders", said)


@router.post("/{number}/refund")
def refund(request: Request, campaign_id: str, number: int, form: Typed) -> Response:
    """Log what the provider paid back."""
    actor, now, view = person(request), clock.now(), view_of(request, campaign_id)
    view.refuse_closed()
    order = view.order(number)
    entry = read_refund(form, order.currency)
    amount, on = entry.amount_minor, entry.on
    if amount is None or on is None or entry.errors:
        return _order(request, view, number, entry, status=422)
    try:
        request.app.state.db.write(
            campaign_id,
            lambda tx: refund_order(
                tx, campaign_id, number, amount, on, entry.reason, actor=actor, now=now
            ),
        )
    except (Malformed, Conflict) as refusal:
        if isinstance(refusal, Closed):
            raise
        entry.refuse(refusal.field or "amount", refusal.detail)
        return _order(request, view, number, entry, status=refusal.status)
    said = text("Refund logged on order {reference}.", reference=order.reference)
    return redirect(request, f"/campaigns/{campaign_id}/orders/{number}", said)


@router.get("/{number}/correct")
def show_correction(request: Request, campaign_id: str, number: int) -> Response:
    """The order as it is logged, to be changed where it is wrong."""
    view = view_of(request, campaign_id)
    view.refuse_closed()
    order = view.order(number)
    if not order.is_active:
        raise reversed_before(order)
    entry = of_order(order, view.open_beside(order), view.frame.zone)
    return _correction(request, view, number, entry)


@router.post("/{number}/correct")
def correct(request: Request, campaign_id: str, number: int, form: Typed) -> Response:
    """Reverse the order and log what it should have said."""
    actor, now, view = person(request), clock.now(), view_of(request, campaign_id)
    view.refuse_closed()
    order = view.order(number)
    entry, new = read_entry(form, view.open_beside(order), view.frame.zone)
    if new is None:
        return _correction(request, view, number, entry, status=422)
    try:
        logged: Logged = request.app.state.db.write(
            campaign_id,
            lambda tx: correct_order(
                tx, campaign_id, number, new, entry.get("reason"), actor=actor, now=now
            ),
        )
    except (Malformed, Conflict) as refusal:
        _take(entry, refusal)
        return _correction(request, view, number, entry, status=refusal.status)
    said = text("Order {reference} is corrected.", reference=new.reference)
    return redirect(request, f"/campaigns/{campaign_id}/orders/{logged.number}", said)


def _take(entry: OrderEntry, refusal: AppError) -> None:
    if isinstance(refusal, Closed):
        raise refusal
    entry.take(refusal)


def _said(view: View, logged: Logged) -> Text:
    order = view.order(logged.number)
    if not logged.is_new:
        return text("Order {reference} was logged before.", reference=order.reference)
    lot = order.lots[0].planned_lot
    if lot is None:
        return text("Order {reference} is logged, as an extra lot.", reference=order.reference)
    return text("Order {reference} is logged. It fills {lot}.", reference=order.reference, lot=lot)


def _orders(
    request: Request,
    view: View,
    entry: OrderEntry,
    *,
    conflict: tuple[Text, str] | None = None,
    status: int = 200,
) -> Response:
    lot = next((lot for lot in view.open_lots if lot.id == entry.get("lot")), None)
    base = f"/campaigns/{view.frame.id}/orders"
    heading = text("Log an order")
    if lot is not None:
        heading = text("Log the order for {lot}", lot=lot.id)
    elif view.orders:
        heading = text("Log another order")
    context = OrdersPage(
        action=base,
        orders=tuple(order_line(o, view.frame.id, view.orders) for o in reversed(view.orders)),
        entry=None if view.is_closed else entry,
        heading=heading,
        about=about_lot(lot) if lot else None,
        is_folded=bool(view.orders) and not view.open_lots and not entry.errors and not conflict,
        other_lots=tuple(
            (one.id, f"{base}?lot={one.id}") for one in view.open_lots if one is not lot
        ),
        conflict=conflict[0] if conflict else None,
        conflict_href=conflict[1] if conflict else None,
    )
    return page(request, "orders/index.html", context, frame=view.frame, status=status)


def _order(
    request: Request,
    view: View,
    number: int,
    refund: RefundEntry,
    *,
    reason: tuple[str, Text | None] = ("", None),
    status: int = 200,
) -> Response:
    order = view.order(number)
    can_change = order.is_active and not view.is_closed
    context = OrderPage(
        order=order_line(order, view.frame.id, view.orders),
        back=f"/campaigns/{view.frame.id}/orders",
        can_change=can_change,
        can_correct=can_change and not order.refunds,
        can_refund=can_change and bool(order.net_minor),
        refund=refund,
        reason=reason[0],
        reason_error=reason[1],
    )
    title = text("Order {reference}", reference=order.reference)
    return page(request, "orders/show.html", context, frame=view.frame, title=title, status=status)


def _correction(
    request: Request, view: View, number: int, entry: OrderEntry, *, status: int = 200
) -> Response:
    line = order_line(view.order(number), view.frame.id, view.orders)
    context = CorrectionPage(line, f"{line.href}/correct", entry)
    title = text("Correct order {reference}", reference=line.reference)
    return page(
        request, "orders/correct.html", context, frame=view.frame, title=title, status=status
    )
