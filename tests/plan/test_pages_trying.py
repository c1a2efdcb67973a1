"""Comparing packages, trying figures, variants from axes: pages and API on real databases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.plan.queries import draft, sealed
from app.plan.rules.model import Plan, PlannedLot, Role
from tests.pages import read, send, submit
from tests.plan.campaigns import HOUR_S, family
from tests.plan.drafts import saved, small
from tests.plan.drafts import sealed as seal_it

PLAN = "/campaigns/small/plan"
LIVE = {"HX-Request": "true", "HX-Request-Type": "partial"}


def _plan(variants: str = "", *, spread: bool = False) -> Plan:
    steps = tuple(
        replace(
            step,
            gpus=int(step.gpus),
            role=Role.CONTROL if step.id == "control" else None,
            p90_s=(step.p50_s or 0) * 3 // 2 if spread and step.p50_s else None,
        )
        for step in family(variants)
    )
    lot = PlannedLot("lot-1", offer="iteragpu/rtx-4090/3d")
    return replace(small(), steps=steps, lots=(lot,))


def _rows(client: TestClient, address: str) -> dict[str, str]:
    tree = read(client.get(address))
    return {
        row.attributes["id"] or "": " ".join(row.text().split())
        for row in tree.css("#alternatives tbody tr")
    }


def test_the_comparison_names_end_price_and_what_is_left_out(
    client: TestClient, database: Database
) -> None:
    saved(database, _plan("cde"))
    rows = _rows(client, f"{PLAN}/compare")
    three, two_of_three = (
        rows["package-iteragpu-rtx-4090-3d-1"],
        rows["package-iteragpu-rtx-4090-3d-2"],
    )
    assert len(rows) == 10
    assert "47.14" in three
    assert "94.28" in two_of_three
    assert "reduced protocol" in three
    assert "Cheapest that holds everything" in two_of_three
    assert "duration not stated" in rows["package-iteragpu-b200-1"]


def test_the_chances_come_as_a_second_block(client: TestClient, database: Database) -> None:
    saved(database, _plan(spread=True))
    tree = read(client.get(f"{PLAN}/compare"))
    block = tree.css_first("#alternatives")
    assert block is not None
    where = block.attributes["hx-get"]
    assert where is not None
    part = read(client.get(where, headers=LIVE))
    assert part.css("header, nav, form") == []
    again = part.css_first("#alternatives")
    assert again is not None
    assert "hx-get" not in again.attributes
    assert "in 100" in again.text()


def test_without_a_spread_nothing_is_said_about_chances(
    client: TestClient, database: Database
) -> None:
    saved(database, _plan())
    tree = read(client.get(f"{PLAN}/compare?chances=yes"))
    block = tree.css_first("#alternatives")
    assert block is not None
    assert "in 100" not in block.text()
    assert "No step states a P90" in block.text()


def test_the_api_compares_in_hours_and_whole_prices(client: TestClient, database: Database) -> None:
    saved(database, _plan(spread=True))
    found = client.get("/api/v1/campaigns/small/plan/compare").json()["alternatives"]
    by = {(one["offer"], one["lots"]): one for one in found}
    one, two = by["iteragpu/rtx-4090/3d", 1], by["iteragpu/rtx-4090/3d", 2]
    assert (one["end_hours"], one["uncommitted_hours"], one["price"]) == ("48", "24", "47.14")
    assert (two["end_hours"], two["price"], two["dropped"]) == ("38", "94.28", [])
    assert 1 <= one["fit_in_100"] <= 99
    unknown = by["iteragpu/b200", 1]
    assert [unknown[name] for name in ("price", "end_hours", "fits", "fit_in_100")] == [None] * 4
    assert client.get("/api/v1/campaigns/none/plan/compare").status_code == 404


def test_what_is_tried_stands_beside_the_plan_and_nothing_is_written(
    client: TestClient, database: Database
) -> None:
    saved(database, _plan("c"))
    seal_it(database, "small")
    tree = read(client.get(f"{PLAN}/what-if?tried=yes&p50.control=14h&out=c"))
    before, after = [" ".join(row.text().split()) for row in tree.css("#result tbody tr")]
    assert "Sealed version 1" in before
    assert "58" in before
    assert "52" in after
    line = tree.css_first("#result .fit-line")
    assert line is not None
    assert "Ends 6 h earlier." in line.text()
    field = tree.css_first('input[name="p50.control"]')
    assert field is not None
    assert field.attributes["value"] == "14h"
    with database.read() as session:
        held = sealed(session, "small")
        stored = draft(session, "small")
    assert held is not None
    assert stored is not None
    assert (held.schedule.end_min, stored.schedule.end_min) == (58 * 60, 58 * 60)


def test_what_was_tried_becomes_the_draft_and_the_seal_stays(
    client: TestClient, database: Database
) -> None:
    saved(database, _plan())
    seal_it(database, "small")
    done = submit(client, f"{PLAN}/what-if?tried=yes&p50.control=14h", "#take-over form")
    assert done.status_code == 303
    with database.read() as session:
        held, stored = sealed(session, "small"), draft(session, "small")
    assert held is not None
    assert stored is not None
    control = stored.step("control")
    assert control is not None
    assert control.p50_s == 14 * HOUR_S
    assert held.schedule.end_min == 48 * 60


def test_a_length_that_cannot_be_read_stays_as_typed_with_what_is_right(
    client: TestClient, database: Database
) -> None:
    saved(database, _plan())
    tree = read(client.get(f"{PLAN}/what-if?tried=yes&p50.control=48&added_p50=-3h"))
    field = tree.css_first('input[name="p50.control"]')
    assert field is not None
    assert (field.attributes["value"], field.attributes["aria-invalid"]) == ("48", "true")
    error = tree.css_first("#f-p50-control-error")
    assert error is not None
    assert "48 h" in error.text()
    assert tree.css("#take-over") == []


def test_the_result_alone_is_what_htmx_gets(client: TestClient, database: Database) -> None:
    saved(database, _plan())
    part = read(client.get(f"{PLAN}/what-if?tried=yes&p50.control=14h", headers=LIVE))
    assert part.css_first("#result svg") is not None
    assert part.css("header.top, nav, #trial-form") == []


def test_axes_are_counted_and_become_variants(client: TestClient, database: Database) -> None:
    saved(database, _plan())
    typed = "rank: 16, 32, 64\nprecision: bf16, fp32"
    counted = submit(client, f"{PLAN}/axes", "#axes-form", axes=typed, action="count")
    ways = read(counted).css_first("#ways")
    assert ways is not None
    assert "every combination: 6 runs" in ways.text()
    assert "one cause at a time: 4 runs" in ways.text()
    assert send(client, counted, "#add-form", action="add").status_code == 303
    with database.read() as session:
        stored = draft(session, "small")
    assert stored is not None
    made = [step for step in stored.plan.steps if step.role is Role.VARIANT]
    assert [step.id for step in made] == ["rank-32", "rank-64", "precision-fp32"]
    assert made[0].isolates == "rank 32 against 16, all else equal"
    assert made[0].p50_s == 10 * HOUR_S


@pytest.mark.parametrize("typed", ["rank 16", "rank: 16"])
def test_a_bad_line_of_axes_comes_back_as_typed(
    client: TestClient, database: Database, typed: str
) -> None:
    saved(database, _plan())
    refused = submit(client, f"{PLAN}/axes", "#axes-form", axes=typed, action="add")
    assert refused.status_code == 422
    area = read(refused).css_first("textarea[name=axes]")
    assert area is not None
    assert area.text() == typed
    assert area.attributes["aria-invalid"] == "true"


@pytest.mark.parametrize(
    ("asked", "field", "said"),
    [
        ("lots=999&offer=iteragpu/rtx-4090/3d", "lots", "from 1 to 9"),
        ("added_title=Rank 64", "added_p50", "How long would Rank 64 take?"),
        ("p50.control=banana", "p50-control", "control"),
    ],
)
def test_what_cannot_be_tried_is_named_with_its_field(
    client: TestClient, database: Database, asked: str, field: str, said: str
) -> None:
    saved(database, _plan())
    tree = read(client.get(f"{PLAN}/what-if?tried=yes&{asked}"))
    link = tree.css_first(f'#result a[href="#f-{field}"]')
    assert link is not None
    assert said in link.text()
    assert tree.css_first(f"#f-{field}-error") is not None
    assert tree.css("#take-over") == []


def test_a_plan_that_answers_nothing_is_not_praised(client: TestClient, database: Database) -> None:
    saved(database, _plan())
    tree = read(client.get(f"{PLAN}/what-if?tried=yes&out=control"))
    notice = tree.css_first("#result .n-warn")
    assert notice is not None
    assert "answers nothing" in notice.text()


def test_an_order_before_the_seal_is_said_on_the_page(
    client: TestClient, database: Database
) -> None:
    saved(database, _plan())
    said = "An order was logged before the seal."
    before = read(client.get(f"{PLAN}/seal")).css_first("#missing")
    assert before is not None
    assert said not in before.text()
    order = {
        "provider": "iteragpu", "reference": "IG-1", "price": "47.14", "currency": "USD",
        "starts_at": "2026-12-01T09:00:00Z", "ends_at": "2026-12-04T09:00:00Z",
    }  # fmt: skip
    assert client.post("/api/v1/campaigns/small/orders", json=order).status_code == 201
    missing = read(client.get(f"{PLAN}/seal")).css_first("#missing")
    assert missing is not None
    assert said in missing.text()
