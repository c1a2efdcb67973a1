"""One way to write about an order: the command, then the order as it stands with the head."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request, Response
from sqlmodel import Session

from app import clock
from app.campaigns.queries import header
from app.db import WriteSession
from app.errors import AppError, NotFound
from app.journal import read_head
from app.orders.api.answers import HeadAnswer, LoggedAnswer
from app.orders.commands import Logged
from app.orders.queries import order_numbered, quotes_of
from app.orders.rules import as_json
from app.texts import text


def write(
    request: Request,
    response: Response,
    campaign_id: str,
    command: Callable[[WriteSession], Logged | AppError],
    of: int | None = None,
) -> LoggedAnswer:
    """Run a command and answer with the order (`of`, else the one logged) and the head."""
    logged: Logged = request.app.state.db.write(campaign_id, command)
    if not logged.is_new:
        response.status_code = 200
    with request.app.state.db.read() as session:
        order = order_numbered(session, campaign_id, of or logged.number)
        quotes = quotes_of(session, campaign_id) if order and order.quote else ()
        shown = head_of(session, campaign_id)
    assert order is not None
    quote = next((quote for quote in quotes if quote.number == order.quote), None)
    said = as_json(order, clock.now(), quote)
    return LoggedAnswer.model_validate({**said, "head": shown})


def head_of(session: Session, campaign_id: str) -> HeadAnswer:
    """The head of a campaign's journal."""
    head = read_head(session, campaign_id)
    return HeadAnswer(number=head.number, sha256=head.sha256)


def refuse_unknown(session: Session, campaign_id: str) -> None:
    """Raise `NotFound` for a campaign that is not there."""
    if header(session, campaign_id) is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
