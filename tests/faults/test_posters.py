"""Twenty posters at once while somebody reads for long: every post is taken, none waits for the
reader, and what the reader sees does not move under it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Connection, create_engine, text

from app.db.engines import postgres_engine, sqlite_engine
from tests.faults.servers import HANG_GUARD_S, ID, Served, ask

POSTERS = 20
EVENTS = 50
COUNT = text("SELECT count(*) FROM run_events")
PAGES = (f"/campaigns/{ID}/runs", f"/campaigns/{ID}/timeline", f"/api/v1/campaigns/{ID}/runs")


def _posted(server: Served, number: int, answers: list[int]) -> None:
    """One job's life on one kept connection: a start, beats, and an end."""
    with contextlib.closing(server.connection()) as connection:
        for seq in range(1, EVENTS + 1):
            kind = {1: "start", EVENTS: "finish"}.get(seq, "beat")
            body: dict[str, Any] = {"attempt_id": f"{number:032x}", "seq": seq, "progress": seq}
            if kind == "start":
                body |= {"step": "step-0", "config_sha256": "0" * 64}
            path = f"/api/v1/runs/p-{number}/{kind}"
            answers.append(ask(connection, "POST", path, body, server.job_headers())[0])


def _reads(server: Served, over: threading.Event, answers: list[int]) -> None:
    """Pages of the campaign, one after the other."""
    with contextlib.closing(server.connection()) as connection:
        while not over.is_set():
            answers += [ask(connection, "GET", path)[0] for path in PAGES]


@contextlib.contextmanager
def _reader(server: Served) -> Iterator[Connection]:
    """A transaction on one snapshot, held open."""
    if server.database_url is None:
        engine = sqlite_engine(server.data / "punktum.sqlite", write=False)
    else:
        url = postgres_engine(server.database_url).url
        engine = create_engine(url, isolation_level="REPEATABLE READ")
    with engine.connect() as connection, connection.begin():
        yield connection
    engine.dispose()


def test_all_posts_of_twenty_jobs_are_there(servers: list[Served]) -> None:
    posted: list[int] = []
    seen: list[int] = []
    over = threading.Event()
    jobs: list[Callable[[], None]] = [
        lambda n=n: _posted(servers[n % len(servers)], n, posted)  # type: ignore[misc]
        for n in range(POSTERS)
    ]
    reading = [threading.Thread(target=_reads, args=(one, over, seen)) for one in servers]
    with _reader(servers[0]) as snapshot:
        before = snapshot.execute(COUNT).scalar_one()
        posters = [threading.Thread(target=job) for job in jobs]
        for thread in [*reading, *posters]:
            thread.start()
        for thread in posters:
            thread.join(HANG_GUARD_S)
        during = snapshot.execute(COUNT).scalar_one()
    over.set()
    for thread in reading:
        thread.join(HANG_GUARD_S)
    with _reader(servers[0]) as snapshot:
        after = snapshot.execute(COUNT).scalar_one()
    assert (before, during, after) == (0, 0, POSTERS * EVENTS)
    assert posted == [200] * (POSTERS * EVENTS)
    assert set(seen) == {200}
    runs = _runs(servers[0])
    assert [run["status"] for run in runs] == ["completed"] * POSTERS
    assert {(run["progress"], run["gaps"]) for run in runs} == {(EVENTS, 0)}


def _runs(server: Served) -> list[dict[str, Any]]:
    with contextlib.closing(server.connection()) as connection:
        found: list[dict[str, Any]] = ask(connection, "GET", PAGES[2])[1]["items"]
    return found
