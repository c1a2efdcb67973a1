"""The JSON of decisions: the log, writing an entry, refusals in their one shape."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.decisions.plans import ID, plan
from tests.decisions.runs import completed
from tests.deliverables.campaigns import closed
from tests.plan.drafts import saved, sealed

HERE = f"/api/v1/campaigns/{ID}/decisions"
REASON = "the pilot took 1.05 times its estimate"


@pytest.fixture(autouse=True)
def campaign(database: Database) -> None:
    """A sealed campaign."""
    saved(database, plan())
    sealed(database, ID)


def said(**more: Any) -> dict[str, Any]:
    return {"choice": "continue", "reason": REASON, **more}


def test_a_decision_is_written_and_read_back(client: TestClient) -> None:
    answer = client.post(HERE, json=said(step="pilot-decision", link="https://example.org/x"))
    assert answer.status_code == 201
    written = answer.json()
    assert written.pop("head")["number"] == written["number"]
    found = client.get(HERE).json()
    assert found["items"] == [written]
    assert (found["open"], found["next"]) == ([], None)
    assert (written["choice"], written["step"], written["by"]) == (
        "continue", "pilot-decision", "local",
    )  # fmt: skip


def test_the_same_post_again_is_the_same_entry(client: TestClient) -> None:
    first = client.post(HERE, json=said(step="pilot-decision"))
    again = client.post(HERE, json=said(step="pilot-decision"))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()


def test_the_log_is_paged_newest_first(client: TestClient) -> None:
    numbers = [
        client.post(HERE, json=said(reason=f"{REASON} {n}")).json()["number"] for n in range(5)
    ]
    found: list[int] = []
    after: dict[str, Any] = {}
    for _ in range(3):
        page = client.get(HERE, params={"limit": 2, **after}).json()
        found += [item["number"] for item in page["items"]]
        after = {"after": page["next"]}
    assert found == numbers[::-1]
    assert page["next"] is None


def test_a_correction_points_back(client: TestClient) -> None:
    first = client.post(HERE, json=said(choice="cut", cut=["probe"], step="pilot-decision")).json()
    second = client.post(HERE, json=said(corrects=first["number"])).json()
    assert (second["corrects"], second["step"]) == (first["number"], "pilot-decision")
    items = client.get(HERE).json()["items"]
    assert [item["corrected_by"] for item in items] == [None, second["number"]]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (said(choice="wait"), 422, "choice"),
        ({"choice": "continue"}, 422, "reason"),
        (said(reason=" "), 422, "reason"),
        (said(color="red"), 422, "color"),
        (said(version="2"), 422, "version"),
        (said(step="control"), 422, "step"),
        (said(choice="cut", cut=["control"]), 409, "cut"),
        (said(choice="cut", cut=["variant-b"]), 409, "cut"),
        (said(corrects=99), 422, "corrects"),
        (said(reason="a\x00b"), 422, "reason"),
        (said(link="javascript:alert(1)"), 422, "link"),
    ],
)
def test_refusals_name_their_field(
    client: TestClient, body: dict[str, Any], status: int, field: str
) -> None:
    answer = client.post(HERE, json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    found = answer.json()
    assert (found["status"], found["field"]) == (status, field)
    assert client.get(HERE).json()["items"] == []


def test_a_lone_surrogate_is_refused(client: TestClient) -> None:
    content = json.dumps(said(reason="a\ud800b"))
    answer = client.post(HERE, content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["field"]) == (422, "reason")


def test_a_refusal_says_what_would_be_right(client: TestClient) -> None:
    found = client.post(HERE, json=said(choice="cut", cut=["nowhere"])).json()
    assert found["allowed"] == ["variant-b", "probe"]
    found = client.post(HERE, json=said(step="control")).json()
    assert found["allowed"] == ["pilot-decision"]


def test_who_may_and_when(client: TestClient, database: Database) -> None:
    denied = client.post(HERE, json=said(), headers={"Authorization": "Bearer pk_x"})
    assert denied.status_code == 403
    assert client.post("/api/v1/campaigns/nowhere/decisions", json=said()).status_code == 404
    assert client.get("/api/v1/campaigns/nowhere/decisions").status_code == 404
    closed(database)
    refused = client.post(HERE, json=said())
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/campaign-closed")


def test_what_the_decision_rule_says(client: TestClient, database: Database) -> None:
    completed(database, "c-1", "control", {"eval_f1": 0.8})
    completed(database, "a-1", "variant-a", {"eval_f1": 0.82})
    found = client.get(HERE).json()
    evaluation = found["evaluation"]
    assert found["open"] == ["pilot-decision"]
    assert (evaluation["proposed"], evaluation["gain_over_control"]) == ("positive", "0.02")
    assert evaluation["control"]["mean"] == "0.8"
    first, second = evaluation["variants"]
    assert (first["verdict"], first["difference"], first["needed"]) == ("passes", "0.02", "0.82")
    assert first["runs"] == [{"run": "a-1", "value": "0.82"}]
    assert (second["verdict"], second["reason"], second["mean"]) == (
        "no_evidence", "no run yet", None,
    )  # fmt: skip
