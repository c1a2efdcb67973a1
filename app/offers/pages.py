"""The page of offers: what can be rented, grouped by GPU."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.offers.queries import catalogue
from app.offers.rules import Offer
from app.texts import Text, ntext, text
from app.units import HOUR_S, Duration, Money
from app.web import page

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class OfferLine:
    """One lot as the page shows it; None is not stated by the source."""

    id: str
    provider: str
    duration: Duration | None
    gpus: Text
    price: Money | None
    source: str
    valid_on: date | None


@dataclass(frozen=True, slots=True)
class GpuGroup:
    """The lots with one kind of GPU."""

    gpu: str
    anchor: str
    memory: Text | None
    lines: tuple[OfferLine, ...]


@dataclass(frozen=True, slots=True)
class OffersPage:
    """The whole catalogue."""

    groups: tuple[GpuGroup, ...]


@router.get("/offers")
def show_offers(request: Request) -> Response:
    """The catalogue, grouped by GPU in its own order."""
    groups: dict[str, list[Offer]] = {}
    for offer in catalogue():
        groups.setdefault(offer.gpu, []).append(offer)
    shown = tuple(_group(n, gpu, offers) for n, (gpu, offers) in enumerate(groups.items(), 1))
    return page(request, "offers/index.html", OffersPage(shown), title=text("Offers"))


def _group(n: int, gpu: str, offers: list[Offer]) -> GpuGroup:
    stated = {offer.memory_gb for offer in offers if offer.memory_gb is not None}
    memory = text("{n} GB each", n=stated.pop()) if len(stated) == 1 else None
    return GpuGroup(gpu, f"gpu-{n}", memory, tuple(_line(offer) for offer in offers))


def _line(offer: Offer) -> OfferLine:
    price = None
    if offer.price_minor is not None and offer.currency is not None:
        price = Money(offer.price_minor, offer.currency)
    return OfferLine(
        id=offer.id,
        provider=offer.provider,
        duration=Duration(offer.hours * HOUR_S) if offer.hours is not None else None,
        gpus=ntext("{n} GPU", "{n} GPUs", offer.gpus),
        price=price,
        source=offer.source,
        valid_on=offer.valid_on,
    )
