"""Orders for scripts: log, list, correct, reverse, refund."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from sqlmodel import Session

from app import clock
from app.accounts.access import person
from app.campaigns.queries import header
from app.db import WriteSession
from app.errors import AppError, NotFound
from app.journal import read_head
from app.orders.api.answers import HeadAnswer, LoggedAnswer, OrderAnswer, OrdersAnswer
from app.orders.api.bodies import (
    CorrectionBody,
    OrderBody,
    RefundBody,
    ReversalBody,
    read_amount,
    read_order,
)
from app.orders.commands import Logged, correct_order, log_order, refund_order, reverse_order
from app.orders.queries import order_numbered, orders_of
from app.orders.rules import as_json
from app.texts import text

router = APIRouter(prefix="/api/v1/campaigns/{campaign_id}/orders", tags=["orders"])


@router.get("")
def list_orders(
    request: Request,
    campaign_id: str,
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> OrdersAnswer:
    """The orders in the order they were logged, reversed ones too."""
    person(request)
    with request.app.state.db.read() as session:
        _refuse_unknown(session, campaign_id)
        found = [order for order in orders_of(session, campaign_id) if order.number > after]
    items = found[:limit]
    more = len(found) > limit
    return OrdersAnswer(
        items=[OrderAnswer.model_validate(as_json(order)) for order in items],
        next=items[-1].number if more else None,
    )


@router.post("", status_code=201)
def post_order(
    request: Request, response: Response, campaign_id: str, body: OrderBody
) -> LoggedAnswer:
    """Log an order: 201; 200 for the identical one again; 409 with what differs."""
    actor, now, new = person(request), clock.now(), read_order(body)
    return _write(
        request,
        response,
        campaign_id,
        lambda tx: log_order(tx, campaign_id, new, actor=actor, now=now),
    )


@router.post("/{number}/correct", status_code=201)
def post_correction(
    request: Request, response: Response, campaign_id: str, number: int, body: CorrectionBody
) -> LoggedAnswer:
    """Reverse the order and log what it should have said, in one step."""
    actor, now, new = person(request), clock.now(), read_order(body)
    return _write(
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
    actor, now = person(request), clock.now()
    return _write(
        request,
        response,
        campaign_id,
        lambda tx: reverse_order(tx, campaign_id, number, body.reason, actor=actor, now=now),
        of=number,
    )


@router.post("/{number}/refund", status_code=201)
def post_refund(
    request: Request, response: Response, campaign_id: str, number: int, body: RefundBody
) -> LoggedAnswer:
    """Log what the provider paid back."""
    actor, now = person(request), clock.now()
    with request.app.state.db.read() as session:
        order = order_numbered(session, campaign_id, number)
    if order is None:
        raise NotFound(text("There is no order {number} in this campaign.", number=str(number)))
    amount = read_amount("amount", body.amount, order.currency)
    return _write(
        request,
        response,
        campaign_id,
        lambda tx: refund_order(
            tx, campaign_id, number, amount, body.on, body.reason, actor=actor, now=now
        ),
        of=number,
    )


def _write(
    request: Request,
    response: Response,
    campaign_id: str,
    command: Callable[[WriteSession], Logged | AppError],
    of: int | None = None,
) -> LoggedAnswer:
    """Run a command and answer with the order as it stands and the journal's head."""
    logged: Logged = request.app.state.db.write(campaign_id, command)
    if not logged.is_new:
        response.status_code = 200
    with request.app.state.db.read() as session:
        order = order_numbered(session, campaign_id, of or logged.number)
        head = read_head(session, campaign_id)
    assert order is not None
    shown = HeadAnswer(number=head.number, sha256=head.sha256)
    return LoggedAnswer.model_validate({**as_json(order), "head": shown})


def _refuse_unknown(session: Session, campaign_id: str) -> None:
    if header(session, campaign_id) is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
