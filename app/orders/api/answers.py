"""What scripts are told about orders; amounts and instants are text, unknown is null."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class LotAnswer(BaseModel):
    """A rented lot as it stands; `fills` is the planned lot, null for an extra one.

    `data_deleted_at` null is not stated by the provider: treat as wiped at the end.
    """

    id: str
    fills: str | None
    gpus: int | None
    gpu: str | None
    memory_gib: int | None
    starts_at: str
    ends_at: str
    usable_until: str
    start_basis: Literal["fixed", "on_delivery"] | None
    end_policy: Literal["wiped", "kept_until", "kept_and_billed", "auto_renews"] | None
    data_deleted_at: str | None
    auto_renew: bool | None


class ChangeAnswer(BaseModel):
    """A row that changed an order; `amount` is what it adds to the order's figure."""

    number: int
    kind: Literal[
        "reversal", "refund", "credit", "correction", "price", "extension", "cancellation",
        "payment_failed", "usable_until",
    ]  # fmt: skip
    amount: str | None
    on: str | None
    reason: str
    lot: str | None
    ends_at: str | None
    usable_until: str | None
    at: str | None
    extension: int | None
    after_close: bool
    logged_at: str
    logged_by: str


class OfferAnswer(BaseModel):
    """The catalogue line as it was when the order was logged."""

    id: str
    provider: str
    gpu: str
    gpus: int
    hours: int | None
    price: str | None
    currency: str | None
    source: str


class SourceAnswer(BaseModel):
    """Which way the order came in, and the SHA-256 of what was pasted or uploaded."""

    way: Literal["form", "paste", "csv", "api"]
    sha256: str | None


class DifferenceAnswer(BaseModel):
    """A field where the order (`sent`) is other than its quote (`recorded`)."""

    field: str
    recorded: str | int | float | bool | None
    sent: str | int | float | bool | None


class OrderAnswer(BaseModel):
    """One order; `price` as it was logged, `price_now` after corrections, `net` what it counts.

    `net` is null while an amount is not known, and `net_reason` says why it is 0 or null.
    """

    number: int
    provider: str
    account: str | None
    reference: str
    price: str | None
    price_now: str | None
    currency: str
    net: str | None
    net_reason: str | None
    state: Literal["active", "reversed"]
    status: Literal[
        "ordered", "payment_failed", "scheduled", "active", "ended", "cancelled", "refunded",
        "reversed",
    ]  # fmt: skip
    before_seal: bool
    replaces: int | None
    ordered_at: str | None
    link: str | None
    note: str | None
    quote: int | None
    quote_difference: list[DifferenceAnswer]
    source: SourceAnswer | None
    lots: list[LotAnswer]
    changes: list[ChangeAnswer]
    offer: OfferAnswer | None
    logged_at: str
    logged_by: str


class OrdersAnswer(BaseModel):
    """A page of orders; pass `next` as `after` for the following one."""

    items: list[OrderAnswer]
    next: int | None


class HeadAnswer(BaseModel):
    """The newest entry of the campaign's journal."""

    number: int
    sha256: str


class LoggedAnswer(OrderAnswer):
    """The order as it stands now, and the head of the journal."""

    head: HeadAnswer


class QuoteAnswer(BaseModel):
    """One quote; `orders` are those made from it, `is_over` once its last day has passed."""

    number: int
    provider: str
    price: str | None
    currency: str
    gpu: str | None
    gpus: int | None
    starts_at: str | None
    ends_at: str | None
    hours: int | None
    valid_until: str | None
    is_over: bool
    note: str | None
    link: str | None
    status: Literal["quoted", "ordered"]
    orders: list[int]
    logged_at: str
    logged_by: str


class QuoteLoggedAnswer(QuoteAnswer):
    """The quote, and the head of the journal."""

    head: HeadAnswer


class QuotesAnswer(BaseModel):
    """A page of quotes; pass `next` as `after` for the following one."""

    items: list[QuoteAnswer]
    next: int | None


class LedgerRowAnswer(BaseModel):
    """One row as it was logged: what it added to the total, and the total after it.

    `amount` null is not known; `unpriced` counts the amounts that nobody stated yet.
    """

    number: int
    order: int
    kind: str
    reference: str
    amount: str | None
    currency: str
    total: str
    unpriced: int
    after_close: bool
    logged_at: str
    logged_by: str


class TotalAnswer(BaseModel):
    """A currency's committed rent at the instant that was asked for."""

    currency: str
    total: str
    unpriced: int


class LedgerAnswer(BaseModel):
    """A page of rows, and the totals at the instant; pass `next` as `after`."""

    items: list[LedgerRowAnswer]
    next: int | None
    totals: list[TotalAnswer]
