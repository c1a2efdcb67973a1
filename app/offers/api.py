"""The catalogue of lots for scripts."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel

from app.accounts.access import person
from app.offers.queries import catalogue
from app.offers.rules import Offer
from app.units import amount_text

router = APIRouter(prefix="/api/v1", tags=["offers"])


class OfferAnswer(BaseModel):
    """One lot on offer; `price` is for all its GPUs and its whole duration, null is unknown."""

    id: str
    provider: str
    gpu: str
    gpus: int
    memory_gb: int | None
    hours: int | None
    price: str | None
    currency: str | None
    source: str
    valid_on: str | None


class OffersAnswer(BaseModel):
    """The whole catalogue; `next` is null, it has one page."""

    items: list[OfferAnswer]
    next: None = None


@router.get("/offers")
def list_offers(request: Request) -> OffersAnswer:
    """Every offer in the catalogue's order."""
    person(request)
    return OffersAnswer(items=[_answer(offer) for offer in catalogue()])


def _answer(offer: Offer) -> OfferAnswer:
    price = None
    if offer.price_minor is not None and offer.currency is not None:
        price = amount_text(offer.price_minor, offer.currency)
    return OfferAnswer(
        id=offer.id,
        provider=offer.provider,
        gpu=offer.gpu,
        gpus=offer.gpus,
        memory_gb=offer.memory_gb,
        hours=offer.hours,
        price=price,
        currency=offer.currency,
        source=offer.source,
        valid_on=offer.valid_on.isoformat() if offer.valid_on else None,
    )
