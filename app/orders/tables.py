"""Orders and their lots as the journal says them; rows are only ever appended."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint
from sqlmodel import Field

from app.db import Table


class OrderRow(Table, table=True):
    """An order, or a reversal or refund that points at one; `number` is the journal entry's.

    `amount_minor` is the price of an order and what a change adds; NULL is not known. `offer`
    is the catalogue line of that time as canonical JSON.
    """

    __tablename__ = "orders"
    __table_args__ = (
        ForeignKeyConstraint(
            ["campaign_id", "corrects_number"], ["orders.campaign_id", "orders.number"]
        ),
        ForeignKeyConstraint(["campaign_id", "replaces"], ["orders.campaign_id", "orders.number"]),
        CheckConstraint("kind IN ('order', 'reversal', 'refund')", name="kind"),
        CheckConstraint("(kind = 'order') = (corrects_number IS NULL)", name="corrects"),
        CheckConstraint(
            "CASE WHEN kind = 'order' THEN amount_minor >= 0 ELSE amount_minor <= 0 END",
            name="amount",
        ),
        CheckConstraint("length(currency) = 3", name="currency"),
        CheckConstraint("(kind = 'order') = (reason IS NULL)", name="reason"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    kind: str = Field(max_length=16)
    corrects_number: int | None = None
    replaces: int | None = None
    provider: str
    account: str | None = None
    reference: str
    amount_minor: int | None = Field(default=None, sa_type=BigInteger)
    currency: str = Field(max_length=3)
    price_typed: str | None = None
    note: str | None = None
    reason: str | None = None
    counts_on: date | None = None
    plan_version: int
    offer: str | None = None
    logged_at: datetime
    logged_by: str


class OrderLotRow(Table, table=True):
    """One lot of an order: GPUs inside a half-open window; `gpus` NULL is not stated."""

    __tablename__ = "order_lots"
    __table_args__ = (
        ForeignKeyConstraint(
            ["campaign_id", "order_number"], ["orders.campaign_id", "orders.number"]
        ),
        CheckConstraint("ends_at > starts_at", name="window"),
        CheckConstraint("usable_until > starts_at AND usable_until <= ends_at", name="usable"),
        CheckConstraint("gpus IS NULL OR gpus >= 1", name="gpus"),
    )

    campaign_id: str = Field(primary_key=True, max_length=64)
    order_number: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    planned_lot: str | None = None
    gpus: int | None = None
    gpu: str | None = None
    starts_at: datetime
    ends_at: datetime
    usable_until: datetime
