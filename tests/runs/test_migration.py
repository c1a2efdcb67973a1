"""A database from before the watcher: its runs are folded again when it is brought up to date."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, text
from sqlmodel import col, select

from app.db import Database, migrate
from app.db.engines import sqlite_engine
from app.db.guards import unguard
from app.journal.verify import remake, verify_database
from app.runs.tables import AttemptState
from app.settings import Settings
from tests.conftest import NOW
from tests.runs.campaigns import event, opened, recorded, run

BEFORE = "0002"


def _tables_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The tables of the older revision."""
    versions = folder / "migrations" / "versions"
    versions.mkdir(parents=True)
    for file in (migrate.MIGRATIONS / "versions").glob("000[12]_*.py"):
        (versions / file.name).write_text(file.read_text("utf-8"), "utf-8")
    engine = sqlite_engine(folder / "older.sqlite", write=True)
    with monkeypatch.context() as earlier:
        earlier.setattr(migrate, "MIGRATIONS", folder / "migrations")
        earlier.setattr(migrate, "newest", lambda: BEFORE)
        migrate.migrate_sqlite(folder / "older.sqlite", engine, NOW)
    with engine.connect() as connection:
        found = set(inspect(connection).get_table_names())
    engine.dispose()
    return found


def _as_before(connection: Connection, tables: set[str]) -> None:
    """Take away what came later, and what a fold of that time did not keep."""
    unguard(connection)
    for name in set(inspect(connection).get_table_names()) - tables:
        connection.execute(text(f"DROP TABLE {name}"))
    connection.execute(text("DROP INDEX ix_attempt_states_look_us"))
    connection.execute(text("ALTER TABLE attempt_states DROP COLUMN look_us"))
    connection.execute(text("ALTER TABLE retrievals DROP COLUMN tool"))
    older = "UPDATE attempt_states SET streams = replace(streams, ',0,4]', ',0]')"
    connection.execute(text(older))
    connection.execute(text(f"UPDATE alembic_version SET version_num = '{BEFORE}'"))


def test_runs_are_folded_again(
    sqlite: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, progress=5, total=10))
    shown = run(sqlite)
    with sqlite.read() as session:
        before = session.exec(select(col(AttemptState.streams))).one()
    assert ",0,4]" in before
    with sqlite.write_engine.begin() as connection:
        _as_before(connection, _tables_before(tmp_path, monkeypatch))
    sqlite.write_engine.dispose()
    migrate.migrate_sqlite(settings.sqlite_file, sqlite.write_engine, NOW, remake)
    assert verify_database(sqlite.write_engine).findings == ()
    with sqlite.read() as session:
        states = session.exec(select(AttemptState)).all()
    assert [(one.streams, one.look_us is not None) for one in states] == [(before, True)]
    assert run(sqlite) == shown
