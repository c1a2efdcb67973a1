"""Runs for people and scripts, the sheet for jobs, and how OpenAPI describes them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app import clock
from app.db import Database
from app.runs.rules.reading import FIELDS
from app.units import instant_text
from punktum.sheet import FORMAT, Sheet
from punktum.stop_rules import parse_rules
from tests.conftest import NOW
from tests.runs.campaigns import ID, event, opened, recorded, token


@pytest.fixture(autouse=True)
def hours_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's clock stands six hours after the runs of these tests reported."""
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + timedelta(hours=6)).isoformat())


def test_the_list_is_paged(client: TestClient, database: Database) -> None:
    opened(database)
    for name in ("c-01", "a-01", "b-01"):
        recorded(database, event(1, "start", run=name))
    first = client.get(f"/api/v1/campaigns/{ID}/runs", params={"limit": 2}).json()
    assert ([one["id"] for one in first["items"]], first["next"]) == (["c-01", "a-01"], "a-01")
    rest = client.get(f"/api/v1/campaigns/{ID}/runs", params={"after": first["next"]}).json()
    assert ([one["id"] for one in rest["items"]], rest["next"]) == (["b-01"], None)
    item = first["items"][0]
    assert (item["status"], item["silent"], item["stalled"], item["step"]) == (
        "running",
        True,
        False,
        "control",
    )
    assert [one["number"] for one in item["attempts"]] == [1]
    assert client.get(f"/api/v1/campaigns/{ID}/runs/b-01").json()["id"] == "b-01"


def test_what_is_not_there(client: TestClient, database: Database) -> None:
    assert client.get("/api/v1/campaigns/none/runs").status_code == 404
    opened(database)
    assert client.get(f"/api/v1/campaigns/{ID}/runs").json() == {"items": [], "next": None}
    assert client.get(f"/api/v1/campaigns/{ID}/runs/none").status_code == 404
    assert client.get(f"/api/v1/campaigns/{ID}/runs?limit=0").json()["field"] == "limit"


def test_peoples_time(client: TestClient, database: Database) -> None:
    opened(database)
    address = f"/api/v1/campaigns/{ID}/steps/prepare/time"
    now = clock.now().replace(microsecond=0)
    span = {"started_at": instant_text(now - timedelta(hours=2)), "ended_at": instant_text(now)}
    made = client.post(address, json=span)
    assert (made.status_code, made.json()["step"]) == (201, "prepare")
    assert client.post(address, json=span).status_code == 200
    naive = client.post(address, json={"started_at": "2026-12-01T08:00:00"})
    assert (naive.status_code, naive.json()["field"]) == (422, "started_at")
    assert client.post(address, json={**span, "who": "me"}).json()["field"] == "who"
    assert client.post(address.replace("prepare", "nothing"), json=span).status_code == 404


@pytest.mark.parametrize(
    ("act", "status"),
    [("ask-to-stop", "running"), ("mark-lost", "lost"), ("mark-stopped", "stopped")],
)
def test_what_a_person_says_of_a_run(
    client: TestClient, database: Database, act: str, status: str
) -> None:
    opened(database)
    recorded(database, event(1, "start"))
    answer = client.post(f"/api/v1/campaigns/{ID}/runs/a-01/{act}", json={"reason": "gone"})
    assert answer.status_code == 204
    assert client.get(f"/api/v1/campaigns/{ID}/runs/a-01").json()["status"] == status


def test_the_sheet_is_what_the_client_reads(client: TestClient, database: Database) -> None:
    opened(database)
    assert client.get("/api/v1/sheet").status_code == 401
    answer = client.get("/api/v1/sheet", headers=token(client))
    assert answer.status_code == 200
    raw: dict[str, Any] = answer.json()
    assert raw["format"] == FORMAT
    sheet = Sheet(raw)
    assert (sheet.campaign, sheet.steps) == (ID, ["prepare", "control", "variant-a"])
    assert sheet.rules == parse_rules(
        [{"id": "loss-not-finite", "kind": "non_finite", "metric": "loss"}]
    )
    assert sheet.metric_names == {"f1": "eval_f1"}
    assert sheet.last_window_ends_at == "2026-12-03T07:00:00Z"
    assert (raw["plan"]["version"], raw["campaign"]["state"]) == (1, "sealed")
    assert "price" not in answer.text


def test_every_answer_is_documented(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    for act in ("ask-to-stop", "mark-lost", "mark-stopped"):
        said = paths[f"/api/v1/campaigns/{{campaign_id}}/runs/{{run_id}}/{act}"]["post"]
        assert "410" in said["responses"]
    for kind, fields in FIELDS.items():
        post = paths[f"/api/v1/runs/{{run_id}}/{kind.value}"]["post"]
        schema = post["requestBody"]["content"]["application/json"]["schema"]
        assert set(schema["properties"]) == set(fields) - {"kind"}
        refused = {"401", "403", "409", "410", "413", "422", "429", "503"}
        assert {"200", *refused} <= set(post["responses"])
    for address in ("/api/v1/events", "/api/v1/runs/{run_id}/exit/{code}"):
        assert "requestBody" in paths[address]["post"]
    assert "get" in paths["/api/v1/sheet"]
