"""Changes of an order for scripts: a row each, which points at the order."""

from __future__ import annotations

from datetime import date

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict

from app import clock
from app.accounts.access import person
from app.errors import Malformed, NotFound
from app.orders.api.answers import LoggedAnswer
from app.orders.api.bodies import (
    AmountText,
    CorrectionBody,
    InstantText,
    PriceText,
    read_amount,
    read_correction,
    read_instant,
)
from app.orders.api.writing import write
from app.orders.commands import change_order, correct_order
from app.orders.queries import order_numbered
from app.orders.rules import (
    CANCELLATION,
    CREDIT,
    EXTENSION,
    PAYMENT_FAILED,
    PRICE,
    REFUND,
    REVERSAL,
    USABLE_UNTIL,
    NewChange,
    Order,
)
from app.texts import text

router = APIRouter(prefix="/api/v1/campaigns/{campaign_id}/orders", tags=["orders"])


class _Change(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: str


class ReversalBody(_Change):
    """Why the order is taken back."""


class RefundBody(_Change):
    """What came back, or was credited, on which day, and why."""

    amount: AmountText
    on: date


class PriceBody(_Change):
    """The price of an order that had none, or the amount of an extension (its row's number)."""

    price: AmountText
    extension: int | None = None
    on: date | None = None


class ExtensionBody(_Change):
    """The new end of a lot and the amount that the provider states; null is not known."""

    amount: PriceText
    ends_at: InstantText
    usable_until: InstantText | None = None
    lot: str | None = None
    on: date | None = None


class EarlyEndBody(_Change):
    """Why, and since when the order was cancelled or its payment failed; left out: now."""

    at: InstantText | None = None
    on: date | None = None


class UsableUntilBody(_Change):
    """Until when the machines of a lot can be used."""

    usable_until: InstantText
    lot: str | None = None


@router.post("/{number}/correct", status_code=201)
def post_correction(
    request: Request, response: Response, campaign_id: str, number: int, body: CorrectionBody
) -> LoggedAnswer:
    """Bring the order to what it should have said: a row where only the price is other, else an
    order in its place, in one step."""
    actor, now = person(request), clock.now()
    new = read_correction(body, _order(request, campaign_id, number))
    return write(
        request,
        response,
        campaign_id,
        lambda tx: correct_order(tx, campaign_id, number, new, body.reason, actor=actor, now=now),
    )


@router.post("/{number}/reverse", status_code=201)
def post_reversal(
    request: Request, response: Response, campaign_id: str, number: int, body: ReversalBody
) -> LoggedAnswer:
    """Take the order back; its figure nets to zero and its lot is free again."""
    change = NewChange(REVERSAL, body.reason)
    return _log(request, response, campaign_id, number, change)


@router.post("/{number}/refund", status_code=201)
def post_refund(
    request: Request, response: Response, campaign_id: str, number: int, body: RefundBody
) -> LoggedAnswer:
    """Log what the provider paid back; also after the close, apart from its figures."""
    return _back(request, response, campaign_id, number, body, REFUND)


@router.post("/{number}/credit", status_code=201)
def post_credit(
    request: Request, response: Response, campaign_id: str, number: int, body: RefundBody
) -> LoggedAnswer:
    """Log what the provider credited for this order; also after the close."""
    return _back(request, response, campaign_id, number, body, CREDIT)


@router.post("/{number}/price", status_code=201)
def post_price(
    request: Request, response: Response, campaign_id: str, number: int, body: PriceBody
) -> LoggedAnswer:
    """State the price of an order that had none, or the amount of an extension."""
    order = _order(request, campaign_id, number)
    amount = read_amount("price", body.price, order.currency)
    change = NewChange(PRICE, body.reason, amount, body.on, of=body.extension)
    return _log(request, response, campaign_id, number, change)


@router.post("/{number}/extend", status_code=201)
def post_extension(
    request: Request, response: Response, campaign_id: str, number: int, body: ExtensionBody
) -> LoggedAnswer:
    """Log that the provider extended a lot, for the amount that it states."""
    order = _order(request, campaign_id, number)
    usable = body.usable_until
    change = NewChange(
        EXTENSION,
        body.reason,
        None if body.amount is None else read_amount("amount", body.amount, order.currency),
        body.on,
        _place(order, body.lot),
        read_instant("ends_at", body.ends_at),
        None if usable is None else read_instant("usable_until", usable),
    )
    return _log(request, response, campaign_id, number, change)


@router.post("/{number}/cancel", status_code=201)
def post_cancellation(
    request: Request, response: Response, campaign_id: str, number: int, body: EarlyEndBody
) -> LoggedAnswer:
    """Log that the order was cancelled; before its start it contributes nothing."""
    return _ended(request, response, campaign_id, number, body, CANCELLATION)


@router.post("/{number}/payment-failed", status_code=201)
def post_failed_payment(
    request: Request, response: Response, campaign_id: str, number: int, body: EarlyEndBody
) -> LoggedAnswer:
    """Log that the payment failed; before its start the order contributes nothing."""
    return _ended(request, response, campaign_id, number, body, PAYMENT_FAILED)


@router.post("/{number}/usable-until", status_code=201)
def post_usable_until(
    request: Request, response: Response, campaign_id: str, number: int, body: UsableUntilBody
) -> LoggedAnswer:
    """Log until when a lot can be used, where the machines end before the paid window."""
    order = _order(request, campaign_id, number)
    change = NewChange(
        USABLE_UNTIL,
        body.reason,
        lot=_place(order, body.lot),
        usable_until=read_instant("usable_until", body.usable_until),
    )
    return _log(request, response, campaign_id, number, change)


def _back(
    request: Request, response: Response, campaign_id: str, number: int, body: RefundBody, kind: str
) -> LoggedAnswer:
    order = _order(request, campaign_id, number)
    amount = read_amount("amount", body.amount, order.currency)
    change = NewChange(kind, body.reason, amount, body.on)
    return _log(request, response, campaign_id, number, change)


def _ended(
    request: Request,
    response: Response,
    campaign_id: str,
    number: int,
    body: EarlyEndBody,
    kind: str,
) -> LoggedAnswer:
    at = None if body.at is None else read_instant("at", body.at)
    change = NewChange(kind, body.reason, on=body.on, at=at)
    return _log(request, response, campaign_id, number, change)


def _log(
    request: Request, response: Response, campaign_id: str, number: int, change: NewChange
) -> LoggedAnswer:
    actor, now = person(request), clock.now()
    return write(
        request,
        response,
        campaign_id,
        lambda tx: change_order(tx, campaign_id, number, change, actor=actor, now=now),
        of=number,
    )


def _order(request: Request, campaign_id: str, number: int) -> Order:
    """The order that is changed; raises `NotFound`."""
    person(request)
    with request.app.state.db.read() as session:
        order = order_numbered(session, campaign_id, number)
    if order is None:
        raise NotFound(text("There is no order {number} in this campaign.", number=str(number)))
    return order


def _place(order: Order, lot: str | None) -> int | None:
    """The place of a lot by its id; raises `Malformed` with the ids that there are."""
    if lot is None:
        return None
    ids = [one.id for one in order.lots]
    if lot not in ids:
        raise Malformed(text("The order has no lot {lot}.", lot=lot), field="lot", allowed=ids)
    return ids.index(lot)
