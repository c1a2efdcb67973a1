"""What a large record costs: lists and pages on few and on many runs and events."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bench.campaigns import campaign, event, post
from bench.load import percentile
from bench.pages import times
from bench.results import Result
from bench.servers import Server, punktum

BATCH = 1000


def run() -> Iterator[Result]:
    """1,000 and 100,000 runs in a list; pages with 10³ and with 10⁶ events in the file."""
    with punktum() as server:
        token = campaign(server, "lists", 12)
        _runs(server, token, 0, 1_000)
        small = _list(server)
        small_pages = _pages(server)
        _runs(server, token, 1_000, 100_000)
        large = _list(server)
        yield Result("growth.first_100_of_1000_runs", small, "ms")
        yield Result("growth.first_100_of_100000_runs", large, "ms", small, mark="ratio ≤ 1.5")
        _beats(server, token, 900_000)
        for name, took in _pages(server).items():
            yield Result(
                f"growth.{name}.million_events", took, "ms", small_pages[name], mark="ratio ≤ 1.5"
            )


def _runs(server: Server, token: str, first: int, last: int) -> None:
    """Start and finish runs of a campaign of their own kind, in batches."""
    for begin in range(first, last, BATCH // 2):
        events = []
        for number in range(begin, min(begin + BATCH // 2, last)):
            for kind in ("start", "finish"):
                events.append(
                    {**event(f"x-{number}", kind, "step-9"), "run": f"x-{number}", "kind": kind}
                )
        _send(server, token, events)


def _beats(server: Server, token: str, count: int) -> None:
    """Beats of one run that goes on."""
    for begin in range(0, count, BATCH):
        events = [
            {
                **event("going", "beat", "step-6", begin + n + 1, progress=begin + n),
                "run": "going",
                "kind": "beat",
            }
            for n in range(BATCH)
        ]
        _send(server, token, events)


def _send(server: Server, token: str, events: list[dict[str, object]]) -> None:
    answer = post(server, "/api/v1/events", {"events": events}, token=token)
    refused = [result for result in answer["results"] if result["status"] >= 300]
    if refused:
        raise RuntimeError(json.dumps(refused[0]))


def _list(server: Server) -> float:
    return percentile(times(server, "/api/v1/campaigns/lists/runs", 30), 0.5)


def _pages(server: Server) -> dict[str, float]:
    rooms = {
        "campaigns": "/campaigns",
        "runs": "/campaigns/lists/runs",
        "budget": "/campaigns/lists/budget",
    }
    return {name: percentile(times(server, path, 30), 0.5) for name, path in rooms.items()}
