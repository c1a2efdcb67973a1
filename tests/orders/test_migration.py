"""A database that was written before orders said all this keeps its orders, row for row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from app.db import migrate
from app.db.engines import postgres_engine, sqlite_engine
from tests.conftest import NOW
from tests.postgres import new_database

BEFORE = "0005"
ROWS = """
INSERT INTO campaigns (id, question, zone, currency, created_at, created_by)
 VALUES ('rank', 'Which?', 'UTC', 'USD', '2026-11-01 00:00:00.000000', 'local');
INSERT INTO orders (campaign_id, number, kind, provider, reference, amount_minor, currency,
 plan_version, logged_at, logged_by)
 VALUES ('rank', 2, 'order', 'IteraGPU', 'IG-1', 4714, 'USD', 1,
  '2026-11-02 00:00:00.000000', 'local');
INSERT INTO orders (campaign_id, number, kind, corrects_number, provider, reference, amount_minor,
 currency, reason, counts_on, plan_version, logged_at, logged_by)
 VALUES ('rank', 3, 'refund', 2, 'IteraGPU', 'IG-1', -1000, 'USD', 'late', '2026-12-01', 1,
 '2026-11-03 00:00:00.000000', 'local');
INSERT INTO order_lots (campaign_id, order_number, position, planned_lot, gpus, starts_at, ends_at,
 usable_until)
 VALUES ('rank', 2, 0, 'lot-1', 1, '2026-11-30 07:00:00.000000', '2026-12-03 07:00:00.000000',
 '2026-12-03 07:00:00.000000')
"""


Bring = Callable[[], object]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Engine, Bring]]:
    """An empty database of each kind, and what brings it to the newest revision."""
    if request.param == "sqlite":
        file = tmp_path / "a.sqlite"
        engine = sqlite_engine(file, write=True)
        yield engine, lambda: migrate.migrate_sqlite(file, engine, NOW)
    else:
        engine = postgres_engine(new_database())
        yield engine, lambda: migrate.migrate_postgres(engine)
    engine.dispose()


def _older(engine: Engine, bring: Bring, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bring a database to the revision before, with an order, its lot and a refund."""
    (folder / "versions").mkdir(parents=True)
    for source in (migrate.MIGRATIONS / "versions").glob("*.py"):
        if source.name[:4] <= BEFORE:
            (folder / "versions" / source.name).write_text(source.read_text("utf-8"), "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "MIGRATIONS", folder)
        patch.setattr(migrate, "newest", lambda: BEFORE)
        bring()
    with engine.begin() as connection:
        for statement in ROWS.split(";"):
            connection.execute(text(statement))


def test_rows_of_the_revision_before_are_carried_over(
    empty: tuple[Engine, Bring], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, bring = empty
    _older(engine, bring, tmp_path / "migrations", monkeypatch)
    kept = (
        "SELECT number, kind, amount_minor, reference, counts_on, logged_at FROM orders"
        " ORDER BY number"
    )
    lots = "SELECT position, planned_lot, gpus, starts_at, usable_until FROM order_lots"
    with engine.connect() as connection:
        before = [connection.execute(text(query)).all() for query in (kept, lots)]
    assert [len(rows) for rows in before] == [2, 1]
    bring()
    with engine.connect() as connection:
        assert [connection.execute(text(query)).all() for query in (kept, lots)] == before
        added = connection.execute(text("SELECT after_close, quote, source FROM orders")).all()
        assert [tuple(row) for row in added] == [(False, None, None)] * 2
        assert migrate.current(connection) == migrate.newest()
