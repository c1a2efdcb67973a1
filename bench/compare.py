"""The comparison page: the plan of 20 steps in twelve packages, each placed anew."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from bench.campaigns import plan_of, post
from bench.load import percentile, request
from bench.pages import GZIP
from bench.results import Result
from bench.servers import Server, fetch, punktum

STEPS = 20


def run() -> Iterator[Result]:
    """The page when the plan has just changed, without and with the chances; twelve packages."""
    with punktum() as server:
        _fourth_offer(server)
        plain, drawn = [], []
        for number in range(9):
            plan = _plan(number)
            post(server, "/api/v1/campaigns", plan, kind="application/toml")
            plain.append(_took(server, f"/campaigns/c{number}/plan/compare"))
            drawn.append(_took(server, f"/campaigns/c{number}/plan/compare?chances=yes"))
        yield Result("compare.12_packages_20_steps", percentile(plain, 0.5), "ms", mark="≤ 300")
        yield Result("compare.12_packages_with_chances", percentile(drawn, 0.5), "ms")


def _plan(number: int) -> str:
    """Twenty steps with spreads; another campaign each time, so that nothing is kept."""
    plan = plan_of(f"c{number}", STEPS)
    return plan.replace('p50 = "2h"', f'p50 = "{2 + number % 3}h"\np90 = "{4 + number % 3}h"')


def _fourth_offer(server: Server) -> None:
    """A fourth offer with a duration, so that there are four times three packages."""
    offer = {
        "id": "bench/one", "provider": "bench", "gpu": "RTX 4090", "gpus": 2, "hours": 96,
        "price": "80.00", "currency": "USD", "source": "made up for this benchmark",
    }  # fmt: skip
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in offer.items())
    post(server, "/api/v1/offers", f"[[offers]]\n{lines}\n", kind="application/toml")


def _took(server: Server, path: str) -> float:
    started = time.perf_counter()
    status, _headers, _body = fetch(
        server.port, request("GET", path, headers={"Connection": "close", **GZIP})
    )
    assert status == 200, (path, status)
    return (time.perf_counter() - started) * 1000
