"""Servers that are ended whatever a test came to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.servers import Served
from tests.postgres import new_database

Serve = Callable[..., Served]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start servers, each in a folder of its own."""
    started: list[Served] = []

    def start(database_url: str | None = None) -> Served:
        data = tmp_path / f"data-{len(started)}"
        server = Served(data, database_url)
        started.append(server)
        return server.start()

    yield start
    for server in started:
        server.kill()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def servers(request: pytest.FixtureRequest, serve: Serve) -> list[Served]:
    """One server on SQLite; two on one PostgreSQL database."""
    if request.param == "sqlite":
        return [serve().opened()]
    request.getfixturevalue("migrated_postgres")
    address = new_database(template="template_punktum")
    first = serve(address).opened()
    second = serve(address)
    second.token = first.token
    return [first, second]
