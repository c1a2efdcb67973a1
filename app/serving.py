"""Serving one data folder: lock, schema, database, listeners, and a clean end."""

from __future__ import annotations

import json
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import uvicorn
from sqlalchemy import Connection
from uvicorn.server import HANDLED_SIGNALS

from app import clock
from app.db.database import Database, open_database
from app.db.engines import postgres_engine, sqlite_engine, sqlite_verdict
from app.db.lockfile import FolderLock
from app.db.migrate import NotMigrated, check, migrate_sqlite, newest
from app.settings import Settings

log = logging.getLogger("punktum")
_BACKLOG = 2048


class RefusedToServe(RuntimeError):
    """The address would open the server to strangers, or cannot be listened on."""


class JsonLines(logging.Formatter):
    """One JSON object per line; line breaks in values cannot forge a second one."""

    _OWN = frozenset(vars(logging.makeLogRecord({})))

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, message and whatever facts were given with it."""
        facts = {
            key: value
            for key, value in vars(record).items()
            if key not in self._OWN and key != "message"
        }
        line = {
            "at": clock.now().isoformat(),
            "level": record.levelname.lower(),
            "says": record.getMessage(),
            **facts,
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


def set_up_logs(level: str) -> None:
    """Send all logs to stderr as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for noisy in ("uvicorn", "uvicorn.error", "asyncio", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def secret_of(settings: Settings) -> bytes:
    """The signing key: as set, else the folder's own, made once and readable by its owner only."""
    if settings.secret is not None and settings.secret.get_secret_value():
        return settings.secret.get_secret_value().encode()
    file = settings.data / "secret.key"
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_bytes()
    with os.fdopen(descriptor, "wb") as target:
        key = secrets.token_bytes(32)
        target.write(key)
    return key


def prepare(settings: Settings) -> Database:
    """Open the database at this code's schema; SQLite is migrated, PostgreSQL must be.

    Raises `NewerDatabase`, `MigrationFailed` or `NotMigrated`. The caller holds the folder's lock.
    """
    if settings.is_postgres and settings.database_url is not None:
        engine = postgres_engine(settings.database_url.get_secret_value())
        current = check(engine)
        engine.dispose()
        if not current:
            raise NotMigrated(
                f"the database is not at revision {newest()}: run `punktum-server migrate` once"
            )
        return open_database(settings)
    verdict = sqlite_verdict()
    if not verdict.safe:
        log.warning(
            "SQLite %s can corrupt a database; use 3.51.3 or newer (pysqlite3)", verdict.version
        )
    engine = sqlite_engine(settings.sqlite_file, write=True)
    copy = migrate_sqlite(settings.sqlite_file, engine, clock.now(), _remake)
    engine.dispose()
    if copy is not None:
        log.warning("migrated; a verified copy of the database as it was lies at %s", copy)
    return open_database(settings)


def _remake(connection: Connection) -> None:
    """All rooms are needed for it, so they are imported only when there is something to migrate."""
    from app.journal.verify import remake

    remake(connection)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; raises before listening when something is in the way."""
    if not settings.binds_loopback() and not settings.published_on_loopback:
        raise RefusedToServe(
            f"without a login only this machine is served: {settings.host} is not a loopback "
            "address "
            "(use 127.0.0.1, and a tunnel or --jobs-port for other machines)"
        )
    if settings.published_on_loopback:
        log.warning(
            "bound to %s because the port is said to be published on loopback only", settings.host
        )
    with ExitStack() as held:
        sockets = listeners(settings, held)
        port = sockets[0].getsockname()[1]
        address = (
            f"http://{'127.0.0.1' if settings.published_on_loopback else settings.host}:{port}"
        )
        held.enter_context(FolderLock(settings.data, address))
        database = prepare(settings)
        held.callback(database.close)
        jobs_port = sockets[1].getsockname()[1] if len(sockets) > 1 else None
        _run(
            settings.model_copy(update={"port": port, "jobs_port": jobs_port}),
            database,
            sockets,
            address,
        )


def listeners(settings: Settings, held: ExitStack) -> list[socket.socket]:
    """A listener for each port; two servers that start together cannot both have one."""
    ports = [settings.port] + ([settings.jobs_port] if settings.jobs_port is not None else [])
    sockets = []
    for port in ports:
        try:
            listener = _bind(settings.host, port, held)
        except OSError as error:
            where = f"{settings.host}:{port} from {settings.data}"
            raise RefusedToServe(f"cannot serve on {where}: {error}") from error
        sockets.append(listener)
    return sockets


def _bind(host: str, port: int, held: ExitStack) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    held.callback(listener.close)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    # Where addresses may be reused, two may bind: the one who listens first has it.
    listener.listen(_BACKLOG)
    return listener


def _run(
    settings: Settings, database: Database, sockets: list[socket.socket], address: str
) -> None:
    from app.main import create_app

    app = create_app(settings, database, secret_of(settings))
    config = uvicorn.Config(
        app,
        loop="auto",
        http="auto",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=5,
        backlog=_BACKLOG,
    )
    _Announcing(config, address, settings.jobs_port).run(sockets=sockets)


class _Announcing(uvicorn.Server):
    """Prints the address once it answers there."""

    def __init__(self, config: uvicorn.Config, address: str, jobs_port: int | None) -> None:
        super().__init__(config)
        self._address = address
        self._jobs_port = jobs_port

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on SIGTERM and SIGINT as a success; uvicorn itself would die of the signal again."""
        before = {sort: signal.signal(sort, self.handle_exit) for sort in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for sort, handler in before.items():
                signal.signal(sort, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as usual, then say where."""
        await super().startup(sockets)
        if self.started:
            print(f"Punktum serves at {self._address}", flush=True)
            if self._jobs_port is not None:
                print(f"Jobs post to port {self._jobs_port} (always with a token)", flush=True)
