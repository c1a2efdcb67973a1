"""Reading the catalogue of lots that can be rented."""

from __future__ import annotations

import functools

from app.offers.rules import Offer, read_catalogue


@functools.cache
def catalogue() -> tuple[Offer, ...]:
    """All offers in the catalogue's order, read once."""
    return read_catalogue()


def offer_named(offer_id: str) -> Offer | None:
    """One offer by its id, or None."""
    return next((offer for offer in catalogue() if offer.id == offer_id), None)
