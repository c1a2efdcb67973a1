"""The plan through the API: the schedule in hours, and the seal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.plan.rules.model import Plan
from tests.plan.drafts import longer, sample, saved, small

HERE = "/api/v1/campaigns"


def test_a_draft_has_version_0_and_no_hash(client: TestClient, database: Database) -> None:
    saved(database, sample())
    answer = client.get(f"{HERE}/invoice-adapter/plan")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["version"], body["sha256"], body["sealed_at"]) == (0, None, None)
    schedule = body["schedule"]
    steps = schedule.pop("steps")
    assert schedule == {
        "end_hours": "48", "window_hours": "72", "fits": True, "uncommitted_hours": "24",
        "exceeds_hours": None, "lower_bound_hours": "48", "proof": None, "dropped": [],
        "may_be_dropped": ["variant-b"],
        "would_fit": [{"id": "longer-context", "over_hours": "0"}],
    }  # fmt: skip
    control = next(step for step in steps if step["id"] == "control")
    assert control == {
        "id": "control", "start_hours": "10", "end_hours": "20", "lane": "lot-1/gpu-0",
    }  # fmt: skip


def test_what_exceeds_is_never_a_negative_spare(client: TestClient, database: Database) -> None:
    saved(database, longer(small(), 72))
    schedule = client.get(f"{HERE}/small/plan").json()["schedule"]
    assert (schedule["fits"], schedule["exceeds_hours"]) == (False, "6")
    assert (schedule["uncommitted_hours"], schedule["end_hours"]) == (None, "78")
    assert "78 h" in schedule["proof"]


def test_sealing_without_a_body_and_again_with_a_reason(
    client: TestClient, database: Database
) -> None:
    saved(database, small())
    first = client.post(f"{HERE}/small/seal")
    assert (first.status_code, first.json()["version"]) == (200, 1)
    body = client.get(f"{HERE}/small/plan").json()
    assert (body["version"], body["sha256"]) == (1, first.json()["sha256"])
    assert body["sealed_at"].endswith("Z")
    unchanged = client.post(f"{HERE}/small/seal", json={"reason": "once more"})
    assert unchanged.status_code == 409
    saved(database, longer(small(), 12), replace=True)
    assert client.get(f"{HERE}/small/plan").json()["version"] == 1
    assert client.get(f"{HERE}/small/plan?version=0").json()["schedule"]["end_hours"] == "18"
    refused = client.post(f"{HERE}/small/seal")
    assert (refused.status_code, refused.json()["field"]) == (422, "reason")
    second = client.post(f"{HERE}/small/seal", json={"reason": "The pilot took longer."})
    assert second.json()["version"] == 2
    assert client.get(f"{HERE}/small/plan?version=1").json()["sha256"] == first.json()["sha256"]


def test_a_plan_without_estimates_is_refused_with_every_place(
    client: TestClient, database: Database
) -> None:
    saved(database, _without_estimates())
    refused = client.post(f"{HERE}/small/seal")
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert [one["field"] for one in refused.json()["problems"]] == ["steps[0].p50", "steps[1].p50"]


def _without_estimates() -> Plan:
    plan = small()
    first, second, third = plan.steps
    return replace(plan, steps=(replace(first, p50_s=None), replace(second, p50_s=None), third))


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "none/plan", None, 404),
        ("POST", "none/seal", None, 404),
        ("GET", "small/plan?version=3", None, 404),
        ("GET", "small/plan?version=-1", None, 422),
        ("POST", "small/seal", {"why": "?"}, 422),
        ("POST", "small/seal", {"reason": 5}, 422),
        ("POST", "small/seal", {"reason": "a\x00b"}, 422),
    ],
)
def test_refusals(
    client: TestClient, database: Database, method: str, path: str, body: object, status: int
) -> None:
    saved(database, small())
    answer = client.request(method, f"{HERE}/{path}", json=body)
    assert answer.status_code == status
    assert answer.json()["status"] == status
    assert answer.json()["type"].startswith("/problems/")
