"""What a large record costs: lists and pages on few and on many runs and events."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.campaigns import campaign, event, post
from bench.load import measure, percentile, request
from bench.pages import redrawn, times
from bench.results import Result
from bench.servers import Server, punktum

BATCH = 1000
RUNS = "/campaigns/lists/runs"
ROOMS = {"overview": "/campaigns/lists", "runs": RUNS, "budget": "/campaigns/lists/budget"}


def run() -> Iterator[Result]:
    """Few and many runs in a list, few and many events behind pages and answers.

    Each pair is asked in turn, so that whatever else the machine does meets both.
    """
    with _filled(0) as few, _filled(0) as many:
        _runs(few, 0, 1_000)
        _runs(many, 0, 5_000)
        yield from _rendered(many)
        _runs(many, 5_000, 100_000)
        small, large = _in_turn(lambda one: _list(one.server), few, many)
        yield Result("growth.first_100_of_1000_runs", small, "ms")
        yield Result("growth.first_100_of_100000_runs", large, "ms", small, mark="ratio ≤ 1.3")
    with _filled(1_000) as few, _filled(1_000_000) as many:
        for name, path in {"answer": "", **ROOMS}.items():
            small, large = _in_turn(functools.partial(_cost, path), few, many)
            mark = "ratio ≤ 1.5" if name in ("answer", "overview") else None
            yield Result(f"growth.{name}.million_events", large, "ms", small, mark)


@dataclass(frozen=True, slots=True)
class Filled:
    """A server with a campaign, its token, and the numbers of the run that goes on."""

    server: Server
    token: str
    numbers: Iterator[int]


@contextmanager
def _filled(events: int) -> Iterator[Filled]:
    with punktum() as server:
        filled = Filled(server, campaign(server, "lists", 12), itertools.count(1))
        _beats(filled, events)
        yield filled


def _in_turn(cost: Callable[[Filled], float], few: Filled, many: Filled) -> tuple[float, float]:
    """The medians of what both cost, in milliseconds."""
    took = [(cost(few), cost(many)) for _ in range(7)]
    return percentile([one for one, _ in took], 0.5), percentile([two for _, two in took], 0.5)


def _cost(path: str, filled: Filled) -> float:
    """What a page takes that has to be made anew, or without a path the answer to a post."""
    if not path:
        return _answer(filled)
    return percentile(redrawn(filled.server, path, filled.token, 3, filled.numbers), 0.5)


def _answer(filled: Filled) -> float:
    """The median answer to a post on one kept connection."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {filled.token}"}

    def beat(_client: int, _number: int) -> bytes:
        seq = next(filled.numbers)
        body = json.dumps(event("going", "beat", "step-6", seq, progress=seq)).encode()
        return request("POST", "/api/v1/runs/going/beat", body, headers)

    return measure(filled.server.port, 1, 0.5, beat).p50_ms


def _rendered(many: Filled) -> Iterator[Result]:
    """The list of 5,000 runs and the page of one of them: as they stand, and after each fact."""
    for name, path in (("list_of_5000_runs", RUNS), ("one_run_of_5000", f"{RUNS}/going")):
        redrawn(many.server, path, many.token, 1, many.numbers)
        stands = percentile(times(many.server, path, 30), 0.5)
        yield Result(f"growth.{name}", stands, "ms", mark="≤ 60")
        drawn = redrawn(many.server, path, many.token, 20, many.numbers)
        yield Result(f"growth.{name}.after_a_fact", percentile(drawn, 0.5), "ms")


def _runs(filled: Filled, first: int, last: int) -> None:
    """Start and finish runs of a campaign of their own kind, in batches."""
    for begin in range(first, last, BATCH // 2):
        events = []
        for number in range(begin, min(begin + BATCH // 2, last)):
            for kind in ("start", "finish"):
                events.append(
                    {**event(f"x-{number}", kind, "step-9"), "run": f"x-{number}", "kind": kind}
                )
        _send(filled, events)


def _beats(filled: Filled, count: int) -> None:
    """Beats of one run that goes on."""
    for _ in range(count // BATCH):
        events: list[dict[str, object]] = [
            {**event("going", "beat", "step-6", seq, progress=seq), "run": "going", "kind": "beat"}
            for seq in itertools.islice(filled.numbers, BATCH)
        ]
        _send(filled, events)


def _send(filled: Filled, events: list[dict[str, object]]) -> None:
    answer = post(filled.server, "/api/v1/events", {"events": events}, token=filled.token)
    refused = [result for result in answer["results"] if result["status"] >= 300]
    if refused:
        raise RuntimeError(json.dumps(refused[0]))


def _list(server: Server) -> float:
    return percentile(times(server, "/api/v1/campaigns/lists/runs", 30), 0.5)
