"""The list of campaigns through the API."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.plan.drafts import longer, saved, sealed, small

HERE = "/api/v1/campaigns"


def test_an_empty_house(client: TestClient) -> None:
    assert client.get(HERE).json() == {"items": [], "next": None}


def test_each_campaign_with_its_answer(client: TestClient, database: Database) -> None:
    saved(database, small("a"))
    sealed(database, "a")
    saved(database, longer(small("b"), 72))
    saved(database, replace(small("c"), lots=()))
    items = client.get(HERE).json()["items"]
    assert [set(item) for item in items] == [
        {"id", "question", "state", "answer", "spare_hours"}
    ] * 3
    assert [(item["id"], item["state"], item["spare_hours"]) for item in items] == [
        ("a", "sealed", "56"),
        ("b", "draft", "-6"),
        ("c", "draft", None),
    ]
    assert items[1]["answer"] == "Exceeds the lot by 6 h"


def test_pages_of_the_list(client: TestClient, database: Database) -> None:
    for id_ in "abc":
        saved(database, small(id_))
    first = client.get(f"{HERE}?limit=2").json()
    assert ([item["id"] for item in first["items"]], first["next"]) == (["a", "b"], "b")
    second = client.get(f"{HERE}?limit=2&after={first['next']}").json()
    assert ([item["id"] for item in second["items"]], second["next"]) == (["c"], None)


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "limit=101"])
def test_a_bad_page_size(client: TestClient, query: str) -> None:
    refused = client.get(f"{HERE}?{query}")
    assert (refused.status_code, refused.json()["field"]) == (422, "limit")
