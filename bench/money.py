"""Money: the budget page of a campaign with 200 orders, and a FOCUS file of 10,000 rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from app.budget.rules import (
    Expense,
    FocusChoice,
    FocusRefusal,
    chosen_rows,
    focus_rows,
    write_focus,
)
from app.orders.rules import Order, OrderedLot
from bench.campaigns import plan_of, post
from bench.load import percentile
from bench.results import Result
from bench.servers import punktum

ORDERS = 200
ROWS = 10_000
START = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)


def run() -> Iterator[Result]:
    """The page as it is served whole, and the file from the orders to its text."""
    with punktum() as server:
        post(server, "/api/v1/campaigns", plan_of("money", 12), kind="application/toml")
        post(server, "/api/v1/campaigns/money/seal", {})
        for n in range(ORDERS):
            order = {
                "provider": "iteragpu",
                "reference": f"REF-{n}",
                "price": "47.14",
                "currency": "USD",
                "starts_at": (START + timedelta(days=n)).isoformat(),
                "ends_at": (START + timedelta(days=n + 3)).isoformat(),
                "extra": True,
            }
            post(server, "/api/v1/campaigns/money/orders", order)
        took = []
        for _ in range(20):
            started = time.perf_counter()
            status, _headers, _body = server.get("/campaigns/money/budget", {})
            took.append((time.perf_counter() - started) * 1000)
            assert status == 200, status
        yield Result(f"money.page.{ORDERS}_orders.p50", percentile(took, 0.5), "ms", mark="≤ 60")
        yield Result(f"money.page.{ORDERS}_orders.max", max(took), "ms")
    yield _focus()


def _focus() -> Result:
    """Rows, strict check and text of one file."""
    orders, expenses = _orders(ROWS // 2), _expenses(ROWS // 2)
    started = time.perf_counter()
    rows = chosen_rows(focus_rows("money", orders, expenses), FocusChoice())
    assert not isinstance(rows, FocusRefusal), rows
    file = write_focus(rows, "1.2")
    took = time.perf_counter() - started
    assert file.count("\n") == ROWS + 1
    return Result(f"money.focus.{ROWS}_rows", took, "s", mark="≤ 2")


def _orders(count: int) -> list[Order]:
    lot = OrderedLot(1, 0, "lot-1", 1, "RTX 4090", START, START + timedelta(days=3), START)
    first = Order(
        number=1, logged_at=START, logged_by="bench", provider="iteragpu", account=None,
        reference="REF-1", price_minor=4714, currency="USD", price_typed=None, note=None,
        plan_version=1, offer=None, replaces=None, lots=(lot,),
    )  # fmt: skip
    return [replace(first, number=n, reference=f"REF-{n}") for n in range(1, count + 1)]


def _expenses(count: int) -> list[Expense]:
    first = Expense(
        1, START, "bench", "storage", 1200, "USD", date(2026, 12, 1), "40 GiB", None, None,
        provider="iteragpu",
    )  # fmt: skip
    return [replace(first, number=ROWS + n) for n in range(count)]
