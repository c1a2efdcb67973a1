"""One order with its arithmetic, and the small forms that change it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.errors import Closed, Conflict, Malformed, NotFound
from app.orders.commands import change_order, reverse_order
from app.orders.pages.change import ACTS, ChangeEntry, blank, offered, read_change
from app.orders.pages.contexts import OrderPage, change_form
from app.orders.pages.lines import order_line
from app.orders.pages.reading import View, view_of
from app.orders.pages.words import CHANGE_NAMES
from app.orders.rules import AFTER_CLOSE
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}/orders")

Typed = Annotated[Form, Depends(read_form)]


@router.get("/{number}")
def show_order(request: Request, campaign_id: str, number: int) -> Response:
    """One order with its arithmetic and what can be done to it."""
    return _page(request, view_of(request, campaign_id), number)


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
        return _page(request, view, number, reason=(reason, refusal.detail), status=422)
    said = text("Order {reference} is reversed: it counts as zero.", reference=order.reference)
    return redirect(request, f"/campaigns/{campaign_id}/orders", said)


@router.post("/{number}/{act}")
def change(request: Request, campaign_id: str, number: int, act: str, form: Typed) -> Response:
    """Log one of the changes of an order, or show what it would make of the total."""
    if act not in ACTS:
        raise NotFound(text("There is no such page."))
    actor, now, view = person(request), clock.now(), view_of(request, campaign_id)
    if ACTS[act] not in AFTER_CLOSE:
        view.refuse_closed()
    order = view.order(number)
    entry, new = read_change(form, act, order, view.frame.zone, now)
    if new is not None and entry.shown is not None:
        return _page(request, view, number, entry)
    if new is None and not entry.is_contradicted:
        return _page(request, view, number, entry, status=422)
    if new is None:
        return _page(request, view, number, entry, status=409)
    try:
        request.app.state.db.write(
            campaign_id,
            lambda tx: change_order(tx, campaign_id, number, new, actor=actor, now=now),
        )
    except (Malformed, Conflict) as refusal:
        if isinstance(refusal, Closed):
            raise
        entry.take(refusal)
        return _page(request, view, number, entry, status=refusal.status)
    named = CHANGE_NAMES[new.kind]
    said = text("{change} logged on order {reference}.", change=named, reference=order.reference)
    return redirect(request, f"/campaigns/{campaign_id}/orders/{number}", said)


def _page(
    request: Request,
    view: View,
    number: int,
    entry: ChangeEntry | None = None,
    *,
    reason: tuple[str, Text | None] = ("", None),
    status: int = 200,
) -> Response:
    """The order's page; `entry` is the small form that was sent, the others are blank."""
    order, now, place = view.order(number), clock.now(), view.frame.zone
    acts = list(offered(order, view.is_closed))
    if entry is not None and entry.act not in acts:
        acts.append(entry.act)
    forms = (
        entry if entry is not None and entry.act == act else blank(act, order, place, now)
        for act in acts
    )
    can_change = order.is_active and not view.is_closed
    context = OrderPage(
        order=order_line(order, view.frame.id, view.orders, now, view.quotes),
        back=f"/campaigns/{view.frame.id}/orders",
        is_closed=view.is_closed,
        can_correct=can_change,
        can_reverse=can_change,
        changes=tuple(change_form(one, view.frame.id) for one in forms),
        reason=reason[0],
        reason_error=reason[1],
    )
    title = text("Order {reference}", reference=order.reference)
    return page(request, "orders/show.html", context, frame=view.frame, title=title, status=status)
