"""How many statements each page of a campaign takes, when facts changed and when none did."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event

from app.db import Database
from app.main import create_app
from app.settings import Settings
from bench.campaigns import plan_of

MOST = {
    "/campaigns": 14,
    "/campaigns/small": 24,
    "/campaigns/small/plan": 18,
    "/campaigns/small/orders": 18,
    "/campaigns/small/runs": 22,
    "/campaigns/small/timeline": 14,
    "/campaigns/small/budget": 22,
    "/campaigns/small/deliverables": 20,
    "/campaigns/small/decisions": 20,
    "/campaigns/small/closing": 44,
    "/offers": 1,
}
AGAIN = {"/campaigns": 3, "/campaigns/small": 2, "/campaigns/small/timeline": 2}


@pytest.fixture
def app(settings: Settings, sqlite: Database) -> FastAPI:
    return create_app(settings, sqlite, b"a secret of the tests")


@pytest.mark.parametrize("path", sorted(MOST))
def test_pages_take_few_statements(app: FastAPI, sqlite: Database, path: str) -> None:
    """A page that grows with its rows, one statement each, is found here."""
    client = TestClient(app)
    made = client.post(
        "/api/v1/campaigns",
        content=plan_of("small", 20),
        headers={"Content-Type": "application/toml"},
    )
    assert made.status_code == 201
    assert client.post("/api/v1/campaigns/small/seal", json={}).status_code == 200
    seen: list[str] = []

    def count(*args: Any) -> None:
        if not str(args[2]).startswith("BEGIN"):
            seen.append(str(args[2]))

    event.listen(sqlite.read_engine, "before_cursor_execute", count)
    assert client.get(path).status_code == 200
    assert len(seen) <= MOST[path], "\n".join(seen)
    if path in AGAIN:
        seen.clear()
        assert client.get(path).status_code == 200
        assert len(seen) <= AGAIN[path], "\n".join(seen)
