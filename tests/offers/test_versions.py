"""What changed between versions of an offer, and what a file would change."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from app.offers.rules import (
    TYPED,
    Act,
    Offer,
    Version,
    changes,
    plan_import,
    proposed_id,
    read_catalogue,
    since,
)
from app.offers.rules.typed import blank, entry_of, read_entry
from app.texts import plain

LOT = read_catalogue()[0]
AT = datetime(2026, 12, 3, 9, tzinfo=UTC)


def later(version: int, offer: Offer) -> Version:
    return Version(offer, version, TYPED, AT, "local")


def test_a_price_that_changed_is_said_with_its_day() -> None:
    dearer = replace(LOT, price_minor=4900)
    told = (Version(LOT, 1), later(2, dearer), later(3, replace(dearer, memory_gb=24)))
    assert str(since(told)) == "Since 2026-12-03: 49.00 USD, before: 47.14 USD."
    dated = later(2, replace(dearer, valid_on=date(2026, 12, 2)))
    assert str(since((Version(LOT, 1), dated))).startswith("Since 2026-12-02")


def test_an_unknown_price_is_no_zero_in_the_history() -> None:
    b200 = read_catalogue()[3]
    priced = later(2, replace(b200, price_minor=1, currency="USD"))
    assert str(since((Version(b200, 1), priced))).endswith("0.01 USD, before: price not known.")
    assert since((Version(LOT, 1),)) is None
    assert since((Version(LOT, 1), later(2, replace(LOT, memory_gb=24)))) is None


def test_every_key_that_differs_is_named() -> None:
    other = Offer("x", "P", "G", 2, 24, 5, 4714, "EUR", "S", date(2026, 1, 1))
    found = changes(LOT, replace(other, id=LOT.id))
    assert [one.key for one in found] == [
        "provider", "gpu", "gpus", "memory_gb", "hours", "price", "source", "valid_on",
    ]  # fmt: skip
    assert plain(found[5].after) == "47.14 EUR"


def test_what_a_file_would_do() -> None:
    gone = replace(read_catalogue()[1], withdrawn=True)
    known = (LOT, gone, read_catalogue()[2])
    rows = [
        (1, LOT),
        (9, replace(gone, withdrawn=False)),
        (20, replace(read_catalogue()[2], withdrawn=True)),
        (30, replace(LOT, id="a/new")),
    ]
    acts = [(one.line, one.act) for one in plan_import(rows, known)]
    assert acts == [(1, Act.KEEP), (9, Act.OFFER_AGAIN), (20, Act.WITHDRAW), (30, Act.ADD)]
    (changed,) = plan_import([(1, replace(LOT, gpus=2))], known)
    assert (changed.act, [one.key for one in changed.changes]) == (Act.CHANGE, ["gpus"])


@pytest.mark.parametrize("offer", read_catalogue(), ids=lambda offer: offer.id)
def test_a_form_that_comes_back_as_it_was_says_the_same_offer(offer: Offer) -> None:
    entry, read = read_entry(entry_of(offer).values, offer.id)
    assert (entry.errors, read) == ({}, offer)


@pytest.mark.parametrize(
    ("typed", "field", "right"),
    [
        ({"duration": "48"}, "duration", "48 h"),
        ({"duration": "90 min"}, "duration", "whole hours"),
        ({"duration": "-3h"}, "duration", "negative"),
        ({"price": "1.234"}, "price", "1234.00, 1.23, 1.24"),
        ({"price": "47.145"}, "price", "47145.00, 47.14, 47.15"),
        ({"price": "4", "price_currency": "XXX"}, "price", "ISO 4217"),
        ({"gpus": "two"}, "gpus", "from 1 to 4096"),
        ({"memory_gb": "0"}, "memory_gb", "from 1 to"),
        ({"source": ""}, "source", "needed"),
        ({"valid_on": "3 Dec"}, "valid_on", "2026-12-01"),
        ({"id": "Ä"}, "id", "small letters"),
        ({"provider": ""}, "provider", "needed"),
    ],
)
def test_a_wrong_field_is_named_and_everything_typed_is_kept(
    typed: dict[str, str], field: str, right: str
) -> None:
    values = {**entry_of(LOT).values, **typed}
    entry, read = read_entry(values)
    assert read is None
    assert list(entry.errors) == [field]
    assert right in str(entry.errors[field])
    assert entry.values == values


def test_a_price_with_two_readings_is_taken_as_it_was_answered() -> None:
    values = {**entry_of(LOT).values, "price": "1.234"}
    entry, _ = read_entry(values)
    assert [reading for reading, *_ in entry.readings] == ["1234.00", "1.23", "1.24"]
    _, read = read_entry({**values, "price_reading": "1234.00"})
    assert read is not None
    assert read.price_minor == 123400


def test_an_empty_price_is_unknown_and_has_no_currency() -> None:
    _, read = read_entry({**entry_of(LOT).values, "price": " "})
    assert read is not None
    assert (read.price_minor, read.currency) == (None, None)


@pytest.mark.parametrize(
    ("words", "proposed"),
    [
        (("IteraGPU", "RTX 4090", 72), "iteragpu/rtx-4090/3d"),
        (("Größe & Söhne", "H100 (80 GB)", 5), "grosse-sohne/h100-80-gb/5h"),
        (("A", "B", None), "a/b"),
        (("云", "B", 24), ""),
    ],
)
def test_an_id_is_proposed(words: tuple[str, str, int | None], proposed: str) -> None:
    assert proposed_id(*words) == proposed


def test_a_new_form_knows_today_and_asks_for_the_rest() -> None:
    entry, read = read_entry(blank(date(2026, 12, 1)).values)
    assert read is None
    assert set(entry.errors) == {"id", "provider", "gpu", "source"}
    assert entry.get("valid_on") == "2026-12-01"
