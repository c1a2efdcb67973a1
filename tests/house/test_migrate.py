"""Migrations: whole or not at all, with a verified copy before; newer databases are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import Engine

from app.db import Database, migrate
from app.db.engines import sqlite_driver, sqlite_engine
from app.db.guards import APPENDED
from app.schema import metadata
from tests.conftest import NOW


def _new(file: Path) -> Engine:
    engine = sqlite_engine(file, write=True)
    migrate.migrate_sqlite(file, engine, NOW)
    return engine


def test_the_migrated_schema_is_that_of_the_tables(database: Database) -> None:
    """Every table, column, constraint and index of the code is in the database, and no other."""
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with database.read_engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata()) == []


def test_every_constraint_has_a_name(database: Database) -> None:
    with database.read_engine.connect() as connection:
        inspector = inspect(connection)
        for table in inspector.get_table_names():
            if table == "alembic_version":
                continue
            found = [
                *inspector.get_check_constraints(table), *inspector.get_unique_constraints(table),
                *inspector.get_foreign_keys(table), inspector.get_pk_constraint(table),
            ]  # fmt: skip
            assert [item for item in found if not item.get("name")] == [], table


def test_every_appended_table_is_there_and_guarded(sqlite: Database) -> None:
    with sqlite.read_engine.connect() as connection:
        tables = set(inspect(connection).get_table_names())
        triggers = set(
            connection.execute(
                text("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            ).scalars()
        )
    assert set(APPENDED) - tables == set()
    assert triggers == {
        f"{table}_no_{act}" for table in APPENDED for act in ("update", "delete", "replace")
    }


def test_a_current_database_is_left_alone(tmp_path: Path) -> None:
    engine = _new(tmp_path / "a.sqlite")
    assert migrate.migrate_sqlite(tmp_path / "a.sqlite", engine, NOW) is None
    assert not (tmp_path / "copies").exists()
    engine.dispose()


def test_a_newer_database_is_refused_and_untouched(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    engine = _new(file)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with sqlite_engine(file, write=False).connect() as connection:
        before = migrate.fingerprint(connection)
    with pytest.raises(migrate.NewerDatabase) as refused:
        migrate.migrate_sqlite(file, engine, NOW)
    assert (refused.value.found, refused.value.known) == ("9999", migrate.newest())
    with sqlite_engine(file, write=False).connect() as connection:
        assert migrate.fingerprint(connection) == before
        assert migrate.current(connection) == "9999"


def test_an_older_database_is_copied_and_a_failure_leaves_it_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.sqlite"
    engine = _new(file)
    folder = tmp_path / "migrations"
    (folder / "versions").mkdir(parents=True)
    for source in (migrate.MIGRATIONS / "versions").glob("*.py"):
        (folder / "versions" / source.name).write_text(source.read_text("utf-8"), "utf-8")
    before, known = migrate.newest(), migrate.revisions()
    (folder / "versions" / "9999_breaks.py").write_text(
        f'from alembic import op\nrevision = "9999"\ndown_revision = "{before}"\n\n'
        'def upgrade():\n    op.execute("CREATE TABLE half (id INTEGER)")\n'
        "    raise ZeroDivisionError\n",
        "utf-8",
    )
    monkeypatch.setattr(migrate, "MIGRATIONS", folder)
    monkeypatch.setattr(migrate, "newest", lambda: "9999")
    monkeypatch.setattr(migrate, "revisions", lambda: {**known, "9999": before})
    with pytest.raises(ZeroDivisionError):
        migrate.migrate_sqlite(file, engine, NOW)
    with engine.connect() as connection:
        assert not inspect(connection).has_table("half")
        assert migrate.current(connection) == before
    (copy,) = (tmp_path / "copies").glob("*.sqlite")
    with create_engine(f"sqlite:///{copy}", module=sqlite_driver()).connect() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"
        assert migrate.current(connection) == before


def test_a_migration_that_leaves_another_schema_is_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.sqlite"
    engine = sqlite_engine(file, write=True)
    monkeypatch.setattr(migrate, "_fresh_fingerprint", lambda: "another")
    with pytest.raises(migrate.MigrationFailed):
        migrate.migrate_sqlite(file, engine, NOW)
    with engine.connect() as connection:
        assert migrate.current(connection) is None
