"""The plan's lots as windows of whole minutes counted from hour 0.

Hour 0 is the start of the first lot. A lot takes what the plan states for it; what the plan
leaves open comes from the catalogue offer it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.offers.rules import Offer
from app.plan.rules.model import Plan, PlannedLot
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class LotWindow:
    """One lot: `gpus` GPUs inside `[start_min, end_min)`, machines usable until `usable_min`.

    The price is the whole lot's. The instants are UTC, or None while the plan counts in hours.
    """

    id: str
    offer: str | None
    gpu: str | None
    gpus: int
    start_min: int
    end_min: int
    usable_min: int
    price_minor: int | None
    currency: str | None
    starts_at: datetime | None = None
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ResolvedLots:
    """The windows that could be made, and a sentence for each lot that could not."""

    windows: tuple[LotWindow, ...]
    problems: tuple[Text, ...]


def resolve_lots(plan: Plan, offers: Iterable[Offer]) -> ResolvedLots:
    """The plan's lots with their offers filled in, in the plan's order.

    A lot with an unknown offer, or whose hours or GPUs nobody states, is left out and
    said. Lots without a start begin at hour 0.
    """
    known = {offer.id: offer for offer in offers}
    zero = min((_utc(lot.starts_at) for lot in plan.lots if lot.starts_at), default=None)
    windows: list[LotWindow] = []
    problems: list[Text] = []
    for lot in plan.lots:
        made = _window(lot, known, plan.currency, zero)
        if isinstance(made, LotWindow):
            windows.append(made)
        else:
            problems.append(made)
    return ResolvedLots(tuple(windows), tuple(problems))


def zero_at(windows: Sequence[LotWindow]) -> datetime | None:
    """The instant of hour 0 in UTC, or None while no lot has a start."""
    dated = [(lot.start_min, lot.starts_at) for lot in windows if lot.starts_at is not None]
    if not dated:
        return None
    start_min, starts_at = min(dated)
    return starts_at - timedelta(minutes=start_min)


def _window(
    lot: PlannedLot, known: dict[str, Offer], currency: str, zero: datetime | None
) -> LotWindow | Text:
    offer = known.get(lot.offer) if lot.offer is not None else None
    if lot.offer is not None and offer is None:
        return text("{lot}: no offer {offer} in the catalogue", lot=lot.id, offer=lot.offer)
    gpus = lot.gpus or (offer.gpus if offer else None)
    hours = lot.hours or (offer.hours if offer else None)
    if gpus is None:
        return text("{lot}: state how many GPUs the lot has", lot=lot.id)
    if hours is None:
        return text("{lot}: state for how many hours the lot is rented", lot=lot.id)
    price, priced_in = lot.price_minor, currency if lot.price_minor is not None else None
    if price is None and offer is not None:
        price, priced_in = offer.price_minor, offer.currency
    start, end = 0, hours * 60
    starts_at = _utc(lot.starts_at) if lot.starts_at is not None else None
    if starts_at is not None and zero is not None:
        since_s = round((starts_at - zero).total_seconds())
        # Inwards to whole minutes, so that nothing planned stands outside the real window.
        start, end = -(-since_s // 60), (since_s + hours * 3600) // 60
    return LotWindow(
        id=lot.id,
        offer=lot.offer,
        gpu=offer.gpu if offer else None,
        gpus=gpus,
        start_min=start,
        end_min=end,
        usable_min=end,
        price_minor=price,
        currency=priced_in,
        starts_at=starts_at,
        ends_at=starts_at + timedelta(hours=hours) if starts_at is not None else None,
    )


def _utc(at: datetime) -> datetime:
    """UTC before any subtraction: two local times of one zone differ by the wall clock."""
    return at.astimezone(UTC)
