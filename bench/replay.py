"""100,000 events of a spool sent by the real client: once, and once more."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import spools
from bench.campaigns import campaign
from bench.results import Result
from bench.servers import Server as Served
from bench.servers import punktum
from punktum.replay import Replay
from punktum.server import Server
from punktum.settings import Settings

EVENTS = 100_000
_FOLDS = (
    "SELECT * FROM attempt_states ORDER BY attempt_key",
    "SELECT * FROM runs ORDER BY run_id",
    "SELECT * FROM stop_records ORDER BY number",
    "SELECT * FROM journal ORDER BY id",
    "SELECT count(*), max(number) FROM run_events",
)


def run() -> Iterator[Result]:
    """Events a second of the first replay and of a second one, which must change nothing."""
    with punktum() as server, tempfile.TemporaryDirectory() as folder:
        token = campaign(server, "replayed", 12)
        began = time.perf_counter()
        count = spools.write(Path(folder), EVENTS)
        yield Result("replay.spooled", count / (time.perf_counter() - began), "events/s")
        yield Result("replay.once", _replayed(server, token, Path(folder), count), "events/s")
        once = _record(server)
        yield Result("replay.again", _replayed(server, token, Path(folder), count), "events/s")
        differing = sum(
            before != after for before, after in zip(once, _record(server), strict=True)
        )
        yield Result("replay.tables_that_differ", differing, "tables", mark="0")


def _replayed(server: Served, token: str, folder: Path, count: int) -> float:
    client = Server(Settings(f"http://127.0.0.1:{server.port}", token))
    began = time.perf_counter()
    done = Replay(client, folder).send()
    client.close()
    if (done.events, done.refused, done.trouble) != (count, 0, None):
        raise RuntimeError(str(done))
    return count / (time.perf_counter() - began)


def _record(server: Served) -> list[list[tuple[object, ...]]]:
    """What was folded from the events, and the journal."""
    with sqlite3.connect(server.data / "punktum.sqlite") as connection:
        return [connection.execute(query).fetchall() for query in _FOLDS]
