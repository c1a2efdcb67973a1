"""Which lot of the plan an ordered lot fills.

The named one, else the first that is not filled yet and has as many GPUs; otherwise the lot
is extra. What the order leaves open is taken from the lot it fills.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.offers.rules import Offer
from app.orders.rules.entering import NewLot, NewOrder, Problem
from app.orders.rules.records import OfferSnapshot
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Plan, PlannedLot
from app.texts import text


@dataclass(frozen=True, slots=True)
class Fillable:
    """A lot of the plan as an order would fill it; what nobody stated is None."""

    id: str
    offer: str | None
    provider: str | None
    gpu: str | None
    gpus: int | None
    hours: int | None
    starts_at: datetime | None
    ends_at: datetime | None
    price_minor: int | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class Filling:
    """What became of an ordered lot: the planned lot it fills, its GPUs, the offer behind it."""

    planned_lot: str | None
    gpus: int | None
    gpu: str | None
    offer: OfferSnapshot | None


def fillable(
    plan: Plan, windows: Sequence[LotWindow], offers: Iterable[Offer]
) -> tuple[Fillable, ...]:
    """The plan's lots in their order, completed from their windows and from the catalogue."""
    by_id = {window.id: window for window in windows}
    known = {offer.id: offer for offer in offers}
    return tuple(
        _fillable(lot, by_id.get(lot.id), known.get(lot.offer or ""), plan.currency)
        for lot in plan.lots
    )


def _fillable(
    lot: PlannedLot, window: LotWindow | None, offer: Offer | None, currency: str
) -> Fillable:
    price, priced_in = lot.price_minor, currency
    if window is not None and window.price_minor is not None:
        price, priced_in = window.price_minor, window.currency or currency
    elif price is None and offer is not None and offer.price_minor is not None:
        price, priced_in = offer.price_minor, offer.currency or currency
    return Fillable(
        id=lot.id,
        offer=lot.offer,
        provider=offer.provider if offer else None,
        gpu=(window.gpu if window else None) or (offer.gpu if offer else None),
        gpus=lot.gpus or (window.gpus if window else None) or (offer.gpus if offer else None),
        hours=lot.hours or (offer.hours if offer else None),
        starts_at=window.starts_at if window else lot.starts_at,
        ends_at=window.ends_at if window else None,
        price_minor=price,
        currency=priced_in,
    )


def unfilled(planned: Iterable[Fillable], filled: Collection[str]) -> tuple[Fillable, ...]:
    """The planned lots that no order fills yet, in the plan's order."""
    return tuple(lot for lot in planned if lot.id not in filled)


def fill(
    new: NewOrder,
    planned: Sequence[Fillable],
    filled: Collection[str],
    offers: Iterable[Offer],
) -> tuple[Filling, ...] | Problem:
    """Decide what each lot of an order fills, one after the other.

    A Problem on `lot` says that the named lot is not in the plan or is filled already.
    """
    known = {offer.id: offer for offer in offers}
    if new.offer is not None and new.offer not in known:
        problem = text("There is no offer {offer} in the catalogue.", offer=new.offer)
        return Problem("offer", problem, tuple(known))
    offer = known.get(new.offer or "")
    kept_free = {lot.lot for lot in new.lots if lot.lot is not None}
    found: list[Filling] = []
    for position, lot in enumerate(new.lots):
        taken = {*filled, *(one.planned_lot for one in found if one.planned_lot is not None)}
        filling = _fill(lot, planned, taken, kept_free, offer, known)
        if isinstance(filling, Problem):
            before = f"lots.{position}." if len(new.lots) > 1 else ""
            return Problem(before + filling.field, filling.text, filling.allowed)
        found.append(filling)
    return tuple(found)


def _fill(
    new: NewLot,
    planned: Sequence[Fillable],
    filled: Collection[str],
    kept_free: Collection[str],
    offer: Offer | None,
    known: Mapping[str, Offer],
) -> Filling | Problem:
    """What one lot fills; `kept_free` are planned lots that other ones of its order name."""
    gpus = new.gpus or (offer.gpus if offer else None)
    lot: Fillable | Problem | None = _first(gpus, planned, {*filled, *kept_free})
    if new.lot is not None:
        lot = _named(new.lot, planned, filled)
    if isinstance(lot, Problem):
        return lot
    if lot is None or new.extra:
        return Filling(None, gpus, new.gpu or (offer.gpu if offer else None), _snapshot(offer))
    behind = offer or known.get(lot.offer or "")
    gpu = new.gpu or (offer.gpu if offer else None) or lot.gpu
    return Filling(lot.id, gpus or lot.gpus, gpu, _snapshot(behind))


def _named(name: str, planned: Sequence[Fillable], filled: Collection[str]) -> Fillable | Problem:
    open_ids = tuple(lot.id for lot in unfilled(planned, filled))
    lot = next((lot for lot in planned if lot.id == name), None)
    if lot is None:
        return Problem("lot", text("The plan has no lot {lot}.", lot=name), open_ids)
    if name in filled:
        return Problem("lot", text("{lot} is filled by another order.", lot=name), open_ids)
    return lot


def _first(
    gpus: int | None, planned: Sequence[Fillable], filled: Collection[str]
) -> Fillable | None:
    for lot in unfilled(planned, filled):
        if gpus is None or lot.gpus == gpus:
            return lot
    return None


def _snapshot(offer: Offer | None) -> OfferSnapshot | None:
    if offer is None:
        return None
    return OfferSnapshot(
        offer.id, offer.provider, offer.gpu, offer.gpus, offer.hours,
        offer.price_minor, offer.currency, offer.source,
    )  # fmt: skip
