"""Engines for SQLite and PostgreSQL, with the pragmas and the driver that we have measured.

SQLite 3.7.0 to 3.51.2 can corrupt a WAL database when a second process checkpoints
(fixed in 3.51.3), so the bundled `pysqlite3` is preferred and the version is judged.
"""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import NullPool, QueuePool

FIXED = (3, 51, 3)
PRAGMAS = (
    "PRAGMA busy_timeout=5000",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA recursive_triggers=ON",
    "PRAGMA trusted_schema=OFF",
)


class NoWriteAheadLog(RuntimeError):
    """The folder's filesystem does not take SQLite's write-ahead log."""


@functools.cache
def sqlite_driver() -> ModuleType:
    """The bundled driver where there is one, else Python's own."""
    try:
        driver = importlib.import_module("pysqlite3")
    except ImportError:
        driver = importlib.import_module("sqlite3")
    driver.register_adapter(datetime, _stored)
    return driver


def _stored(at: datetime) -> str:
    """An instant as SQLAlchemy stores it on SQLite, so that plain SQL writes the same bytes."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which database library serves, and whether it is a safe one."""

    name: str
    version: str
    safe: bool


def sqlite_verdict() -> Verdict:
    """The version of SQLite in use and whether the WAL-reset bug is fixed in it."""
    version = str(sqlite_driver().sqlite_version)
    numbers = tuple(int(part) for part in version.split(".")[:3])
    return Verdict("sqlite", version, numbers >= FIXED)


def sqlite_engine(file: Path, *, write: bool, readers: int = 16) -> Engine:
    """An engine on `file`: the single writer (BEGIN IMMEDIATE) or readers (`query_only`)."""
    options: dict[str, Any] = (
        {"poolclass": NullPool}
        if write
        else {"poolclass": QueuePool, "pool_size": readers, "max_overflow": 16}
    )
    engine = create_engine(
        f"sqlite:///{file}",
        module=sqlite_driver(),
        connect_args={"check_same_thread": False},
        **options,
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for pragma in PRAGMAS:
            answer = connection.execute(pragma).fetchone()
            if pragma.endswith("=WAL") and answer[0] != "wal":
                raise NoWriteAheadLog(
                    f"{file.parent}: this filesystem does not take a write-ahead log"
                )
        connection.execute("PRAGMA wal_autocheckpoint=4000" if write else "PRAGMA query_only=ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        # Past SQLAlchemy's own execution, which takes longer than all of it: each group begins.
        connection.connection.driver_connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def postgres_engine(url: str) -> Engine:
    """An engine on PostgreSQL through psycopg 3, READ COMMITTED."""
    for prefix in ("postgresql://", "postgres://"):
        if url.startswith(prefix):
            url = "postgresql+psycopg://" + url.removeprefix(prefix)
    return create_engine(
        url, pool_size=16, max_overflow=16, pool_pre_ping=True, isolation_level="READ COMMITTED"
    )
