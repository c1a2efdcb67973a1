"""Whether an order is in the record already, and where the record says otherwise.

An order is known by provider, account and reference: sent again unchanged it is the same order,
sent again with differences it contradicts the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.orders.rules.entering import NewLot, NewOrder
from app.orders.rules.records import Order, OrderedLot
from app.texts import Text, text

FIELD_NAMES: dict[str, Text] = {
    "provider": text("provider"),
    "account": text("account"),
    "reference": text("order reference"),
    "price": text("price"),
    "currency": text("currency"),
    "ordered_at": text("ordered at"),
    "link": text("link"),
    "quote": text("quote"),
    "lots": text("number of lots"),
    "starts_at": text("start"),
    "ends_at": text("end"),
    "usable_until": text("usable until"),
    "note": text("note"),
    "lot": text("planned lot"),
    "gpus": text("GPUs"),
    "gpu": text("GPU"),
    "memory_gib": text("memory"),
    "start_basis": text("how the start is fixed"),
    "end_policy": text("what happens at the end"),
    "data_deleted_at": text("data deleted at"),
    "auto_renew": text("renews by itself"),
    "hours": text("hours"),
}
"""How a difference names its field to a person."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that is recorded otherwise than it is said now."""

    field: str
    recorded: object
    said: object

    @property
    def name(self) -> Text:
        """The field as a person calls it; a lot of several by its place."""
        _, _, after = self.field.partition(".")
        place, _, field = after.partition(".")
        if not field:
            return FIELD_NAMES[self.field]
        return text("{field} of lot {n}", field=FIELD_NAMES[field], n=int(place) + 1)


def as_new(order: Order) -> NewOrder:
    """An order as it would be said now, to be corrected: its price and lots as they stand."""
    return NewOrder(
        provider=order.provider,
        reference=order.reference,
        price_minor=order.price_now_minor,
        currency=order.currency,
        lots=tuple(_as_new_lot(lot) for lot in order.lots),
        account=order.account,
        note=order.note,
        price_typed=order.price_typed,
        ordered_at=order.ordered_at,
        link=order.link,
        quote=order.quote,
        source=order.source,
    )


def _as_new_lot(lot: OrderedLot) -> NewLot:
    return NewLot(
        starts_at=lot.starts_at,
        ends_at=lot.ends_at,
        usable_until=lot.usable_until if lot.usable_until != lot.ends_at else None,
        lot=lot.planned_lot,
        extra=lot.planned_lot is None,
        gpus=lot.gpus,
        gpu=lot.gpu,
        memory_gib=lot.memory_gib,
        start_basis=lot.start_basis,
        end_policy=lot.end_policy,
        data_deleted_at=lot.data_deleted_at,
        auto_renew=lot.auto_renew,
    )


def find_same(orders: Iterable[Order], new: NewOrder) -> Order | None:
    """The order not taken back that this one names: same provider, account and reference.

    Two accounts at one provider may use the same reference; an account left out fits any.
    """
    for order in orders:
        if (
            order.is_active
            and order.provider.casefold() == new.provider.casefold()
            and order.reference == new.reference
            and (order.account is None or new.account is None or order.account == new.account)
        ):
            return order
    return None


_LEFT_OUT = ("ordered_at", "link", "quote")
_OF_LOT = ("memory_gib", "start_basis", "end_policy", "data_deleted_at", "auto_renew")


def differences(order: Order, new: NewOrder) -> tuple[Difference, ...]:
    """Where the record says otherwise, both as it was logged and as it stands now.

    So the order as it was sent first stays the same order after a correction or an extension.
    What is left out, or left to the rules (lot, GPUs), is not compared.
    """
    return tuple(_differences(order, new, again=True))


def corrections(order: Order, new: NewOrder) -> tuple[Difference, ...]:
    """Where an order as it stands is other than it should be; what is left out should be empty,
    but for lot and GPUs, which are left to the rules."""
    return tuple(_differences(order, new, again=False))


def _differences(order: Order, new: NewOrder, *, again: bool) -> Iterator[Difference]:
    """`again` takes the order as it was logged for as good, and what is left out for agreed."""
    price = (order.price_now_minor, order.price_minor)
    pairs: list[tuple[str, tuple[object, ...], object]] = [
        ("account", (order.account,), new.account),
        ("price", price if again else price[:1], new.price_minor),
        ("currency", (order.currency,), new.currency),
        ("note", (order.note,), new.note),
    ]
    for name in _LEFT_OUT:
        said = getattr(new, name)
        if said is not None or not again:
            pairs.append((name, (getattr(order, name),), said))
    yield from (Difference(name, old[0], said) for name, old, said in pairs if said not in old)
    if len(order.lots) != len(new.lots):
        yield Difference("lots", len(order.lots), len(new.lots))
        return
    for position, lot in enumerate(new.lots):
        before = f"lots.{position}." if len(new.lots) > 1 else ""
        stands = (order.lots[position], order.logged_lots[position])
        for one in _lot_differences(stands if again else stands[:1], lot, again):
            yield Difference(before + one.field, one.recorded, one.said)


def _lot_differences(
    recorded: tuple[OrderedLot, ...], new: NewLot, again: bool
) -> Iterator[Difference]:
    said: dict[str, object] = {
        "starts_at": new.starts_at,
        "ends_at": new.ends_at,
        "usable_until": new.usable_until or new.ends_at,
    }
    left_to_rules = {name: getattr(new, name) for name in ("gpus", "gpu")}
    said |= {name: value for name, value in left_to_rules.items() if value is not None}
    stated = {name: getattr(new, name) for name in _OF_LOT}
    said |= {name: value for name, value in stated.items() if value is not None or not again}
    for name, value in said.items():
        old = [getattr(lot, name) for lot in recorded]
        if value not in old:
            yield Difference(name, old[0], value)
    planned = recorded[0].planned_lot
    if (new.lot is not None or new.extra) and planned != new.lot:
        yield Difference("lot", planned, new.lot)
