"""A server that is killed again and again loses nothing that it acknowledged, and doubles nothing.

`PUNKTUM_KILLS=200` in the environment kills it so often.
"""

from __future__ import annotations

import http.client
import itertools
import os
import random
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from app.db.engines import sqlite_engine
from app.journal.verify import verify_database
from tests.faults.conftest import Serve
from tests.faults.servers import HANG_GUARD_S, ID, Served, ask
from tests.punktum_client.loopback import wait_until

KILLS = int(os.environ.get("PUNKTUM_KILLS", "20"))
WRITERS = 8
BETWEEN = 60
"""So many posts at least are acknowledged in each life of the server."""

Post = tuple[str, Any, list[str]]
"""Path, body, and the names of the events in it."""


class Writer(threading.Thread):
    """Posts one post after the other; one that was not answered is sent again, mostly."""

    def __init__(self, server: Served, posts: Iterator[Post], seed: int) -> None:
        super().__init__(name=f"writer-{seed}", daemon=True)
        self.sent: set[str] = set()
        self.acknowledged: list[str] = []
        self.strange: list[object] = []
        self.over = threading.Event()
        self._server, self._posts, self._chance = server, posts, random.Random(seed)

    def run(self) -> None:
        """Until told that it is over."""
        connection = self._server.connection()
        for path, body, names in self._posts:
            self.sent.update(names)
            while not self.over.is_set():
                try:
                    status, answer = ask(connection, "POST", path, body, self._server.job_headers())
                except (OSError, http.client.HTTPException):
                    connection.close()
                    time.sleep(0.01)
                    # What was not answered may be there or not; a job that gives up loses nothing.
                    if self._chance.random() < 0.1:
                        break
                    continue
                self._take(status, answer, names)
                break
            if self.over.is_set():
                break
        connection.close()

    def _take(self, status: int, answer: Any, names: list[str]) -> None:
        if status != 200:
            self.strange.append((status, answer))
            return
        refused = [one for one in answer.get("results", ()) if one["status"] != 200]
        self.strange.extend(refused)
        self.acknowledged += names


def _singles(run: str) -> Iterator[Post]:
    """A job's posts, one event each."""
    for seq in itertools.count(2):
        body = _numbered(run, seq)
        yield f"/api/v1/runs/{run}/beat", body, [body["note"]]


def _batches(run: str) -> Iterator[Post]:
    """A job's posts, some events each."""
    for first in itertools.count(2, 7):
        events = [
            {**_numbered(run, seq), "run": run, "kind": "beat"} for seq in range(first, first + 7)
        ]
        yield "/api/v1/events", {"events": events}, [event["note"] for event in events]


def _shells(run: str) -> Iterator[Post]:
    """A shell's posts: it counts nothing, and names each so that it may say it again."""
    for number in itertools.count(2):
        name = f"{run}/{number}"
        yield f"/api/v1/runs/{run}/beat", {"event_id": name, "note": name}, [name]


def _numbered(run: str, seq: int) -> dict[str, Any]:
    return {
        "attempt_id": f"{int(run.removeprefix('w-')):032x}",
        "seq": seq,
        "at": f"2026-12-01T08:{seq // 60 % 60:02}:{seq % 60:02}Z",
        "progress": seq,
        "metrics": {"loss": 1 / seq},
        "note": f"{run}/{seq}",
    }


WAYS: tuple[Callable[[str], Iterator[Post]], ...] = (_singles, _batches, _singles, _shells)


def _started(server: Served) -> list[Writer]:
    """A writer for each run, all runs started."""
    writers = []
    for number in range(WRITERS):
        run, way = f"w-{number}", WAYS[number % len(WAYS)]
        start: dict[str, Any] = {"step": "step-0", "config_sha256": "0" * 64}
        if way is not _shells:
            start |= {"attempt_id": f"{number:032x}", "seq": 1}
        with_token = server.connection()
        path = f"/api/v1/runs/{run}/start"
        assert ask(with_token, "POST", path, start, server.job_headers())[0] == 200
        with_token.close()
        writers.append(Writer(server, way(run), number))
    for writer in writers:
        writer.start()
    return writers


def _stored(server: Served) -> Counter[str]:
    """The beats that are there, by their names; read from the file as it lies."""
    with sqlite3.connect(server.data / "punktum.sqlite") as connection:
        rows = connection.execute("SELECT payload FROM run_events WHERE kind = 'beat'")
        return Counter(_name(payload) for (payload,) in rows)


def _name(payload: str) -> str:
    return payload.partition('"note":"')[2].partition('"')[0]


def test_what_was_acknowledged_is_there_once(serve: Serve) -> None:
    server, chance = serve().opened(), random.Random(KILLS)
    writers = _started(server)
    try:
        for _ in range(KILLS):
            enough = BETWEEN + sum(len(writer.acknowledged) for writer in writers)
            wait_until(
                lambda n=enough: sum(len(writer.acknowledged) for writer in writers) >= n,  # type: ignore[misc]
                HANG_GUARD_S,
            )
            time.sleep(chance.random() / 50)
            server.kill()
            server.start()
        enough = BETWEEN + sum(len(writer.acknowledged) for writer in writers)
        wait_until(lambda: sum(len(writer.acknowledged) for writer in writers) >= enough)
    finally:
        for writer in writers:
            writer.over.set()
        for writer in writers:
            writer.join(HANG_GUARD_S)
    server.end()
    stored = _stored(server)
    assert [writer.strange for writer in writers] == [[]] * WRITERS
    acknowledged = {name for writer in writers for name in writer.acknowledged}
    assert acknowledged - set(stored) == set()
    assert set(stored) - {name for writer in writers for name in writer.sent} == set()
    assert [name for name, times in stored.items() if times != 1] == []
    assert {name.partition("/")[0] for name in stored} == {f"w-{n}" for n in range(WRITERS)}
    engine = sqlite_engine(server.data / "punktum.sqlite", write=True)
    assert verify_database(engine).findings == ()
    engine.dispose()
    assert ID in _campaigns(server)


def _campaigns(server: Served) -> list[str]:
    with sqlite3.connect(server.data / "punktum.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [row[0] for row in connection.execute("SELECT id FROM campaigns")]
