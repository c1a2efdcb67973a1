"""Orders for scripts: log, list, replay, quote; changes of an order stand in `changes`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from app import clock
from app.accounts.access import person
from app.campaigns.queries import header
from app.errors import NotFound
from app.orders.api.answers import (
    LedgerAnswer,
    LedgerRowAnswer,
    LoggedAnswer,
    OrderAnswer,
    OrdersAnswer,
    QuoteAnswer,
    QuoteLoggedAnswer,
    QuotesAnswer,
    TotalAnswer,
)
from app.orders.api.bodies import OrderBody, QuoteBody, read_instant, read_order, read_quote
from app.orders.api.changes import router as changes
from app.orders.api.writing import head_of, refuse_unknown, write
from app.orders.commands import Logged, log_order, log_quote
from app.orders.queries import orders_of, quotes_of
from app.orders.rules import (
    Order,
    Quote,
    as_json,
    committed_at,
    ledger,
    ledger_as_json,
    quote_as_json,
)
from app.texts import text
from app.units import amount_text, zone

router = APIRouter()
orders = APIRouter(prefix="/api/v1/campaigns/{campaign_id}/orders", tags=["orders"])

After = Annotated[int, Query(ge=0)]
Limit = Annotated[int, Query(ge=1, le=500)]


@orders.get("")
def list_orders(
    request: Request,
    campaign_id: str,
    after: After = 0,
    limit: Limit = 100,
    as_of: str | None = None,
) -> OrdersAnswer:
    """The orders in the order they were logged, reversed ones too; `as_of` as they were known
    at an instant."""
    person(request)
    until = _instant(as_of)
    with request.app.state.db.read() as session:
        refuse_unknown(session, campaign_id)
        found = [o for o in orders_of(session, campaign_id, until) if o.number > after]
        quotes = {quote.number: quote for quote in quotes_of(session, campaign_id)}
    items, now = found[:limit], until or clock.now()
    return OrdersAnswer(
        items=[_answer(order, now, quotes) for order in items],
        next=items[-1].number if len(found) > limit else None,
    )


@orders.post("", status_code=201)
def post_order(
    request: Request, response: Response, campaign_id: str, body: OrderBody
) -> LoggedAnswer:
    """Log an order: 201; 200 for the identical one again; 409 with what differs."""
    actor, now, new = person(request), clock.now(), read_order(body)
    return write(
        request,
        response,
        campaign_id,
        lambda tx: log_order(tx, campaign_id, new, actor=actor, now=now),
    )


@orders.get("/ledger")
def get_ledger(
    request: Request,
    campaign_id: str,
    after: After = 0,
    limit: Limit = 100,
    as_of: str | None = None,
) -> LedgerAnswer:
    """Every row of the orders as it was logged, with the running total of its currency."""
    person(request)
    until = _instant(as_of)
    with request.app.state.db.read() as session:
        refuse_unknown(session, campaign_id)
        known = orders_of(session, campaign_id, until)
    rows = [row for row in ledger(known) if row.number > after]
    items = rows[:limit]
    totals = committed_at(known, until or clock.now())
    return LedgerAnswer(
        items=[LedgerRowAnswer.model_validate(ledger_as_json(row)) for row in items],
        next=items[-1].number if len(rows) > limit else None,
        totals=[
            TotalAnswer(
                currency=one.currency,
                total=amount_text(one.known_minor, one.currency),
                unpriced=one.unpriced,
            )
            for one in totals.values()
        ],
    )


@orders.get("/quotes")
def list_quotes(
    request: Request, campaign_id: str, after: After = 0, limit: Limit = 100
) -> QuotesAnswer:
    """The quotes in the order they were logged, with the orders that were made from them."""
    person(request)
    with request.app.state.db.read() as session:
        refuse_unknown(session, campaign_id)
        found = [q for q in quotes_of(session, campaign_id) if q.number > after]
        known = orders_of(session, campaign_id)
        head = header(session, campaign_id)
    assert head is not None
    today = clock.now().astimezone(zone(head.zone)).date()
    items = found[:limit]
    return QuotesAnswer(
        items=[
            QuoteAnswer.model_validate(quote_as_json(quote, _made(quote, known), today))
            for quote in items
        ],
        next=items[-1].number if len(found) > limit else None,
    )


@orders.post("/quotes", status_code=201)
def post_quote(
    request: Request, response: Response, campaign_id: str, body: QuoteBody
) -> QuoteLoggedAnswer:
    """Log a quote: 201; 200 for the identical one again."""
    actor, now, new = person(request), clock.now(), read_quote(body)
    logged: Logged = request.app.state.db.write(
        campaign_id, lambda tx: log_quote(tx, campaign_id, new, actor=actor, now=now)
    )
    if not logged.is_new:
        response.status_code = 200
    with request.app.state.db.read() as session:
        quotes = quotes_of(session, campaign_id)
        known = orders_of(session, campaign_id)
        head, shown = header(session, campaign_id), head_of(session, campaign_id)
    (quote,) = [quote for quote in quotes if quote.number == logged.number]
    assert head is not None
    today = now.astimezone(zone(head.zone)).date()
    said = quote_as_json(quote, _made(quote, known), today)
    return QuoteLoggedAnswer.model_validate({**said, "head": shown})


@orders.get("/{number}", dependencies=[Depends(person)])
def get_order(
    request: Request, campaign_id: str, number: int, as_of: str | None = None
) -> OrderAnswer:
    """One order; `as_of` as it was known at an instant."""
    until = _instant(as_of)
    with request.app.state.db.read() as session:
        refuse_unknown(session, campaign_id)
        found = [o for o in orders_of(session, campaign_id, until) if o.number == number]
        quotes = {quote.number: quote for quote in quotes_of(session, campaign_id)}
    if not found:
        raise NotFound(text("There is no order {number} in this campaign.", number=str(number)))
    return _answer(found[0], until or clock.now(), quotes)


def _instant(as_of: str | None) -> datetime | None:
    return None if as_of is None else read_instant("as_of", as_of)


def _answer(order: Order, now: datetime, quotes: dict[int, Quote]) -> OrderAnswer:
    quote = quotes.get(order.quote) if order.quote is not None else None
    return OrderAnswer.model_validate(as_json(order, now, quote))


def _made(quote: Quote, known: tuple[Order, ...]) -> tuple[int, ...]:
    """The numbers of the orders in the record that were made from a quote."""
    return tuple(o.number for o in known if o.quote == quote.number and o.is_active)


router.include_router(orders)
router.include_router(changes)
