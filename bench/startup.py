"""From the command to the first answered request, and what the server holds idle."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.load import percentile
from bench.results import Result
from bench.servers import punktum


def run() -> Iterator[Result]:
    """A first start with an empty folder, then seven on a current database."""
    with tempfile.TemporaryDirectory() as folder:
        with punktum(Path(folder)) as server:
            yield Result("startup.first", server.start_s, "s")
        took = []
        for _ in range(7):
            with punktum(Path(folder)) as server:
                took.append(server.start_s)
                time.sleep(0.3)
                memory = server.rss_mb()
        yield Result("startup.again", percentile(took, 0.5), "s", mark="≤ 1")
        yield Result("startup.memory_idle", memory, "MB", mark="≤ 110")
