"""What scripts are told about orders; amounts and instants are text, unknown is null."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class LotAnswer(BaseModel):
    """A rented lot; `fills` is the planned lot, null for an extra one."""

    id: str
    fills: str | None
    gpus: int | None
    gpu: str | None
    starts_at: str
    ends_at: str
    usable_until: str


class ChangeAnswer(BaseModel):
    """A reversal or refund; `amount` is what it adds to the order's figure."""

    number: int
    kind: Literal["reversal", "refund"]
    amount: str | None
    on: str | None
    reason: str
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


class OrderAnswer(BaseModel):
    """One order; `net` is its price less what was taken back."""

    number: int
    provider: str
    account: str | None
    reference: str
    price: str | None
    currency: str
    net: str | None
    state: Literal["active", "reversed"]
    before_seal: bool
    replaces: int | None
    note: str | None
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
