"""The tables of this room, made from journal entries and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from app.db import WriteSession
from app.journal import Entry, canonical, projector
from app.orders.tables import OrderLotRow, OrderRow
from app.units import stored_instant


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
            note=said["note"],
            plan_version=said["plan_version"],
            offer=canonical(said["offer"]).decode() if said["offer"] else None,
            logged_at=entry.at,
            logged_by=entry.actor.name,
        )
    )
    for position, lot in enumerate(said["lots"]):
        tx.add(
            OrderLotRow(
                campaign_id=entry.campaign_id,
                order_number=entry.number,
                position=position,
                planned_lot=lot["planned_lot"],
                gpus=lot["gpus"],
                gpu=lot["gpu"],
                starts_at=stored_instant(lot["starts_at"]),
                ends_at=stored_instant(lot["ends_at"]),
                usable_until=stored_instant(lot["usable_until"]),
            )
        )


@projector("order.reversed", writes=("orders",))
def project_change(tx: WriteSession, entry: Entry) -> None:
    """A reversal or a refund, pointing at its order."""
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
            counts_on=date.fromisoformat(said["on"]) if said["on"] else None,
            plan_version=said["plan_version"],
            logged_at=entry.at,
            logged_by=entry.actor.name,
        )
    )
