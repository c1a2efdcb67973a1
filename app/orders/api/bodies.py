"""What scripts send about orders, and how it is read."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StrictInt, WithJsonSchema

from app.errors import Malformed
from app.orders.rules import NewOrder, say_why
from app.units import Reason, UnitError, parse_amount, parse_instant

AmountText = Annotated[
    object, WithJsonSchema({"type": "string", "examples": ["47.14"]}, mode="validation")
]
PriceText = Annotated[
    object,
    WithJsonSchema(
        {"anyOf": [{"type": "string"}, {"type": "null"}], "examples": ["47.14"]},
        mode="validation",
    ),
]
InstantText = Annotated[
    object,
    WithJsonSchema(
        {"type": "string", "format": "date-time", "examples": ["2026-11-30T08:00:00+01:00"]},
        mode="validation",
    ),
]


_OF_CURRENCY = (Reason.UNKNOWN_CURRENCY, Reason.NO_MINOR_UNIT)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class OrderBody(_Body):
    """An order with one lot; `price` null is not known, `lot` the planned lot that it fills."""

    provider: str
    account: str | None = None
    reference: str
    price: PriceText
    currency: str
    starts_at: InstantText
    ends_at: InstantText
    usable_until: InstantText | None = None
    lot: str | None = None
    extra: bool = False
    gpus: StrictInt | None = None
    gpu: str | None = None
    offer: str | None = None
    note: str | None = None


class CorrectionBody(OrderBody):
    """What the order should have said, and why it did not."""

    reason: str


class ReversalBody(_Body):
    """Why the order is taken back."""

    reason: str


class RefundBody(_Body):
    """What came back, on which day, and why."""

    amount: AmountText
    on: date
    reason: str


def read_order(body: OrderBody) -> NewOrder:
    """The order that a body states; raises `Malformed` naming the field."""
    price = None if body.price is None else read_amount("price", body.price, body.currency)
    usable = body.usable_until
    return NewOrder(
        provider=body.provider,
        reference=body.reference,
        price_minor=price,
        currency=body.currency,
        starts_at=_instant("starts_at", body.starts_at),
        ends_at=_instant("ends_at", body.ends_at),
        account=body.account,
        note=body.note,
        price_typed=None if body.price is None else str(body.price),
        usable_until=None if usable is None else _instant("usable_until", usable),
        lot=body.lot,
        extra=body.extra,
        gpus=body.gpus,
        gpu=body.gpu,
        offer=body.offer,
    )


def read_amount(field: str, value: object, currency: str) -> int:
    """An amount in minor units; raises `Malformed` for a number, or what the currency lacks."""
    try:
        return parse_amount(value, currency, strict=True)
    except UnitError as error:
        where = "currency" if error.reason in _OF_CURRENCY else field
        raise Malformed(say_why(error), field=where, allowed=error.candidates or None) from None


def _instant(field: str, value: object) -> datetime:
    try:
        return parse_instant(value)
    except UnitError as error:
        raise Malformed(say_why(error), field=field) from None
