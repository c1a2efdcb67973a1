"""The single writer of a process: commands queue, one thread applies and commits them in groups.

The thread takes all that waits, begins once, applies each command, commits once, and only then
answers all. Groups form by themselves while the previous commit is on its way to the disk. A
group that fails is rolled back and each command is run alone, so that one cannot fail its
neighbours. A refusal by a rule comes before any write and leaves its group untouched.
"""

from __future__ import annotations

import asyncio
import functools
import queue
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, text
from sqlmodel import Session

from app.errors import AppError, Busy
from app.texts import text as sentence

GROUP = 256
WAITING = 4096

_NAMED = re.compile(r"(?<![:\w]):([a-z_]\w*)")


@functools.cache
def _for_postgres(statement: str) -> str:
    """`:name` placeholders as psycopg writes them."""
    return _NAMED.sub(r"%(\1)s", statement.replace("%", "%%"))


class WriteSession:
    """What one command may use inside the writer's transaction: the ORM, or plain SQL."""

    __slots__ = ("_connection", "_cursor", "_postgres", "_session", "wrote")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._session: Session | None = None
        self._postgres = connection.dialect.name == "postgresql"
        self._cursor: Any = None
        self.wrote = False

    @property
    def orm(self) -> Session:
        """A SQLModel session inside the transaction; flushed when the command ends."""
        if self._session is None:
            self._session = Session(self._connection, expire_on_commit=False)
        return self._session

    @property
    def connection(self) -> Connection:
        """The SQLAlchemy connection inside the transaction."""
        return self._connection

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._connection.dialect.name

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[Any]:
        """All rows of a SELECT in plain SQL with `:name` placeholders (fast path of machines)."""
        return list(self._run(statement, values).fetchall())

    def row(self, statement: str, values: Mapping[str, object] | None = None) -> Any:
        """The first row of a SELECT, or None."""
        return self._run(statement, values).fetchone()

    def execute(self, statement: str, values: Mapping[str, object] | None = None) -> int:
        """An INSERT, UPDATE or DELETE in plain SQL; returns the number of rows."""
        self.wrote = True
        return int(self._run(statement, values).rowcount)

    def insert(self, statement: str, values: Mapping[str, object], key: str) -> int:
        """An INSERT of one row in plain SQL; returns the number that its column `key` was given.

        SQLite takes twice as long for an INSERT that returns something, so it is asked apart.
        """
        self.wrote = True
        if self._postgres:
            return int(self._run(f"{statement} RETURNING {key}", values).fetchone()[0])
        return int(self._run(statement, values).lastrowid)

    def add(self, *records: Any) -> None:
        """Insert ORM records and flush, so that later statements see them."""
        self.wrote = True
        self.orm.add_all(records)
        self.orm.flush()

    def finish(self) -> None:
        """Write what is pending; called once when the command returned."""
        if self._session is not None:
            if self._session.new or self._session.dirty or self._session.deleted:
                self.wrote = True
            self._session.flush()
            self._session.expunge_all()

    def _run(self, statement: str, values: Mapping[str, object] | None) -> Any:
        if self._cursor is None:
            self._cursor = self._connection.connection.cursor()
        if self._postgres:
            return self._cursor.execute(_for_postgres(statement), values or {})
        return self._cursor.execute(statement, values or {})


Command = Callable[[WriteSession], Any]


@dataclass(slots=True)
class _Job:
    campaign_id: str | None
    command: Command
    future: Future[Any] | None
    loop: asyncio.AbstractEventLoop | None
    waiter: asyncio.Future[Any] | None
    result: object = None
    error: BaseException | None = None


class Writer:
    """Owns the writing connection and its thread."""

    def __init__(self, engine: Engine, *, group: int = GROUP, waiting: int = WAITING) -> None:
        self._engine = engine
        self._group = group
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._waiting = waiting
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._closing = False
        self._thread.start()

    def write(self, campaign_id: str | None, command: Command) -> Any:
        """Run a command from a thread and wait until it is on disk.

        Raises the command's `AppError`, or `Busy` when the queue is full (nothing stored).
        """
        job = _Job(campaign_id, command, Future(), None, None)
        self._put(job)
        assert job.future is not None
        return _outcome(job.future.result())

    async def write_async(self, campaign_id: str | None, command: Command) -> Any:
        """Run a command from the event loop; the same promise as `write`."""
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._put(_Job(campaign_id, command, None, loop, waiter))
        return _outcome(await waiter)

    def close(self) -> None:
        """Finish what waits, then end the thread and its connection."""
        if not self._closing:
            self._closing = True
            self._queue.put(None)
            self._thread.join()

    def _put(self, job: _Job) -> None:
        if self._closing:
            raise Busy(
                sentence("The server is shutting down; nothing was stored."), retry_after_s=5
            )
        if self._queue.qsize() >= self._waiting:
            raise Busy(
                sentence("Too much is waiting to be written; nothing was stored."), retry_after_s=1
            )
        self._queue.put(job)

    def _work(self) -> None:
        connection: Connection | None = None
        while True:
            jobs = self._take()
            if not jobs:
                break
            try:
                if connection is None or connection.invalidated:
                    connection = self._engine.connect()
                self._apply(connection, jobs)
            except BaseException as error:
                for job in jobs:
                    job.error = error
                _discard(connection)
                connection = None
            _deliver(jobs)
        _discard(connection)

    def _take(self) -> list[_Job]:
        first = self._queue.get()
        if first is None:
            return []
        jobs = [first]
        while len(jobs) < self._group:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._queue.put(None)
                break
            jobs.append(job)
        return jobs

    def _apply(self, connection: Connection, jobs: Sequence[_Job]) -> None:
        """Apply a group in one transaction; if one fails, roll back and run each alone."""
        try:
            with connection.begin():
                _lock(connection, jobs)
                for job in jobs:
                    _run(connection, job)
        except BaseException:
            for job in jobs:
                job.result = job.error = None
                try:
                    with connection.begin():
                        _lock(connection, [job])
                        _run(connection, job)
                except BaseException as error:
                    job.error = error


def _run(connection: Connection, job: _Job) -> None:
    session = WriteSession(connection)
    try:
        job.result = job.command(session)
        session.finish()
    except AppError as refusal:
        if session.wrote:
            raise
        job.result = refusal


def _lock(connection: Connection, jobs: Sequence[_Job]) -> None:
    """On PostgreSQL one advisory lock for each journal in the group, in ascending order."""
    if connection.dialect.name != "postgresql":
        return
    for campaign_id in sorted({job.campaign_id for job in jobs if job.campaign_id}):
        connection.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:id, 0))"), {"id": campaign_id}
        )


def _discard(connection: Connection | None) -> None:
    if connection is not None:
        connection.close()


def _deliver(jobs: Sequence[_Job]) -> None:
    """Answer all: threads through their futures, each event loop with one call for its jobs."""
    loops: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
    for job in jobs:
        if job.future is not None:
            _settle(job.future, job)
        elif job.loop is not None:
            loops.setdefault(job.loop, []).append(job)
    for loop, mine in loops.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle_all, mine)


def _settle_all(jobs: Sequence[_Job]) -> None:
    for job in jobs:
        if job.waiter is not None and not job.waiter.done():
            _settle(job.waiter, job)


def _settle(future: Any, job: _Job) -> None:
    if job.error is not None:
        future.set_exception(job.error)
    else:
        future.set_result(job.result)


def _outcome(result: Any) -> Any:
    if isinstance(result, AppError):
        raise result
    return result
