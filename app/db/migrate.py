"""Bringing a database to the schema of this code, once, by one process, or not at all.

A current database is recognised by one row, before Alembic is even imported. An older SQLite
file is copied and the copy verified first; then everything happens in one transaction: guards
off, steps, guards on, foreign keys checked, and the schema's fingerprint compared with that of
a database made new. A database newer than the code is refused and left as it is.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, inspect, text
from sqlalchemy.pool import StaticPool

from app.db.engines import sqlite_driver
from app.db.guards import guard, unguard
from app.settings import ROOT

MIGRATIONS = ROOT / "migrations"
_REVISION = re.compile(r'^(revision|down_revision)\b[^=]*= *(?:"([^"]+)"|None)', re.M)
_LOCK = 0x70756E6B74756D  # one number for all processes of one PostgreSQL database


class NewerDatabase(RuntimeError):
    """The database was written by a newer Punktum; nothing was touched."""

    def __init__(self, found: str, known: str) -> None:
        super().__init__(
            f"the database is at revision {found}, this Punktum knows up to {known}: "
            "use a newer Punktum"
        )
        self.found = found
        self.known = known


class NotMigrated(RuntimeError):
    """A PostgreSQL database of another schema; `punktum-server migrate` brings it to this one."""


class MigrationFailed(RuntimeError):
    """The result would not have been what a new database looks like; it was rolled back."""


def revisions(folder: Path = MIGRATIONS) -> dict[str, str | None]:
    """Revision → the one before it, read from the files' text."""
    found: dict[str, str | None] = {}
    for file in sorted((folder / "versions").glob("*.py")):
        names = {name: value or None for name, value in _REVISION.findall(file.read_text("utf-8"))}
        if names.get("revision"):
            found[str(names["revision"])] = names.get("down_revision")
    return found


def newest(folder: Path = MIGRATIONS) -> str:
    """The revision that this code is written for."""
    known = revisions(folder)
    (last,) = set(known) - {before for before in known.values() if before}
    return last


def current(connection: Connection) -> str | None:
    """The revision a database is at, or None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
    return str(row[0]) if row else None


def check(engine: Engine) -> bool:
    """Whether the database is at this code's revision; raises `NewerDatabase` for a newer one."""
    with engine.connect() as connection:
        found = current(connection)
    known = newest()
    if found is not None and found not in revisions():
        raise NewerDatabase(found, known)
    return found == known


def migrate_sqlite(
    file: Path, engine: Engine, now: datetime, remake: Callable[[Connection], None] | None = None
) -> Path | None:
    """Bring a SQLite file to the newest revision; the caller holds the folder's lock.

    `remake` makes all projections of a database that held something again, in the same
    transaction, since a new revision may fold more out of the same events.

    Returns where the verified copy lies, or None when there was nothing to copy or to do.
    Raises `NewerDatabase` or `MigrationFailed`; in both cases the file is as before.
    """
    fresh = not file.exists() or file.stat().st_size == 0
    if not fresh and check(engine):
        return None
    copy = None if fresh else _verified_copy(file, now)
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                _upgrade(connection)
                if not fresh and remake is not None:
                    remake(connection)
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
                if broken:
                    raise MigrationFailed(f"rows without their parent: {broken[:3]}")
                if fingerprint(connection) != _fresh_fingerprint():
                    raise MigrationFailed("the schema differs from that of a new database")
        finally:
            raw.execute("PRAGMA foreign_keys=ON")
    return copy


def migrate_postgres(engine: Engine, remake: Callable[[Connection], None] | None = None) -> None:
    """Bring a PostgreSQL database to the newest revision in one transaction under one lock.

    `remake` as for SQLite.
    """
    with engine.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        found = current(connection)
        if found is not None and found not in revisions():
            raise NewerDatabase(found, newest())
        if found != newest():
            _upgrade(connection)
            if found is not None and remake is not None:
                remake(connection)


def fingerprint(connection: Connection) -> str:
    """SHA-256 over the schema's own text (tables, indexes, triggers) of a SQLite database."""
    rows = connection.exec_driver_sql(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name"
    )
    lines = [f"{kind} {name} {' '.join(sql.split())}" for kind, name, sql in rows]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _upgrade(connection: Connection) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(MIGRATIONS))

    def steps(revision: Any, _context: Any) -> Any:
        return script._upgrade_revs("head", revision)

    context = MigrationContext.configure(
        connection, opts={"fn": steps, "transaction_per_migration": False}
    )
    if inspect(connection).has_table("journal"):
        unguard(connection)
    with Operations.context(context):
        context.run_migrations()
    guard(connection)


def _fresh_fingerprint() -> str:
    engine = create_engine("sqlite://", module=sqlite_driver(), poolclass=StaticPool)
    with engine.begin() as connection:
        _upgrade(connection)
        result = fingerprint(connection)
    engine.dispose()
    return result


def _verified_copy(file: Path, now: datetime) -> Path:
    """A copy made by SQLite itself, synced and checked, before anything is changed."""
    folder = file.parent / "copies"
    folder.mkdir(exist_ok=True)
    target = folder / f"before-migration-{now:%Y%m%dT%H%M%SZ}.sqlite"
    copy_sqlite(file, target)
    return target


def copy_sqlite(source: Path, target: Path, progress: Callable[[int], None] | None = None) -> None:
    """A consistent copy of a database that may be in use; synced, and checked page by page.

    `progress` is told the percentage copied, about every 64 MiB.

    Raises `MigrationFailed` when the copy does not pass SQLite's own integrity check.
    """
    driver = sqlite_driver()
    partial = target.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    origin, copy = driver.connect(str(source)), driver.connect(str(partial))
    try:
        if progress is None:
            origin.backup(copy)
        else:
            origin.backup(
                copy,
                pages=16384,
                progress=lambda _, left, total: progress(100 - 100 * left // max(total, 1)),
            )
        copy.execute("PRAGMA journal_mode=DELETE")
        answer = copy.execute("PRAGMA integrity_check").fetchone()[0]
    finally:
        copy.close()
        origin.close()
    if answer != "ok":
        partial.unlink()
        raise MigrationFailed(f"the copy is not sound: {answer}")
    descriptor = os.open(partial, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    partial.replace(target)
