"""The whole form of an order again, to be changed where the record is wrong."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.errors import Conflict, Malformed
from app.orders.commands import Logged, correct_order, reversed_before
from app.orders.pages.contexts import CorrectionPage
from app.orders.pages.entry import OrderEntry, is_rearranged, read_entry, typed
from app.orders.pages.filled_in import of_order
from app.orders.pages.lines import order_line
from app.orders.pages.listing import take
from app.orders.pages.reading import View, view_of
from app.texts import text
from app.web import Form, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}/orders")

Typed = Annotated[Form, Depends(read_form)]


@router.get("/{number}/correct")
def show_correction(request: Request, campaign_id: str, number: int) -> Response:
    """The order as it stands, to be changed where it is wrong."""
    view = view_of(request, campaign_id)
    view.refuse_closed()
    order = view.order(number)
    if not order.is_active:
        raise reversed_before(order)
    entry = of_order(order, view.open_beside(order), view.frame.zone)
    return _page(request, view, number, entry)


@router.post("/{number}/correct")
def correct(request: Request, campaign_id: str, number: int, form: Typed) -> Response:
    """Bring the order to what it should have said."""
    actor, now, view = person(request), clock.now(), view_of(request, campaign_id)
    view.refuse_closed()
    order = view.order(number)
    beside, place = view.open_beside(order), view.frame.zone
    if is_rearranged(form):
        return _page(request, view, number, typed(form.values, beside, place))
    entry, new = read_entry(form, beside, place)
    if new is None:
        return _page(request, view, number, entry, status=422)
    try:
        logged: Logged = request.app.state.db.write(
            campaign_id,
            lambda tx: correct_order(
                tx, campaign_id, number, new, entry.get("reason"), actor=actor, now=now
            ),
        )
    except (Malformed, Conflict) as refusal:
        take(entry, refusal)
        return _page(request, view, number, entry, status=refusal.status)
    said = text("Order {reference} is corrected.", reference=new.reference)
    return redirect(request, f"/campaigns/{campaign_id}/orders/{logged.number}", said)


def _page(
    request: Request, view: View, number: int, entry: OrderEntry, *, status: int = 200
) -> Response:
    line = order_line(view.order(number), view.frame.id, view.orders, clock.now())
    context = CorrectionPage(line, f"{line.href}/correct", entry)
    title = text("Correct order {reference}", reference=line.reference)
    return page(
        request, "orders/correct.html", context, frame=view.frame, title=title, status=status
    )
