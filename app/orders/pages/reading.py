"""What every page of orders is made from, read in one session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fastapi import Request

from app import clock
from app.campaigns.queries import header
from app.errors import Closed, NotFound
from app.orders.queries import orders_of, planned_lots, quotes_of
from app.orders.rules import Fillable, Order, Quote, unfilled
from app.texts import text
from app.timeline.queries import frame
from app.web import Frame


@dataclass(frozen=True, slots=True)
class View:
    """A campaign's frame, its orders and quotes, and the lots of its plan."""

    frame: Frame
    currency: str
    orders: tuple[Order, ...]
    planned: tuple[Fillable, ...]
    quotes: tuple[Quote, ...] = ()

    @property
    def is_closed(self) -> bool:
        """Whether nothing is written any more."""
        return self.frame.state == "closed"

    @property
    def open_lots(self) -> tuple[Fillable, ...]:
        """The planned lots that no order fills, in the plan's order."""
        return unfilled(self.planned, _filled(self.orders))

    def open_beside(self, order: Order) -> tuple[Fillable, ...]:
        """The planned lots that this order may fill: the open ones and its own."""
        return unfilled(self.planned, _filled(o for o in self.orders if o is not order))

    def order(self, number: int) -> Order:
        """One order; raises `NotFound`."""
        for order in self.orders:
            if order.number == number:
                return order
        raise NotFound(text("There is no order {number} in this campaign.", number=str(number)))

    def quote(self, number: int) -> Quote | None:
        """One quote, or None."""
        return next((quote for quote in self.quotes if quote.number == number), None)

    def refuse_closed(self) -> None:
        """Raise `Closed` where a form would be of no use any more."""
        if self.is_closed:
            raise Closed(text("This campaign was closed. Its record is not changed any more."))


def view_of(request: Request, campaign_id: str) -> View:
    """Read a campaign's orders; raises `NotFound` for an unknown one."""
    with request.app.state.db.read() as session:
        head = header(session, campaign_id)
        around = frame(session, campaign_id, clock.now())
        if head is None or around is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id))
        orders = orders_of(session, campaign_id)
        quotes = quotes_of(session, campaign_id)
        planned = planned_lots(session, campaign_id)
    return View(around, head.currency, orders, planned.lots, quotes)


def _filled(orders: Iterable[Order]) -> set[str]:
    lots = (lot.planned_lot for order in orders if order.in_force for lot in order.lots)
    return {lot for lot in lots if lot is not None}
