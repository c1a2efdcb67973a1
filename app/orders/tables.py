"""Quotes, orders and their lots as the journal says them; rows are only ever appended."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint
from sqlmodel import Field

from app.db import Table


class QuoteRow(Table, table=True):
    """What a provider offered before an order; NULL is not stated."""

    __tablename__ = "quotes"
    __table_args__ = (
        CheckConstraint("price_minor IS NULL OR price_minor >= 0", name="price"),
        CheckConstraint("length(currency) = 3", name="currency"),
        CheckConstraint("gpus IS NULL OR gpus >= 1", name="gpus"),
        CheckConstraint("hours IS NULL OR hours >= 1", name="hours"),
        CheckConstraint("ends_at IS NULL OR ends_at > starts_at", name="window"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    provider: str
    price_minor: int | None = Field(default=None, sa_type=BigInteger)
    currency: str = Field(max_length=3)
    gpu: str | None = None
    gpus: int | None = None
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    hours: int | None = None
    valid_until: date | None = None
    note: str | None = None
    link: str | None = None
    logged_at: datetime
    logged_by: str


class OrderRow(Table, table=True):
    """An order, or a change that points at one; `number` is the journal entry's.

    `amount_minor` is the price of an order and what a change adds; NULL is not known, or that
    a change adds nothing. `offer` is the catalogue line of that time and `source` what the
    order was read from, both as canonical JSON. Of a change, `lot_position` with `ends_at` and
    `usable_until` say which lot it moves, `happens_at` when it took effect, `prices` which
    extension it states the amount of.
    """

    __tablename__ = "orders"
    __table_args__ = (
        ForeignKeyConstraint(
            ["campaign_id", "corrects_number"], ["orders.campaign_id", "orders.number"]
        ),
        ForeignKeyConstraint(["campaign_id", "replaces"], ["orders.campaign_id", "orders.number"]),
        ForeignKeyConstraint(["campaign_id", "prices"], ["orders.campaign_id", "orders.number"]),
        ForeignKeyConstraint(["campaign_id", "quote"], ["quotes.campaign_id", "quotes.number"]),
        CheckConstraint(
            "kind IN ('order', 'reversal', 'refund', 'credit', 'correction', 'price', 'extension',"
            " 'cancellation', 'payment_failed', 'usable_until')",
            name="kind",
        ),
        CheckConstraint("(kind = 'order') = (corrects_number IS NULL)", name="corrects"),
        CheckConstraint(
            "CASE WHEN kind IN ('order', 'price', 'extension') THEN amount_minor >= 0"
            " WHEN kind IN ('reversal', 'refund', 'credit') THEN amount_minor <= 0"
            " WHEN kind = 'correction' THEN amount_minor IS NOT NULL"
            " ELSE amount_minor IS NULL END",
            name="amount",
        ),
        CheckConstraint("length(currency) = 3", name="currency"),
        CheckConstraint("(kind = 'order') = (reason IS NULL)", name="reason"),
        CheckConstraint(
            "(kind IN ('extension', 'usable_until')) = (lot_position IS NOT NULL)", name="lot"
        ),
        CheckConstraint("after_close IS FALSE OR kind IN ('refund', 'credit')", name="after_close"),
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
    ordered_at: datetime | None = None
    link: str | None = None
    note: str | None = None
    reason: str | None = None
    counts_on: date | None = None
    plan_version: int
    offer: str | None = None
    quote: int | None = None
    source: str | None = None
    lot_position: int | None = None
    ends_at: datetime | None = None
    usable_until: datetime | None = None
    happens_at: datetime | None = None
    prices: int | None = None
    after_close: bool = False
    logged_at: datetime
    logged_by: str


class OrderLotRow(Table, table=True):
    """One lot of an order as it was logged: GPUs inside a half-open window; NULL is not stated."""

    __tablename__ = "order_lots"
    __table_args__ = (
        ForeignKeyConstraint(
            ["campaign_id", "order_number"], ["orders.campaign_id", "orders.number"]
        ),
        CheckConstraint("ends_at > starts_at", name="window"),
        CheckConstraint("usable_until > starts_at AND usable_until <= ends_at", name="usable"),
        CheckConstraint("gpus IS NULL OR gpus >= 1", name="gpus"),
        CheckConstraint("memory_gib IS NULL OR memory_gib >= 1", name="memory_gib"),
        CheckConstraint(
            "start_basis IS NULL OR start_basis IN ('fixed', 'on_delivery')", name="start_basis"
        ),
        CheckConstraint(
            "end_policy IS NULL OR end_policy IN"
            " ('wiped', 'kept_until', 'kept_and_billed', 'auto_renews')",
            name="end_policy",
        ),
    )

    campaign_id: str = Field(primary_key=True, max_length=64)
    order_number: int = Field(primary_key=True)
    position: int = Field(primary_key=True)
    planned_lot: str | None = None
    gpus: int | None = None
    gpu: str | None = None
    memory_gib: int | None = None
    starts_at: datetime
    ends_at: datetime
    usable_until: datetime
    start_basis: str | None = Field(default=None, max_length=16)
    end_policy: str | None = Field(default=None, max_length=16)
    data_deleted_at: datetime | None = None
    auto_renew: bool | None = None
