"""Quotes: kept apart from orders, turned into one, and how the order differs from its quote."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.journal.audit import contents, rebuild
from app.orders.rules import NewQuote, Quote, quote_difference, quote_problems
from tests.conftest import NOW
from tests.orders.campaigns import END, ID, START, body, closed, new_order, opened, order

URL = f"/api/v1/campaigns/{ID}/orders"


def quoted(**more: Any) -> Quote:
    said = NewQuote("IteraGPU", 4714, "USD", "RTX 4090", 1, START, END)
    return Quote(3, NOW, "local", replace(said, **more))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"provider": " "}, "provider"),
        ({"price_minor": -1}, "price"),
        ({"currency": "XAU"}, "currency"),
        ({"gpus": 0}, "gpus"),
        ({"hours": 0, "ends_at": None}, "hours"),
        ({"hours": 71}, "hours"),
        ({"starts_at": None}, "starts_at"),
        ({"ends_at": START}, "ends_at"),
        ({"valid_until": date(1, 1, 1)}, "valid_until"),
        ({"link": "data:x"}, "link"),
    ],
)
def test_what_is_no_quote_names_its_field(change: dict[str, Any], field: str) -> None:
    assert [problem.field for problem in quote_problems(quoted(**change).said)] == [field]


def test_an_order_as_it_was_quoted_has_no_difference() -> None:
    assert quote_difference(quoted(), order()) == ()
    assert quote_difference(quoted(), new_order(gpus=1, gpu="RTX 4090")) == ()


@pytest.mark.parametrize(
    ("change", "field", "recorded", "said"),
    [
        ({"price_minor": 4000}, "price", 4000, 4714),
        ({"currency": "EUR"}, "currency", "EUR", "USD"),
        ({"gpus": 2}, "gpus", 2, 1),
        ({"gpu": "B200"}, "gpu", "B200", "RTX 4090"),
        ({"starts_at": START - timedelta(hours=1)}, "starts_at", START - timedelta(hours=1), START),
        ({"ends_at": None, "hours": 71}, "ends_at", END - timedelta(hours=1), END),
        ({"starts_at": None, "ends_at": None, "hours": 70}, "hours", 70, 72),
    ],
)
def test_a_difference_says_what_was_quoted_and_what_it_is(
    change: dict[str, Any], field: str, recorded: object, said: object
) -> None:
    (found,) = quote_difference(quoted(**change), order())
    assert (found.field, found.recorded, found.said) == (field, recorded, said)


def test_what_a_quote_leaves_open_is_no_difference() -> None:
    assert quote_difference(Quote(3, NOW, "local", NewQuote("X", None, "USD")), order()) == ()


def test_a_quote_is_over_after_its_last_day() -> None:
    until = quoted(valid_until=date(2026, 12, 1))
    assert [until.is_over(date(2026, 12, day)) for day in (1, 2)] == [False, True]


# Over the API


@pytest.fixture
def campaign(database: Database, client: TestClient) -> TestClient:
    opened(database)
    return client


def quote(**more: object) -> dict[str, object]:
    return {"provider": "IteraGPU", "price": "45.00", "currency": "USD", "gpus": 1, "hours": 72,
            "valid_until": "2026-12-31", **more}  # fmt: skip


def test_a_quote_is_kept_once_and_costs_nothing(campaign: TestClient) -> None:
    made = campaign.post(f"{URL}/quotes", json=quote())
    assert made.status_code == 201
    answer = made.json()
    assert (answer["price"], answer["hours"], answer["status"]) == ("45.00", 72, "quoted")
    assert answer["head"]["number"] == answer["number"]
    assert campaign.post(f"{URL}/quotes", json=quote()).status_code == 200
    assert campaign.post(f"{URL}/quotes", json=quote(note="by phone")).status_code == 201
    assert len(campaign.get(f"{URL}/quotes").json()["items"]) == 2
    assert campaign.get(URL).json()["items"] == []
    assert campaign.get(f"{URL}/ledger").json() == {"items": [], "next": None, "totals": []}


def test_an_order_names_its_quote_and_shows_the_difference(campaign: TestClient) -> None:
    number = campaign.post(f"{URL}/quotes", json=quote()).json()["number"]
    made = campaign.post(URL, json=body(quote=number)).json()
    assert made["quote_difference"] == [{"field": "price", "recorded": "45.00", "sent": "47.14"}]
    (kept,) = campaign.get(f"{URL}/quotes").json()["items"]
    assert (kept["status"], kept["orders"]) == ("ordered", [made["number"]])
    listed = campaign.get(URL).json()["items"][0]
    assert listed["quote_difference"] == made["quote_difference"]
    campaign.post(f"{URL}/{made['number']}/reverse", json={"reason": "twice"})
    (free,) = campaign.get(f"{URL}/quotes").json()["items"]
    assert (free["status"], free["orders"]) == ("quoted", [])


@pytest.mark.parametrize(
    ("url", "said", "field"),
    [
        (URL, body(quote=99), "quote"),
        (f"{URL}/quotes", quote(price=45), "price"),
        (f"{URL}/quotes", quote(starts_at="2026-11-30T08:00:00"), "starts_at"),
        (f"{URL}/quotes", quote(valid_until="31.12.2026"), "valid_until"),
        (f"{URL}/quotes", quote(until="x"), "until"),
    ],
)
def test_what_is_malformed_names_its_field(
    campaign: TestClient, url: str, said: dict[str, object], field: str
) -> None:
    refused = campaign.post(url, json=said)
    assert (refused.status_code, refused.json()["field"]) == (422, field)


def test_after_the_close_no_quote_is_kept(campaign: TestClient, database: Database) -> None:
    closed(database)
    refused = campaign.post(f"{URL}/quotes", json=quote())
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/campaign-closed")


def test_the_rows_can_be_made_again_byte_for_byte(campaign: TestClient, database: Database) -> None:
    number = campaign.post(f"{URL}/quotes", json=quote(starts_at="2026-12-01T08:00:00Z")).json()
    campaign.post(URL, json=body(quote=number["number"]))
    tables = frozenset({"quotes", "orders", "order_lots"})
    with database.read() as session:
        before = contents(session.connection(), tables)
    database.write(None, rebuild)
    with database.read() as session:
        assert contents(session.connection(), tables) == before
