"""The page of offers: what can be rented, grouped by GPU, and what is not offered any more."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.offers.pages.contexts import OfferLine, line_of
from app.offers.queries import catalogue
from app.offers.rules import Offer
from app.texts import Text, text
from app.web import page

router = APIRouter()


@dataclass(frozen=True, slots=True)
class GpuGroup:
    """The lots with one kind of GPU; `memory` where all that state it say the same."""

    gpu: str
    anchor: str
    memory: Text | None
    lines: tuple[OfferLine, ...]


@dataclass(frozen=True, slots=True)
class OffersPage:
    """The whole catalogue."""

    groups: tuple[GpuGroup, ...]
    withdrawn: tuple[OfferLine, ...]


@router.get("/offers")
def show_offers(request: Request) -> Response:
    """The catalogue, grouped by GPU in its own order."""
    with request.app.state.db.read() as session:
        offers = catalogue(session)
    groups: dict[str, list[Offer]] = {}
    for offer in offers:
        if not offer.withdrawn:
            groups.setdefault(offer.gpu, []).append(offer)
    shown = OffersPage(
        tuple(_group(n, gpu, of_gpu) for n, (gpu, of_gpu) in enumerate(groups.items(), 1)),
        tuple(line_of(offer) for offer in offers if offer.withdrawn),
    )
    return page(request, "offers/index.html", shown, title=text("Offers"))


def _group(n: int, gpu: str, offers: list[Offer]) -> GpuGroup:
    stated = {offer.memory_gb for offer in offers if offer.memory_gb is not None}
    memory = text("{n} GB each", n=stated.pop()) if len(stated) == 1 else None
    return GpuGroup(gpu, f"gpu-{n}", memory, tuple(line_of(offer) for offer in offers))
