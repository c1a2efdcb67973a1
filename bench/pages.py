"""Pages: time of a whole answer, bytes over the wire, unchanged polls, reading beside posts."""

from __future__ import annotations

import gzip
import itertools
import re
import threading
import time
from collections.abc import Iterator

from bench.campaigns import campaign, event, post
from bench.load import Load, measure, percentile
from bench.posts import Beats
from bench.results import Result
from bench.servers import Server, punktum

GZIP = {"Accept-Encoding": "gzip"}
PARTIAL = {**GZIP, "HX-Request": "true", "HX-Request-Type": "partial"}


def run() -> Iterator[Result]:
    """The campaign page and the timeline, with 12 and with 60 steps."""
    with punktum() as server:
        token = ""
        for steps in (12, 60):
            token = campaign(server, f"p{steps}", steps)
            numbers = itertools.count(2)  # a number that was sent before would change nothing
            for room in ("", "/timeline"):
                took = times(server, f"/campaigns/p{steps}{room}", 60)
                name = f"pages.{room.strip('/') or 'campaign'}.{steps}_steps"
                yield Result(f"{name}.p50", percentile(took, 0.5), "ms")
                drawn = redrawn(server, f"/campaigns/p{steps}{room}", token, 20, numbers)
                yield Result(
                    f"{name}.after_a_fact.p50", percentile(drawn, 0.5), "ms", mark="≤ 25 at 60"
                )
            yield from _weight(
                server, f"/campaigns/p{steps}/timeline", f"pages.timeline.{steps}_steps"
            )
        yield from _beside_posts(server, token)


def times(server: Server, path: str, count: int) -> list[float]:
    """Milliseconds of whole answers to the same request, one after the other."""
    took = []
    for _ in range(count):
        started = time.perf_counter()
        status, _headers, _body = server.get(path, GZIP)
        took.append((time.perf_counter() - started) * 1000)
        assert status == 200, (path, status)
    return took


def redrawn(
    server: Server, path: str, token: str, count: int, numbers: Iterator[int]
) -> list[float]:
    """Milliseconds of answers that had to be made anew: a job reports before each of them.

    A live part is drawn at most every 250 ms, so each waits until it may be.
    """
    took = []
    for _, n in zip(range(count), numbers, strict=False):
        beat = event("going", "beat", "", n, progress=n)
        del beat["step"]
        post(server, "/api/v1/runs/going/beat", beat, token=token)
        time.sleep(0.26)
        took += times(server, path, 1)
    return took


def _weight(server: Server, path: str, name: str) -> Iterator[Result]:
    """The whole first load: the page and all it asks for, as sent."""
    _status, headers, body = server.get(path, GZIP)
    page = _plain(headers, body)
    assets = sorted(set(re.findall(rb'(?:src|href)="(/static/[^"]+)"', page)))
    total, scripts, requests = len(body), 0, 1
    for found in assets:
        _status, _headers, content = server.get(found.decode(), GZIP)
        total, requests = total + len(content), requests + 1
        scripts += len(content) if found.endswith(b".js") else 0
    yield Result(f"{name}.first_load", total / 1000, "kB", mark="≤ 40")
    yield Result(f"{name}.javascript", scripts / 1000, "kB", mark="≤ 20")
    yield Result(f"{name}.requests", requests, "requests", mark="≤ 6")
    _status, headers, _body = server.get(path, PARTIAL)
    status, again, rest = server.get(path, {**PARTIAL, "HX-PTag": headers["hx-ptag"]})
    size = sum(len(key) + len(value) + 4 for key, value in again.items()) + len(rest) + 26
    yield Result(f"{name}.unchanged_poll", size, f"bytes ({status})", mark="≤ 200")


def _plain(headers: dict[str, str], body: bytes) -> bytes:
    return gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body


def _beside_posts(server: Server, token: str) -> Iterator[Result]:
    """The 12-step campaign page while 300 posts a second arrive for another campaign."""
    for client in range(10):
        started = event(f"c-{client}", "start", "step-40")
        post(server, f"/api/v1/runs/c-{client}/start", started, token=token)
    loads: list[Load] = []
    beats = Beats(token, "step-40")
    poster = threading.Thread(
        target=lambda: loads.append(measure(server.port, 10, 8.0, beats.make, pace_s=10 / 300))
    )
    poster.start()
    time.sleep(0.5)
    took: list[float] = []
    while poster.is_alive():
        took += times(server, "/campaigns/p12", 5)
        time.sleep(0.05)
    poster.join()
    yield Result("pages.beside_posts.p95", percentile(took, 0.95), "ms", mark="≤ 10")
    yield Result("pages.beside_posts.posts", loads[0].per_second, "1/s")
    yield Result("pages.beside_posts.post_p99", loads[0].p99_ms, "ms")
