"""The catalogue that comes with the program."""

from __future__ import annotations

from dataclasses import fields

import pytest

from app.offers.rules import Offer, read_catalogue


def offers_by_id() -> dict[str, Offer]:
    return {offer.id: offer for offer in read_catalogue()}


@pytest.mark.parametrize(
    ("id_", "hours", "minor"),
    [
        ("iteragpu/rtx-4090/3d", 72, 4714),
        ("iteragpu/rtx-4090/7d", 168, 11000),
        ("iteragpu/rtx-4090/30d", 720, 39000),
    ],
)
def test_the_tariffs_of_the_article(id_: str, hours: int, minor: int) -> None:
    """S1, S6: the price is the lot's."""
    offer = offers_by_id()[id_]

    assert (offer.provider, offer.gpu, offer.gpus) == ("IteraGPU", "RTX 4090", 1)
    assert (offer.hours, offer.price_minor, offer.currency) == (hours, minor, "USD")
    assert "IteraGPU" in offer.source


def test_the_b200_lot_has_two_gpus_and_nothing_that_the_article_does_not_state() -> None:
    offer = offers_by_id()["iteragpu/b200"]

    assert offer.gpus == 2
    assert (offer.price_minor, offer.currency, offer.hours, offer.memory_gb) == (None,) * 4


def test_the_catalogue_holds_these_four_offers_and_no_price_by_time() -> None:
    assert len(read_catalogue()) == 4
    assert [field.name for field in fields(Offer) if "price" in field.name] == ["price_minor"]
