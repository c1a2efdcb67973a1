"""What scripts send about orders and quotes, and how it is read."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import date, datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StrictInt, WithJsonSchema

from app.errors import Malformed
from app.orders.rules import MAX_LOTS, NewLot, NewOrder, NewQuote, Order, Source, as_new, say_why
from app.texts import text
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
_INSTANTS = ("starts_at", "ends_at", "usable_until", "data_deleted_at")


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _LotFields(_Body):
    starts_at: InstantText | None = None
    ends_at: InstantText | None = None
    usable_until: InstantText | None = None
    lot: str | None = None
    extra: bool = False
    gpus: StrictInt | None = None
    gpu: str | None = None
    memory_gib: StrictInt | None = None
    start_basis: str | None = None
    end_policy: str | None = None
    data_deleted_at: InstantText | None = None
    auto_renew: bool | None = None


class LotBody(_LotFields):
    """One lot of an order; `lot` is the planned lot that it fills."""


class _OrderFields(_LotFields):
    provider: str | None = None
    account: str | None = None
    reference: str | None = None
    price: PriceText = None
    currency: str | None = None
    ordered_at: InstantText | None = None
    link: str | None = None
    note: str | None = None
    offer: str | None = None
    quote: StrictInt | None = None
    lots: list[LotBody] | None = None


class OrderBody(_OrderFields):
    """An order: the fields of its one lot beside its own, or several lots as `lots`.

    `price` null is not known.
    """

    provider: str
    reference: str
    price: PriceText
    currency: str


class CorrectionBody(_OrderFields):
    """What the order should have said, and why it did not; what is left out stays as it is."""

    reason: str


class QuoteBody(_Body):
    """What a provider offered; `price` null is not known."""

    provider: str
    price: PriceText
    currency: str
    gpu: str | None = None
    gpus: StrictInt | None = None
    starts_at: InstantText | None = None
    ends_at: InstantText | None = None
    hours: StrictInt | None = None
    valid_until: date | None = None
    note: str | None = None
    link: str | None = None


def read_order(body: OrderBody) -> NewOrder:
    """The order that a body states; raises `Malformed` naming the field."""
    price = None if body.price is None else read_amount("price", body.price, body.currency)
    return NewOrder(
        provider=body.provider,
        reference=body.reference,
        price_minor=price,
        currency=body.currency,
        lots=_lots(body),
        account=body.account,
        note=body.note,
        price_typed=None if body.price is None else str(body.price),
        ordered_at=_may_be("ordered_at", body.ordered_at),
        link=body.link,
        offer=body.offer,
        quote=body.quote,
        source=Source("api"),
    )


def read_correction(body: CorrectionBody, order: Order) -> NewOrder:
    """The order as it should be: as it stands, with what the body says; raises `Malformed`."""
    said, new = body.model_fields_set, as_new(order)
    values: dict[str, Any] = {"source": Source("api")}
    for name in ("provider", "account", "reference", "currency", "link", "note", "offer", "quote"):
        if name in said:
            values[name] = getattr(body, name)
    for name in ("provider", "reference", "currency"):
        if name in said and values[name] is None:
            raise _needed(name)
    if "ordered_at" in said:
        values["ordered_at"] = _may_be("ordered_at", body.ordered_at)
    if "price" in said:
        currency = str(values.get("currency", new.currency))
        known = body.price is not None
        values["price_minor"] = read_amount("price", body.price, currency) if known else None
        values["price_typed"] = str(body.price) if known else None
    elif values.get("currency", new.currency) != new.currency:
        raise _needed("price")
    if "lots" in said or said & _LotFields.model_fields.keys():
        values["lots"] = _corrected(body, new.lots)
    return replace(new, **values)


def read_quote(body: QuoteBody) -> NewQuote:
    """The quote that a body states; raises `Malformed` naming the field."""
    price = None if body.price is None else read_amount("price", body.price, body.currency)
    return NewQuote(
        provider=body.provider,
        price_minor=price,
        currency=body.currency,
        gpu=body.gpu,
        gpus=body.gpus,
        starts_at=_may_be("starts_at", body.starts_at),
        ends_at=_may_be("ends_at", body.ends_at),
        hours=body.hours,
        valid_until=body.valid_until,
        note=body.note,
        link=body.link,
    )


def read_amount(field: str, value: object, currency: str) -> int:
    """An amount in minor units; raises `Malformed` for a number, or what the currency lacks."""
    try:
        return parse_amount(value, currency, strict=True)
    except UnitError as error:
        where = "currency" if error.reason in _OF_CURRENCY else field
        raise Malformed(say_why(error), field=where, allowed=error.candidates or None) from None


def read_instant(field: str, value: object) -> datetime:
    """An instant with its offset; raises `Malformed` naming the field."""
    try:
        return parse_instant(value)
    except UnitError as error:
        raise Malformed(say_why(error), field=field) from None


def _may_be(field: str, value: object) -> datetime | None:
    return None if value is None else read_instant(field, value)


def _lots(body: _OrderFields) -> tuple[NewLot, ...]:
    """The lots that a body states, in one of the two forms."""
    if body.lots is None:
        return (_lot(body, ""),)
    beside = sorted(body.model_fields_set & _LotFields.model_fields.keys())
    if beside:
        said = text("{field} belongs to one of the lots: say it inside `lots`.", field=beside[0])
        raise Malformed(said, field=beside[0])
    if not 1 <= len(body.lots) <= MAX_LOTS:
        said = text("An order has 1 to {most} lots.", most=MAX_LOTS)
        raise Malformed(said, field="lots")
    return tuple(_lot(lot, f"lots.{place}.") for place, lot in enumerate(body.lots))


def _lot(body: _LotFields, before: str) -> NewLot:
    for name in ("starts_at", "ends_at"):
        if getattr(body, name) is None:
            raise _needed(before + name)
    return NewLot(**_lot_values(body, before, {field.name for field in fields(NewLot)}))


def _lot_values(body: _LotFields, before: str, names: set[str]) -> dict[str, Any]:
    values = {name: getattr(body, name) for name in names}
    read = {name: _may_be(before + name, values[name]) for name in _INSTANTS if name in values}
    return {**values, **read}


def _corrected(body: _OrderFields, lots: tuple[NewLot, ...]) -> tuple[NewLot, ...]:
    """The lots as they should be: all said anew, or the only one with what is said of it."""
    if body.lots is not None:
        return _lots(body)
    names = body.model_fields_set & _LotFields.model_fields.keys()
    for name in ("starts_at", "ends_at"):
        if name in names and getattr(body, name) is None:
            raise _needed(name)
    if len(lots) > 1:
        said = text("The order has several lots: say all of them as `lots`.")
        raise Malformed(said, field=min(names))
    values = _lot_values(body, "", set(names))
    if values.get("lot") is not None:
        values.setdefault("extra", False)
    elif values.get("extra"):
        values["lot"] = None
    return (replace(lots[0], **values),)


def _needed(field: str) -> Malformed:
    return Malformed(text("{field} is needed.", field=field), field=field)
