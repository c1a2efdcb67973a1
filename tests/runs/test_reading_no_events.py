"""Lists and overviews read what is folded, never the stream: they cost the same whatever came."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event as listen

from app.db import Database
from app.main import create_app
from app.runs import queries
from app.settings import Settings
from tests.conftest import NOW
from tests.runs.campaigns import ID, event, opened, recorded

READS = 20
"""SQLite's code for "this statement reads this column of this table"."""
LISTS = (
    "/campaigns",
    f"/campaigns/{ID}",
    f"/campaigns/{ID}/runs",
    f"/campaigns/{ID}/timeline",
    f"/campaigns/{ID}/budget",
    f"/campaigns/{ID}/decisions",
    f"/campaigns/{ID}/deliverables",
    f"/campaigns/{ID}/closing",
    f"/api/v1/campaigns/{ID}/runs",
    f"/api/v1/campaigns/{ID}/runs/a-01",
    f"/api/v1/campaigns/{ID}/report",
)


@pytest.fixture
def app(settings: Settings, sqlite: Database) -> FastAPI:
    return create_app(settings, sqlite, b"a secret of the tests")


@pytest.fixture
def tables(app: FastAPI, sqlite: Database) -> set[str]:
    """The tables that statements read from now on, as SQLite itself says when it prepares them."""
    opened(sqlite)
    recorded(sqlite, event(1, "start"), *[event(n, progress=n) for n in range(2, 20)])
    seen: set[str] = set()

    def allowed(action: int, table: str | None, *_more: Any) -> int:
        if action == READS and table:
            seen.add(table)
        return 0

    sqlite.read_engine.dispose()
    listen.listen(sqlite.read_engine, "connect", lambda raw, _: raw.set_authorizer(allowed))
    return seen


@pytest.mark.parametrize("path", LISTS)
def test_no_list_reads_an_event(app: FastAPI, tables: set[str], path: str) -> None:
    assert TestClient(app).get(path).status_code == 200
    assert tables & {"campaigns", "runs"}
    assert "run_events" not in tables


def test_the_page_of_one_run_does(app: FastAPI, tables: set[str]) -> None:
    assert TestClient(app).get(f"/campaigns/{ID}/runs/a-01").status_code == 200
    assert "run_events" in tables


def _work(database: Database, **asked: Any) -> int:
    """How many steps SQLite's machine takes for a page of 20 runs."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    with database.read() as session:
        raw: Any = session.connection().connection.driver_connection
        raw.set_progress_handler(count, 1)
        found = queries.page_of_runs(session, ID, NOW, limit=20, **asked)
        raw.set_progress_handler(None, 1)
    assert len(found.items) == 20
    return steps


@pytest.mark.parametrize(
    "asked", [{}, {"newest_first": True}, {"archived": False}, {"after": "r-0010"}]
)
def test_a_page_of_many_runs_takes_the_work_of_one_of_few(
    sqlite: Database, asked: dict[str, Any]
) -> None:
    opened(sqlite)
    runs = [event(1, "start", run=f"r-{n:04}", attempt_id=f"{n:032x}") for n in range(1000)]
    recorded(sqlite, *runs[:50])
    few = _work(sqlite, **asked)
    recorded(sqlite, *runs[50:])
    assert _work(sqlite, **asked) <= 1.3 * few
