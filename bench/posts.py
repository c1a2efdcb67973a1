"""Durable posts beside a bare echo in the same run: rate, tail, and what one post costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from bench.campaigns import campaign, event, post
from bench.load import Load, measure, request
from bench.results import Result
from bench.servers import Server, echo, punktum

CLIENTS = (1, 8, 32)
SECONDS = 4.0


def run() -> Iterator[Result]:
    """Echo and Punktum in turn for 1, 8 and 32 clients, each kept busy for the same time."""
    with echo() as bare, punktum() as server:
        token = campaign(server, "posts", 12)
        for client in range(max(CLIENTS)):
            post(
                server,
                f"/api/v1/runs/c-{client}/start",
                event(f"c-{client}", "start", "step-8"),
                token=token,
            )
        sent = Beats(token, "step-8")
        measure(bare.port, 8, 1.0, _echo)
        measure(server.port, 8, 1.0, sent.make)
        for clients in CLIENTS:
            plain = measure(bare.port, clients, SECONDS, _echo)
            before = server.cpu_s()
            mine = measure(server.port, clients, SECONDS, sent.make)
            yield from _compared(
                clients, plain, mine, (server.cpu_s() - before) / max(mine.answers, 1)
            )
        yield from _memory(server, sent.make)


def _compared(clients: int, plain: Load, mine: Load, cpu_s: float) -> Iterator[Result]:
    name = f"posts.{clients}_clients"
    yield Result(f"{name}.per_second", mine.per_second, "1/s", plain.per_second)
    yield Result(f"{name}.p99", mine.p99_ms, "ms", plain.p99_ms)
    yield Result(f"{name}.cpu_per_post", cpu_s * 1e6, "µs")
    yield Result(f"{name}.failed", mine.failed, "answers")


def _memory(server: Server, make: Callable[[int, int], bytes]) -> Iterator[Result]:
    sent = 0
    while sent < 100_000:
        sent += measure(server.port, 32, 4.0, make).answers
    yield Result("posts.memory_after_100000", server.rss_mb(), "MB")


class Beats:
    """Beats with growing numbers; each client reports one run."""

    def __init__(self, token: str, step: str) -> None:
        self._step = step
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        self._seq: dict[int, int] = {}

    def make(self, client: int, _number: int) -> bytes:
        """The next beat of a client's run."""
        seq = self._seq[client] = self._seq.get(client, 1) + 1
        body = event(
            f"c-{client}",
            "beat",
            self._step,
            seq,
            progress=seq,
            total=10**6,
            metrics={"loss": 0.31},
        )
        return request(
            "POST", f"/api/v1/runs/c-{client}/beat", json.dumps(body).encode(), self._headers
        )


def _echo(client: int, number: int) -> bytes:
    body = json.dumps(
        event(f"c-{client}", "beat", "step-8", number, progress=number, metrics={"loss": 0.31})
    )
    return request("POST", f"/echo/c-{client}", body.encode(), {"Content-Type": "application/json"})
