"""The page of offers and the catalogue for scripts: totals as the sources state them."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.pages import read


@pytest.fixture
def browser(settings: Settings, sqlite: Database) -> TestClient:
    return TestClient(create_app(settings, sqlite, b"a secret of the tests"))


def _words(text: str) -> str:
    return " ".join(text.replace("\xa0", " ").split())


def _rows(browser: TestClient) -> dict[str, list[list[str]]]:
    """Heading of each card → its rows as cells."""
    tree = read(browser.get("/offers", headers={"Accept-Language": "en"}))
    return {
        _words(card.css("h2")[0].text()): [
            [_words(cell.text()) for cell in row.css("th, td")] for row in card.css("tbody tr")
        ]
        for card in tree.css("main section.card")
    }


def test_offers_are_grouped_by_gpu_with_their_totals(browser: TestClient) -> None:
    rows = _rows(browser)
    assert list(rows) == ["RTX 4090", "B200"]
    assert [row[:3] for row in rows["RTX 4090"]] == [
        ["3 d", "1 GPU", "47.14 USD"],
        ["7 d", "1 GPU", "110.00 USD"],
        ["30 d", "1 GPU", "390.00 USD"],
    ]


def test_what_the_source_does_not_state_is_said_so(browser: TestClient) -> None:
    (b200,) = _rows(browser)["B200"]
    assert b200[:3] == ["duration not stated", "2 GPUs", "price not known"]
    assert "article" in b200[4]


def test_the_catalogue_for_scripts(browser: TestClient) -> None:
    answer = browser.get("/api/v1/offers").json()
    assert answer["next"] is None
    prices = {one["id"]: (one["hours"], one["gpus"], one["price"]) for one in answer["items"]}
    assert prices == {
        "iteragpu/rtx-4090/3d": (72, 1, "47.14"),
        "iteragpu/rtx-4090/7d": (168, 1, "110.00"),
        "iteragpu/rtx-4090/30d": (720, 1, "390.00"),
        "iteragpu/b200": (None, 2, None),
    }
    assert all(one["source"] for one in answer["items"])


def test_a_job_token_does_not_read_the_catalogue(browser: TestClient) -> None:
    refused = browser.get("/api/v1/offers", headers={"Authorization": "Bearer pk_x"})
    assert refused.status_code == 403
    assert refused.json()["type"] == "/problems/forbidden"
