"""One open database: its writer, its readers, and which kind it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import Engine
from sqlmodel import Session

from app.db.engines import Verdict, postgres_engine, sqlite_engine, sqlite_verdict
from app.db.writer import Command, Writer, WriteSession
from app.settings import Settings

T = TypeVar("T")


class Database:
    """What the rooms are given: `read()` sessions and `write()` commands."""

    def __init__(self, write_engine: Engine, read_engine: Engine) -> None:
        self.write_engine = write_engine
        self.read_engine = read_engine
        self._writer = Writer(write_engine)

    @property
    def is_postgres(self) -> bool:
        """Whether this is PostgreSQL rather than SQLite."""
        return self.read_engine.dialect.name == "postgresql"

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A read session on one snapshot; a write in it fails."""
        with Session(self.read_engine, autoflush=False) as session:
            yield session

    def write(self, campaign_id: str | None, command: Callable[[WriteSession], T | Exception]) -> T:
        """Run a command and return when it is on disk; raises its `AppError`."""
        result: T = self._writer.write(campaign_id, command)
        return result

    async def write_async(self, campaign_id: str | None, command: Command) -> object:
        """`write` for the event loop."""
        return await self._writer.write_async(campaign_id, command)

    def verdict(self) -> Verdict:
        """Which library and version serve, and whether that version is safe."""
        if not self.is_postgres:
            return sqlite_verdict()
        with self.read() as session:
            version = session.connection().exec_driver_sql("SHOW server_version").scalar_one()
        return Verdict("postgresql", str(version), True)

    def close(self) -> None:
        """Write what waits, then close every connection."""
        self._writer.close()
        self.read_engine.dispose()
        self.write_engine.dispose()


def open_database(settings: Settings) -> Database:
    """Open what the settings name; the schema must be there already (`app.db.migrate`)."""
    if settings.is_postgres and settings.database_url is not None:
        engine = postgres_engine(settings.database_url.get_secret_value())
        readers = engine.execution_options(
            postgresql_readonly=True, isolation_level="REPEATABLE READ"
        )
        return Database(engine, readers)
    file = settings.sqlite_file
    return Database(sqlite_engine(file, write=True), sqlite_engine(file, write=False))
