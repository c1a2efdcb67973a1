"""Confirmations as providers send them, in three languages and some of them hostile: what is
found, what is asked, and what must never be taken. All names and figures are made up."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.orders.rules.pasting import Pasted, Way, read_paste
from app.units import instant_text

PASTES = Path(__file__).parent / "pastes"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
Z = "Europe/Berlin"

FOUND: dict[str, dict[str, object]] = {
    "en-plain.txt": {
        "reference": "IG-20931", "provider": "IteraGPU", "account": "88-1204", "gpus": 1,
        "gpu": "RTX 4090", "memory_gib": 24, "price": "47.14", "currency": "USD",
        "starts_at": "2026-11-30T07:00:00Z", "ends_at": "2026-12-03T07:00:00Z",
    },
    "en-rate-beside-total.txt": {
        "reference": "HG/2026/0917-B", "gpus": 2, "gpu": "B200", "memory_gib": 180,
        "price": "460.80", "currency": "USD",
        "starts_at": "2026-12-01T06:00:00Z", "ends_at": "2026-12-04T06:00:00Z",
    },
    "en-two-totals.txt": {
        "reference": "NC-555-12", "currency": "USD",
        "starts_at": "2026-12-01T08:00:00Z", "ends_at": "2026-12-04T08:00:00Z",
    },
    "en-us-dates.txt": {
        "reference": "A1-7781", "price": "1200.00", "currency": "USD",
        "ordered_at": "2026-02-28T17:15:00Z",
        "starts_at": "2026-03-04T08:00:00Z", "ends_at": "2026-03-07T20:00:00Z",
    },
    "en-us-dates-ambiguous.txt": {"reference": "A1-7782", "price": "47.14", "currency": "USD"},
    "en-no-zone.txt": {"reference": "IG-20950", "price": "47.14", "currency": "USD"},
    "en-window-by-length.txt": {
        "reference": "LAMP-0031", "gpu": "RTX 4090", "price": "47.14", "currency": "EUR",
        "starts_at": "2026-10-24T16:00:00Z", "ends_at": "2026-10-27T16:00:00Z",
    },
    "en-ambiguous-amount.txt": {"reference": "BULK-77", "currency": "EUR"},
    "en-thousands.txt": {
        "reference": "BULK-78", "price": "12345.60", "currency": "EUR",
        "starts_at": "2026-12-01T07:00:00Z", "ends_at": "2026-12-31T07:00:00Z",
    },
    "en-refund.txt": {"reference": "IG-20931", "currency": "USD"},
    "en-refund-policy.txt": {
        "reference": "IG-20960", "price": "47.14", "currency": "USD",
        "link": "https://itera.example/orders/IG-20960",
    },
    "en-tax.txt": {"reference": "IG-20961", "currency": "EUR"},
    "en-forwarded.txt": {
        "reference": "IG-20970", "provider": "IteraGPU", "price": "47.14", "currency": "USD",
        "auto_renew": False,
        "starts_at": "2026-12-01T08:00:00Z", "ends_at": "2026-12-04T08:00:00Z",
    },
    "en-quoted-printable.txt": {
        "reference": "IG-20980", "price": "47.14", "currency": "EUR",
        "starts_at": "2026-12-01T08:00:00Z", "ends_at": "2026-12-04T08:00:00Z",
    },
    "en-zero-width.txt": {
        "reference": "IG-20981", "price": "47.14", "currency": "USD",
        "starts_at": "2026-12-01T08:00:00Z",
    },
    "en-source.eml": {
        "reference": "IG-20990", "provider": "IteraGPU", "price": "47.14", "currency": "USD",
        "starts_at": "2026-12-01T08:00:00Z",
    },
    "de-plain.txt": {
        "reference": "IG-DE-4711", "provider": "IteraGPU", "account": "K-33", "gpu": "RTX 4090",
        "memory_gib": 24, "auto_renew": False, "price": "47.14", "currency": "EUR",
        "ordered_at": "2026-11-29T16:42:00Z",
        "starts_at": "2026-11-30T07:00:00Z", "ends_at": "2026-12-03T07:00:00Z",
    },
    "de-no-zone.txt": {"reference": "2026-00817", "price": "1047.14", "currency": "EUR"},
    "de-rate.txt": {"reference": "R-818"},
    "de-iban.txt": {
        "reference": "BK-55", "price": "110.00", "currency": "EUR",
        "starts_at": "2026-12-01T07:00:00Z", "ends_at": "2026-12-08T07:00:00Z",
    },
    "de-swiss.txt": {
        "reference": "SG-7", "price": "1200.50", "currency": "CHF",
        "starts_at": "2026-12-01T07:00:00Z", "ends_at": "2026-12-08T07:00:00Z",
        "usable_until": "2026-12-08T06:30:00Z",
    },
    "vi-plain.txt": {
        "reference": "IG-VN-2026-09", "provider": "IteraGPU", "account": "nhom-nghien-cuu",
        "gpus": 1, "gpu": "RTX 4090", "memory_gib": 24, "auto_renew": False,
        "price": "1200000", "currency": "VND",
        "starts_at": "2026-12-01T01:00:00Z", "ends_at": "2026-12-04T01:00:00Z",
    },
    "vi-window.txt": {
        "reference": "VN-77", "price": "47.14", "currency": "USD",
        "starts_at": "2026-12-01T01:00:00Z", "ends_at": "2026-12-04T01:00:00Z",
    },
    "vi-no-zone.txt": {"reference": "VN-78", "currency": "VND"},
    "en-order.html": {
        "reference": "IG-30001", "price": "47.14", "currency": "EUR",
        "starts_at": "2026-12-01T08:00:00Z", "ends_at": "2026-12-04T08:00:00Z",
    },
    "en-json-ld.html": {
        "reference": "IG-30002", "provider": "IteraGPU", "gpu": "RTX 4090", "price": "47.14",
        "currency": "USD", "link": "https://itera.example/orders/IG-30002",
        "ordered_at": "2026-11-29T16:42:00Z",
        "starts_at": "2026-12-01T08:00:00Z", "ends_at": "2026-12-04T08:00:00Z",
    },
    "en-json-ld-contradicted.html": {"reference": "IG-30003", "currency": "USD"},
    "en-microdata.html": {
        "reference": "IG-30004", "provider": "IteraGPU", "price": "110.00", "currency": "EUR",
    },
    "en-json-ld-two.html": {},
    "cli.json": {
        "reference": "hg-0091", "provider": "Harbor GPU", "gpus": 2, "gpu": "B200",
        "auto_renew": False, "price": "460.80", "currency": "USD",
        "ordered_at": "2026-11-29T16:42:00Z",
        "starts_at": "2026-12-01T06:00:00Z", "ends_at": "2026-12-04T06:00:00Z",
    },
    "cli-epoch.json": {
        "reference": "n-1", "gpus": 1, "gpu": "RTX 4090", "price": "47.14", "currency": "USD",
        "starts_at": "2026-12-01T08:00:00Z", "ends_at": "2026-12-04T08:00:00Z",
    },
    "cli-many.json": {},
    "cli-minor.json": {"reference": "s-1", "currency": "USD"},
}  # fmt: skip

ASKED: dict[str, dict[str, tuple[str, ...]]] = {
    "en-two-totals.txt": {"price": ("47.14", "110.00")},
    "en-us-dates-ambiguous.txt": {
        "starts_at": ("2026-04-03T08:00:00Z", "2026-03-04T08:00:00Z"),
        "ends_at": ("2026-04-06T20:00:00Z", "2026-06-04T20:00:00Z"),
    },
    "en-no-zone.txt": {
        "starts_at": ("2026-12-01T07:00:00Z", "2026-12-01T08:00:00Z"),
        "ends_at": ("2026-12-04T07:00:00Z", "2026-12-04T08:00:00Z"),
    },
    "en-ambiguous-amount.txt": {"price": ("1234.00", "1.23", "1.24")},
    "en-refund.txt": {"price": ("37.14",)},
    "en-tax.txt": {"price": ("39.61", "47.14")},
    "de-no-zone.txt": {
        "starts_at": ("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"),
        "ends_at": ("2026-10-28T01:30:00Z", "2026-10-28T02:30:00Z"),
    },
    "vi-no-zone.txt": {
        "starts_at": ("2026-12-25T19:30:00Z", "2026-12-25T20:30:00Z"),
        "ends_at": ("2026-12-28T19:30:00Z", "2026-12-28T20:30:00Z"),
        "price": ("1234", "1", "2"),
    },
    "en-json-ld-contradicted.html": {"price": ("47.14", "94.28")},
    "en-json-ld-two.html": {"reference": ()},
    "cli-many.json": {"reference": ()},
    "cli-minor.json": {"price": ("4714.00", "47.14")},
}


def read(name: str) -> Pasted:
    return read_paste((PASTES / name).read_text("utf-8"), Z, NOW, "USD")


def plain(value: object) -> object:
    return instant_text(value) if isinstance(value, datetime) else value


def test_every_sample_has_its_expectation() -> None:
    assert sorted(path.name for path in PASTES.iterdir()) == sorted(FOUND)


@pytest.mark.parametrize("name", FOUND)
def test_a_confirmation_is_read(name: str) -> None:
    pasted = read(name)
    assert {field: plain(one.value) for field, one in pasted.found.items()} == FOUND[name]


@pytest.mark.parametrize("name", FOUND)
def test_what_is_unsure_is_asked_with_its_readings(name: str) -> None:
    asked = read(name).asked
    said = {
        field: tuple(str(plain(one.value)) for one in asked[field].candidates) for field in asked
    }
    assert said == ASKED.get(name, {})


@pytest.mark.parametrize("name", FOUND)
def test_every_value_says_in_which_line_it_stands(name: str) -> None:
    """The line of a labelled value is the line that is kept under its number."""
    pasted = read(name)
    lines = pasted.kept.split("\n")
    for found in pasted.found.values():
        assert 1 <= found.line <= len(lines)
        if found.way in (Way.LABEL, Way.TEXT, Way.WINDOW):
            assert found.written.strip("…") in lines[found.line - 1]


def test_a_value_shows_where_it_came_from() -> None:
    found = read("de-plain.txt").found["price"]
    assert (found.line, found.written) == (9, "Gesamtbetrag (inkl. 19 % MwSt.): 47,14 €")
    assert found.way is Way.LABEL
    found = read("cli.json").found["price"]
    assert (found.line, found.written, found.way) == (6, "order.total.amount: 460.80", Way.JSON)
    found = read("en-json-ld.html").found["price"]
    assert (found.written, found.way) == ("price: 47.14", Way.MARKUP)
    found = read("en-window-by-length.txt").found["ends_at"]
    assert found.way is Way.WINDOW


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("de-iban.txt", ("3704", "5555", "4444", "0130", "DE89370")),
        ("en-forwarded.txt", ("4111", "1111")),
        ("en-order.html", ("4111", "1111")),
    ],
)
def test_cards_and_accounts_are_not_kept(name: str, hidden: tuple[str, ...]) -> None:
    kept = read(name).kept
    assert [part for part in hidden if part in kept] == []


def test_what_html_hides_is_neither_read_nor_kept() -> None:
    kept = read("en-order.html").kept
    assert "Total | € 47,14" in kept
    assert [n for n in range(1, 6) if f"Total: {n}.00" in kept] == []


def test_a_refund_is_pointed_out() -> None:
    (said,) = read("en-refund.txt").remarks
    assert str(said) == (
        "Line 1 speaks of money given back: log it as a refund of the order that it belongs to."
    )
    assert read("en-refund-policy.txt").remarks == ()
