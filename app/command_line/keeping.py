"""Looking after the data: schema, copies, settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr

from app import clock
from app.command_line.asking import Data, alone, cli, engine_of, examples, refuse, say, settings_of
from app.settings import Settings


@cli.command(epilog=examples("migrate", "migrate --data data"))
def migrate(data: Data = None) -> None:
    """Bring the database to this version's schema."""
    from app.db.migrate import (
        MigrationFailed,
        NewerDatabase,
        migrate_postgres,
        migrate_sqlite,
        newest,
    )
    from app.journal.verify import remake

    settings = settings_of(data)
    try:
        if settings.is_postgres:
            with engine_of(settings) as engine:
                migrate_postgres(engine, remake)
        else:
            with alone(settings), engine_of(settings) as engine:
                copy = migrate_sqlite(settings.sqlite_file, engine, clock.now(), remake)
                if copy is not None:
                    say(f"a verified copy of the database as it was lies at {copy}")
    except (NewerDatabase, MigrationFailed) as wrong:
        refuse(str(wrong), 4)
    print(f"The database is at revision {newest()}.")


@cli.command(epilog=examples("config", "config --json"))
def config(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False, data: Data = None
) -> None:
    """Print the effective settings; secrets are hidden."""
    settings = settings_of(data)
    rows = []
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        shown = "(hidden)" if isinstance(value, SecretStr) else value
        rows.append((field.alias or name, shown, field.description or ""))
    if as_json:
        print(
            json.dumps(
                {name: None if value is None else str(value) for name, value, _ in rows}, indent=2
            )
        )
        return
    for name, value, meaning in rows:
        print(f"{name}={'' if value is None else value}\n    {meaning}")


@cli.command(epilog=examples("backup punktum.backup", "backup --data data punktum.backup"))
def backup(file: Path, data: Data = None) -> None:
    """Write a consistent, verified copy of the database, also while it is served."""
    from app.db.migrate import MigrationFailed, copy_sqlite

    settings = settings_of(data)
    if settings.is_postgres:
        refuse("a PostgreSQL database is backed up with pg_dump; see docs/operations.md", 2)
    if not settings.sqlite_file.exists():
        refuse(f"there is no database in {settings.data}", 1)
    if file.exists():
        refuse(f"{file} is there already; choose another name", 2)
    if not file.resolve().parent.is_dir():
        refuse(f"there is no folder {file.resolve().parent}", 2)
    try:
        copy_sqlite(settings.sqlite_file, file, progress=lambda done: say(f"{done} % copied"))
    except (MigrationFailed, OSError) as error:
        refuse(str(error), 1)
    print(f"The copy is at {file} ({file.stat().st_size:,} bytes, integrity checked).")


@cli.command(epilog=examples("restore punktum.backup", "restore --data data punktum.backup"))
def restore(file: Path, data: Data = None) -> None:
    """Put a copy in the database's place; what was there is set aside, never deleted."""
    from app.db.migrate import copy_sqlite

    settings = settings_of(data)
    if settings.is_postgres:
        refuse("a PostgreSQL database is restored with pg_restore; see docs/operations.md", 2)
    if not file.exists():
        refuse(f"there is no file {file}", 2)
    with alone(settings):
        incoming = settings.data / "incoming.sqlite"
        try:
            copy_sqlite(file, incoming)
        except Exception as error:
            incoming.with_suffix(".partial").unlink(missing_ok=True)
            refuse(f"{file} is not a sound copy: {error}", 1)
        _refuse_foreign(file, incoming)
        if settings.sqlite_file.exists():
            aside = settings.data / f"replaced-{clock.now():%Y%m%dT%H%M%SZ}"
            aside.mkdir()
            for part in settings.data.glob("punktum.sqlite*"):
                part.rename(aside / part.name)
            say(f"what was there lies in {aside}")
        incoming.rename(settings.sqlite_file)
    print(f"Restored from {file}. The next start migrates it if it is older.")


def _refuse_foreign(file: Path, incoming: Path) -> None:
    """End where a sound database is not one of ours, or a newer Punktum wrote it."""
    from app.db.engines import sqlite_engine
    from app.db.migrate import NewerDatabase, check, current

    engine = sqlite_engine(incoming, write=True)
    try:
        with engine.connect() as connection:
            ours = current(connection) is not None
        if ours:
            check(engine)
            return
        why, code = f"{file} is not a database of Punktum", 1
    except NewerDatabase as newer:
        why, code = str(newer), 4
    finally:
        engine.dispose()
        _back_to_one_file(incoming)
    incoming.unlink()
    refuse(why, code)


def _back_to_one_file(file: Path) -> None:
    """A database that was looked at, without the companions of its write-ahead log."""
    from app.db.engines import sqlite_driver

    connection = sqlite_driver().connect(str(file))
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
