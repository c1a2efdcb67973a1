"""The tables of this room, made from journal entries and nothing else.

What an older entry does not say yet is read as not stated.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from app.db import WriteSession
from app.journal import Entry, canonical, projector
from app.orders.tables import OrderLotRow, OrderRow, QuoteRow
from app.units import stored_instant


@projector("order.quoted", writes=("quotes",))
def project_quote(tx: WriteSession, entry: Entry) -> None:
    """A quote."""
    said: Mapping[str, Any] = entry.payload
    tx.add(
        QuoteRow(
            campaign_id=entry.campaign_id,
            number=entry.number,
            provider=said["provider"],
            price_minor=said["price_minor"],
            currency=said["currency"],
            gpu=said["gpu"],
            gpus=said["gpus"],
            starts_at=_instant(said["starts_at"]),
            ends_at=_instant(said["ends_at"]),
            hours=said["hours"],
            valid_until=_day(said["valid_until"]),
            note=said["note"],
            link=said["link"],
            logged_at=entry.at,
            logged_by=entry.actor.name,
        )
    )


@projector("order.logged", writes=("orders", "order_lots"))
def project_order(tx: WriteSession, entry: Entry) -> None:
    """An order and its lots."""
    said: Mapping[str, Any] = entry.payload
    tx.add(
        OrderRow(
            campaign_id=entry.campaign_id,
            number=entry.number,
            kind="order",
            replaces=said["replaces"],
            provider=said["provider"],
            account=said["account"],
            reference=said["reference"],
            amount_minor=said["price_minor"],
            currency=said["currency"],
            price_typed=said["price_typed"],
            ordered_at=_instant(said.get("ordered_at")),
            link=said.get("link"),
            note=said["note"],
            plan_version=said["plan_version"],
            offer=_json(said["offer"]),
            quote=said.get("quote"),
            source=_json(said.get("source")),
            logged_at=entry.at,
            logged_by=entry.actor.name,
        )
    )
    for position, lot in enumerate(said["lots"]):
        tx.add(_lot(entry, position, lot))


def _lot(entry: Entry, position: int, lot: Mapping[str, Any]) -> OrderLotRow:
    return OrderLotRow(
        campaign_id=entry.campaign_id,
        order_number=entry.number,
        position=position,
        planned_lot=lot["planned_lot"],
        gpus=lot["gpus"],
        gpu=lot["gpu"],
        memory_gib=lot.get("memory_gib"),
        starts_at=stored_instant(lot["starts_at"]),
        ends_at=stored_instant(lot["ends_at"]),
        usable_until=stored_instant(lot["usable_until"]),
        start_basis=lot.get("start_basis"),
        end_policy=lot.get("end_policy"),
        data_deleted_at=_instant(lot.get("data_deleted_at")),
        auto_renew=lot.get("auto_renew"),
    )


@projector("order.changed", "order.reversed", writes=("orders",))
def project_change(tx: WriteSession, entry: Entry) -> None:
    """A change, pointing at its order; older reversals and refunds are `order.reversed`."""
    said: Mapping[str, Any] = entry.payload
    tx.add(
        OrderRow(
            campaign_id=entry.campaign_id,
            number=entry.number,
            kind=said["kind"],
            corrects_number=said["order"],
            provider=said["provider"],
            reference=said["reference"],
            amount_minor=said["amount_minor"],
            currency=said["currency"],
            reason=said["reason"],
            counts_on=_day(said["on"]),
            plan_version=said["plan_version"],
            lot_position=said.get("lot"),
            ends_at=_instant(said.get("ends_at")),
            usable_until=_instant(said.get("usable_until")),
            happens_at=_instant(said.get("at")),
            prices=said.get("of"),
            after_close=said.get("after_close", False),
            logged_at=entry.at,
            logged_by=entry.actor.name,
        )
    )


def _instant(written: str | None) -> datetime | None:
    return None if written is None else stored_instant(written)


def _day(written: str | None) -> date | None:
    return None if written is None else date.fromisoformat(written)


def _json(said: object) -> str | None:
    return canonical(said).decode() if said else None
