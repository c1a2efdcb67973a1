"""Durable posts beside a bare echo in the same run: rate, tail, and what one post costs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator

from bench.campaigns import campaign, event, post
from bench.load import Load, measure, request
from bench.results import Result
from bench.servers import Server, echo, punktum

CLIENTS = (1, 8, 32)
SECONDS = 4.0
MANY = 100
CLIENTS_OF_MANY = 8


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
            before = bare.cpu_s()
            plain = measure(bare.port, clients, SECONDS, _echo)
            bare_s = (bare.cpu_s() - before) / max(plain.answers, 1)
            before = server.cpu_s()
            mine = measure(server.port, clients, SECONDS, sent.make)
            cpu_s = (server.cpu_s() - before) / max(mine.answers, 1)
            yield from _compared(clients, plain, mine, cpu_s, bare_s)
        yield from _many_in_one(server, token)
        yield from _memory(server, sent.make)


def _compared(
    clients: int, plain: Load, mine: Load, cpu_s: float, bare_s: float
) -> Iterator[Result]:
    name = f"posts.{clients}_clients"
    mark = "ratio ≥ 0.6" if clients == max(CLIENTS) else None
    yield Result(f"{name}.per_second", mine.per_second, "1/s", plain.per_second, mark)
    yield Result(
        f"{name}.p50", mine.p50_ms, "ms", plain.p50_ms, mark="≤ 1" if clients == 1 else None
    )
    yield Result(f"{name}.p99", mine.p99_ms, "ms", plain.p99_ms)
    yield Result(f"{name}.cpu_per_post", cpu_s * 1e6, "µs", bare_s * 1e6)
    yield Result(f"{name}.failed", mine.failed, "answers")


def _many_in_one(server: Server, token: str) -> Iterator[Result]:
    """A hundred metrics in one post: of one beat, and of a hundred beats in a batch."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    values = {f"layer-{n}/norm": 0.5 + n for n in range(MANY)}
    numbers = {run: itertools.count(1) for run in _runs("wide") + _runs("batch")}

    def one_beat(client: int, _number: int) -> bytes:
        run = f"wide-{client}"
        body = event(run, "beat", "step-8", next(numbers[run]), metrics=values)
        return request("POST", f"/api/v1/runs/{run}/beat", json.dumps(body).encode(), headers)

    def batch(client: int, _number: int) -> bytes:
        run = f"batch-{client}"
        events = [
            {
                **event(run, "beat", "step-8", seq, metrics={"loss": 0.31}),
                "run": run,
                "kind": "beat",
            }
            for seq in itertools.islice(numbers[run], MANY)
        ]
        return request("POST", "/api/v1/events", json.dumps({"events": events}).encode(), headers)

    for run in numbers:
        post(server, f"/api/v1/runs/{run}/start", event(run, "start", "step-8"), token=token)
    for name, make, mark in (("in_one_beat", one_beat, "≥ 50,000"), ("in_a_batch", batch, None)):
        load = measure(server.port, CLIENTS_OF_MANY, SECONDS, make)
        rate = (load.answers - load.failed) * MANY / SECONDS
        yield Result(f"posts.{MANY}_metrics_{name}", rate, "metrics/s", mark=mark)


def _runs(stem: str) -> list[str]:
    return [f"{stem}-{client}" for client in range(CLIENTS_OF_MANY)]


def _memory(server: Server, make: Callable[[int, int], bytes]) -> Iterator[Result]:
    sent = 0
    while sent < 100_000:
        sent += measure(server.port, 32, 4.0, make).answers
    yield Result("posts.memory_after_100000", server.rss_mb(), "MB")


class Beats:
    """Beats numbered as a client numbers them, without gaps; each client reports one run."""

    def __init__(self, token: str, step: str) -> None:
        self._step = step
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        self._seq: dict[int, int] = {}

    def make(self, client: int, _number: int) -> bytes:
        """The next beat of a client's run."""
        seq = self._seq[client] = self._seq.get(client, 0) + 1
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
