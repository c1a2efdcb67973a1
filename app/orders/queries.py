"""Reading orders, the lots that are really rented, and the planned ones that they fill."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.offers.queries import catalogue, newest_number, seen
from app.orders.rules import (
    Fillable,
    NewQuote,
    OfferSnapshot,
    Order,
    OrderChange,
    OrderedLot,
    Quote,
    Source,
    as_of,
    fillable,
    with_rows,
)
from app.orders.tables import OrderLotRow, OrderRow, QuoteRow
from app.plan.queries import read_plan, sealed
from app.plan.rules.lots import resolve_lots
from app.plan.tables import Draft


@dataclass(frozen=True, slots=True)
class PlannedLots:
    """The lots of the plan that holds now; `version` is 0 while it is a draft."""

    version: int
    lots: tuple[Fillable, ...]


def orders_of(
    session: Session, campaign_id: str, until: datetime | None = None
) -> tuple[Order, ...]:
    """All orders of a campaign with their changes, reversed ones too.

    `until` (UTC) gives them as the record knew them at that instant, such as the close.
    """
    rows = session.exec(
        select(OrderRow).where(OrderRow.campaign_id == campaign_id).order_by(col(OrderRow.number))
    ).all()
    lots: dict[int, list[OrderedLot]] = {}
    if rows:
        for lot in session.exec(
            select(OrderLotRow)
            .where(OrderLotRow.campaign_id == campaign_id)
            .order_by(col(OrderLotRow.order_number), col(OrderLotRow.position))
        ):
            lots.setdefault(lot.order_number, []).append(_lot(lot))
    changes: dict[int, list[OrderChange]] = {}
    for row in rows:
        if row.corrects_number is not None:
            changes.setdefault(row.corrects_number, []).append(_change(row))
    orders = (
        with_rows(_order(row, lots.get(row.number, ())), changes.get(row.number, ()))
        for row in rows
        if row.corrects_number is None
    )
    if until is None:
        return tuple(orders)
    return tuple(known for order in orders if (known := as_of(order, until)) is not None)


def order_numbered(session: Session, campaign_id: str, number: int) -> Order | None:
    """One order, or None."""
    return next((o for o in orders_of(session, campaign_id) if o.number == number), None)


def lots_of(
    session: Session, campaign_id: str, until: datetime | None = None
) -> tuple[OrderedLot, ...]:
    """The lots of the orders in force as they stand after their changes, by their start.

    An order that was reversed, or cancelled or not paid before it started, lends none.
    """
    orders = orders_of(session, campaign_id, until)
    lots = [lot for order in orders if order.in_force for lot in order.lots]
    return tuple(sorted(lots, key=lambda lot: (lot.starts_at, lot.order_number, lot.position)))


def quotes_of(session: Session, campaign_id: str) -> tuple[Quote, ...]:
    """The quotes of a campaign in the order they were logged."""
    rows = session.exec(
        select(QuoteRow).where(QuoteRow.campaign_id == campaign_id).order_by(col(QuoteRow.number))
    )
    return tuple(_quote(row) for row in rows)


def planned_lots(session: Session, campaign_id: str) -> PlannedLots:
    """What the plan means to rent: the newest sealed version, else the draft."""
    view = sealed(session, campaign_id)
    if view is not None:
        return PlannedLots(view.version, fillable(view.plan, view.windows, view.offers))
    row = session.exec(
        select(Draft.document, newest_number()).where(Draft.campaign_id == campaign_id)
    ).first()
    if row is None:
        return PlannedLots(0, ())
    plan = read_plan(row[0])
    seen(session, row[1])
    offers = catalogue(session)
    return PlannedLots(0, fillable(plan, resolve_lots(plan, offers).windows, offers))


def _order(row: OrderRow, lots: Iterable[OrderedLot]) -> Order:
    return Order(
        number=row.number,
        logged_at=row.logged_at,
        logged_by=row.logged_by,
        provider=row.provider,
        account=row.account,
        reference=row.reference,
        price_minor=row.amount_minor,
        currency=row.currency,
        price_typed=row.price_typed,
        note=row.note,
        plan_version=row.plan_version,
        offer=OfferSnapshot(**json.loads(row.offer)) if row.offer else None,
        replaces=row.replaces,
        lots=tuple(lots),
        ordered_at=row.ordered_at,
        link=row.link,
        quote=row.quote,
        source=Source(**json.loads(row.source)) if row.source else None,
    )


def _change(row: OrderRow) -> OrderChange:
    return OrderChange(
        row.number, row.logged_at, row.logged_by, row.kind, row.amount_minor, row.counts_on,
        row.reason or "", row.lot_position, row.ends_at, row.usable_until, row.happens_at,
        row.prices, row.after_close,
    )  # fmt: skip


def _lot(row: OrderLotRow) -> OrderedLot:
    return OrderedLot(
        row.order_number, row.position, row.planned_lot, row.gpus, row.gpu,
        row.starts_at, row.ends_at, row.usable_until, row.memory_gib, row.start_basis,
        row.end_policy, row.data_deleted_at, row.auto_renew,
    )  # fmt: skip


def _quote(row: QuoteRow) -> Quote:
    said = NewQuote(
        row.provider, row.price_minor, row.currency, row.gpu, row.gpus, row.starts_at,
        row.ends_at, row.hours, row.valid_until, row.note, row.link,
    )  # fmt: skip
    return Quote(row.number, row.logged_at, row.logged_by, said)
