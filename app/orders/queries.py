"""Reading orders, the lots that are really rented, and the planned ones that they fill."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from sqlmodel import Session, col, select

from app.offers.queries import catalogue, newest_number, seen
from app.orders.rules import (
    REVERSAL,
    Fillable,
    OfferSnapshot,
    Order,
    OrderChange,
    OrderedLot,
    fillable,
)
from app.orders.tables import OrderLotRow, OrderRow
from app.plan.queries import read_plan, sealed
from app.plan.rules.lots import resolve_lots
from app.plan.tables import Draft


@dataclass(frozen=True, slots=True)
class PlannedLots:
    """The lots of the plan that holds now; `version` is 0 while it is a draft."""

    version: int
    lots: tuple[Fillable, ...]


def orders_of(session: Session, campaign_id: str) -> tuple[Order, ...]:
    """All orders of a campaign as they were logged, reversed ones too, with their changes."""
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
    return tuple(
        _order(row, lots.get(row.number, ()), changes.get(row.number, ()))
        for row in rows
        if row.corrects_number is None
    )


def order_numbered(session: Session, campaign_id: str, number: int) -> Order | None:
    """One order, or None."""
    return next((o for o in orders_of(session, campaign_id) if o.number == number), None)


def lots_of(session: Session, campaign_id: str) -> tuple[OrderedLot, ...]:
    """The lots of the orders in force, by their start."""
    reversed_numbers = select(OrderRow.corrects_number).where(
        OrderRow.campaign_id == campaign_id, OrderRow.kind == REVERSAL
    )
    rows = session.exec(
        select(OrderLotRow)
        .where(
            OrderLotRow.campaign_id == campaign_id,
            col(OrderLotRow.order_number).not_in(reversed_numbers),
        )
        .order_by(
            col(OrderLotRow.starts_at), col(OrderLotRow.order_number), col(OrderLotRow.position)
        )
    )
    return tuple(_lot(row) for row in rows)


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


def _order(row: OrderRow, lots: Iterable[OrderedLot], changes: Iterable[OrderChange]) -> Order:
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
        changes=tuple(changes),
    )


def _change(row: OrderRow) -> OrderChange:
    return OrderChange(
        row.number, row.logged_at, row.logged_by, row.kind,
        row.amount_minor, row.counts_on, row.reason or "",
    )  # fmt: skip


def _lot(row: OrderLotRow) -> OrderedLot:
    return OrderedLot(
        row.order_number, row.position, row.planned_lot, row.gpus, row.gpu,
        row.starts_at, row.ends_at, row.usable_until,
    )  # fmt: skip
