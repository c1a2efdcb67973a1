"""A database from before the offers gets their table with its guards, and keeps what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect, text

from app.db import migrate
from app.db.engines import postgres_engine, sqlite_engine
from tests.conftest import NOW
from tests.postgres import new_database

CAMPAIGN = (
    "INSERT INTO campaigns (id, question, zone, currency, created_at, created_by)"
    " VALUES ('old', 'Which?', 'UTC', 'USD', '2026-11-01 00:00:00', 'local')"
)


def _at_0001(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let migrations end where the house was made."""
    (folder / "versions").mkdir(parents=True)
    first = "0001_the_house.py"
    source = migrate.MIGRATIONS / "versions" / first
    (folder / "versions" / first).write_text(source.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(migrate, "MIGRATIONS", folder)
    monkeypatch.setattr(migrate, "newest", lambda: "0001")
    monkeypatch.setattr(migrate, "revisions", lambda: {"0001": None})


def _brought_up(kind: str, engine: Engine, file: Path) -> None:
    if kind == "sqlite":
        migrate.migrate_sqlite(file, engine, NOW)
    else:
        migrate.migrate_postgres(engine)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_an_older_database_gets_the_guarded_table(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.sqlite"
    sqlite = kind == "sqlite"
    engine = sqlite_engine(file, write=True) if sqlite else postgres_engine(new_database())
    with monkeypatch.context() as earlier:
        _at_0001(earlier, tmp_path / "migrations")
        _brought_up(kind, engine, file)
        with engine.begin() as connection:
            assert not inspect(connection).has_table("offers")
            connection.execute(text(CAMPAIGN))
    _brought_up(kind, engine, file)
    with engine.begin() as connection:
        assert migrate.current(connection) == migrate.newest()
        assert connection.execute(text("SELECT id FROM campaigns")).scalars().all() == ["old"]
        connection.execute(
            text(
                "INSERT INTO offers (number, offer_id, version, withdrawn, provider, gpu, gpus,"
                " source, origin, written_at, written_by) VALUES (1, 'a/b', 1, false, 'A', 'B', 1,"
                " 'S', 'typed', '2026-12-01 00:00:00', 'local')"
            )
        )
    with pytest.raises(Exception, match="appended only"), engine.begin() as connection:
        connection.execute(text("UPDATE offers SET gpus = 2"))
    engine.dispose()
