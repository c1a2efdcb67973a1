"""The timeline's page and API on real databases: live, counted, and cheap when nothing changed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from app import clock
from app.db import Database
from app.timeline.queries import timeline
from bench.campaigns import plan_of
from tests.pages import read, submit
from tests.prepared import API, ID, ordered

LIVE = {"HX-Request": "true", "HX-Request-Type": "partial"}


def _start(client: TestClient, token: str, run: str = "r-1") -> None:
    body = {"attempt_id": "1" * 32, "seq": 1, "step": "step-0", "config_sha256": "a" * 64}
    headers = {"Authorization": f"Bearer {token}"}
    answer = client.post(f"/api/v1/runs/{run}/start", json=body, headers=headers)
    assert answer.status_code == 200, answer.text


def test_the_page_draws_every_step_and_says_the_answer_first(client: TestClient) -> None:
    _start(client, ordered(client))
    tree = read(client.get("/campaigns/small/timeline"))
    rows = tree.css("#chart tbody tr:not(.lane)")
    assert {row.attributes["id"] for row in rows} >= {
        "chart-prepare",
        "chart-step-0",
        "chart-step-1",
        "chart-step-2",
    }
    first = tree.css("main #answer, main #chart")[0]
    assert first.attributes["id"] == "answer"


def test_a_poll_is_answered_with_304_until_something_happens(client: TestClient) -> None:
    token = ordered(client)
    first = client.get("/campaigns/small/timeline", headers=LIVE)
    tag = first.headers["HX-PTag"]
    again = client.get("/campaigns/small/timeline", headers={**LIVE, "HX-PTag": tag})
    if again.status_code != 304:  # the minute went by between the two
        tag = again.headers["HX-PTag"]
        again = client.get("/campaigns/small/timeline", headers={**LIVE, "HX-PTag": tag})
    assert again.status_code == 304
    assert again.content == b""
    _start(client, token)
    changed = client.get("/campaigns/small/timeline", headers={**LIVE, "HX-PTag": tag})
    assert changed.status_code == 200
    assert read(changed).css_first("#live") is not None


def test_a_polled_part_holds_no_form_and_no_token(client: TestClient) -> None:
    ordered(client)
    answer = client.get("/campaigns/small/timeline", headers=LIVE)
    part = read(answer)
    assert part.css("form, input, header, nav") == []
    assert part.css_first("#answer") is not None


def test_statements_are_few_and_one_when_nothing_changed(
    client: TestClient, database: Database
) -> None:
    _start(client, ordered(client))
    seen: list[str] = []

    def count(*args: Any) -> None:
        if not str(args[2]).startswith("BEGIN"):
            seen.append(str(args[2]))

    event.listen(database.read_engine, "before_cursor_execute", count)
    now = clock.now() + timedelta(days=1)
    with database.read() as session:
        timeline(session, "small", now)
    when_changed = len(seen)
    seen.clear()
    with database.read() as session:
        timeline(session, "small", now)
    assert len(seen) == 1
    assert when_changed <= 14


def test_the_api_says_planned_actual_and_forecast(client: TestClient) -> None:
    _start(client, ordered(client))
    answer = client.get(f"{API}/timeline").json()
    steps = {step["id"]: step for step in answer["steps"]}
    assert steps["step-0"]["state"] == "running"
    assert steps["step-0"]["actual"][0]["run"] == "r-1"
    assert steps["step-0"]["actual"][0]["open"] is True
    assert steps["step-0"]["forecast"] is not None
    assert steps["step-1"]["state"] == "not_started"
    assert steps["prepare"]["planned"]["start_hours"] == "0"
    assert answer["spare_hours"] is not None


@pytest.mark.parametrize("path", ["/campaigns/none/timeline", "/api/v1/campaigns/none/timeline"])
def test_an_unknown_campaign_is_not_there(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_token_of_a_job_does_not_read(client: TestClient) -> None:
    token = ordered(client)
    answer = client.get(f"{API}/timeline", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403


def test_a_draft_made_anew_within_the_minute_is_seen(client: TestClient) -> None:
    """Its revisions count from 1 again, so they alone do not tell two drafts apart."""
    headers = {"Content-Type": "application/toml"}
    for asked in ("First?", "Second?"):
        plan = plan_of(ID, 4).replace("Which variant do we ship?", asked)
        made = client.post("/api/v1/campaigns", content=plan, headers=headers)
        assert made.status_code == 201
        heading = read(client.get(f"/campaigns/{ID}/timeline")).css_first("h1")
        assert heading is not None
        assert asked in heading.text()
        if asked == "First?":
            gone = submit(client, f"/campaigns/{ID}/plan", "form[action$=delete]", {"id": ID})
            assert gone.status_code == 303


def _sealed_for(client: TestClient, *, hours_later: int) -> None:
    """A plan sealed for a start, and its lot ordered some hours later."""
    starts = clock.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=6)
    lot = f'offer = "iteragpu/rtx-4090/30d"\nstarts_at = "{starts.isoformat()}"'
    plan = plan_of(ID, 4).replace('offer = "iteragpu/rtx-4090/30d"', lot)
    headers = {"Content-Type": "application/toml"}
    assert client.post("/api/v1/campaigns", content=plan, headers=headers).status_code == 201
    assert client.post(f"{API}/seal", json={}).status_code == 200
    begins = starts + timedelta(hours=hours_later)
    order = {
        "provider": "iteragpu", "reference": "IG-1", "price": "390.00", "currency": "USD",
        "starts_at": begins.isoformat(), "ends_at": (begins + timedelta(days=30)).isoformat(),
    }  # fmt: skip
    assert client.post(f"{API}/orders", json=order).status_code == 201


def _ghost(client: TestClient, address: str) -> str:
    """The words of the first step's sealed bar."""
    title = read(client.get(address)).css_first("#chart-step-0 .ghost title")
    assert title is not None
    return title.text()


def test_a_lot_that_began_later_is_said_and_the_sealed_plan_starts_with_it(
    client: TestClient,
) -> None:
    _sealed_for(client, hours_later=3)
    page = f"/campaigns/{ID}/timeline"
    line = read(client.get(page)).css_first(".began")
    assert line is not None
    assert "The lot began 3 h later" in line.text()
    link = line.css_first("a")
    assert link is not None
    assert link.attributes["href"] == f"{page}?ghost=calendar"
    by_calendar = read(client.get(f"{page}?ghost=calendar"))
    live = by_calendar.css_first("#live")
    assert live is not None
    assert live.attributes["hx-get"] == f"{page}?ghost=calendar"
    assert _ghost(client, f"{page}?ghost=calendar") != _ghost(client, page)


def test_a_lot_that_began_as_planned_says_nothing(client: TestClient) -> None:
    _sealed_for(client, hours_later=0)
    assert read(client.get(f"/campaigns/{ID}/timeline")).css_first(".began") is None
