"""The budget for scripts: the answer's shape, and expenses as they are posted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlmodel import Session

from app.budget import api
from app.db import Database
from app.deliverables.rules.standing import Acceptance
from app.plan.rules.model import Deliverable, DeliverableKind
from tests.budget.rows import accepted
from tests.orders.campaigns import ID, body, closed, opened, plan

URL = f"/api/v1/campaigns/{ID}"
STORAGE = {"kind": "storage", "amount": "12.00", "currency": "USD", "charged_on": "2026-12-01"}


@pytest.fixture
def campaign(database: Database, client: TestClient) -> TestClient:
    opened(database)
    return client


def test_the_budget_of_a_campaign_without_an_order(campaign: TestClient) -> None:
    assert campaign.get(f"{URL}/budget").json()["currencies"] == [
        {
            "currency": "USD", "committed": "0.00", "committed_is_partial": False,
            "unpriced_lots": 0, "external": {}, "accepted": 0,
            "unit_cost": {
                "value": None, "numerator": None, "denominator": None, "rounded": False,
                "undefined_reason":
                    "no order in this currency; the plan counts no deliverable as a unit",
            },
        }
    ]  # fmt: skip


def test_rent_and_expenses_stand_apart(campaign: TestClient) -> None:
    """S17 and E31 from the outside."""
    campaign.post(f"{URL}/orders", json=body("A"))
    campaign.post(f"{URL}/orders", json=body("B", price=None))
    campaign.post(f"{URL}/orders", json=body("C", price="40.00", currency="EUR"))
    campaign.post(f"{URL}/expenses", json=STORAGE)
    campaign.post(f"{URL}/expenses", json={**STORAGE, "kind": "tax", "amount": "8.96"})
    usd, eur = campaign.get(f"{URL}/budget").json()["currencies"]
    assert (usd["committed"], usd["committed_is_partial"], usd["unpriced_lots"]) == (
        "47.14",
        True,
        1,
    )
    assert usd["external"] == {"storage": "12.00", "tax": "8.96"}
    assert "1 lot unpriced" in usd["unit_cost"]["undefined_reason"]
    assert (eur["committed"], eur["external"]) == ("40.00", {})


def test_accepted_units_share_the_rent(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    """S9 from the outside."""

    def two(session: Session, campaign_id: str) -> Acceptance:
        return accepted(2, "report")

    monkeypatch.setattr(api, "acceptance", two)
    units = tuple(
        Deliverable(id_, id_.title(), DeliverableKind.DATASET, unit=True) for id_ in ("a", "b")
    )
    opened(database, replace(plan(), deliverables=units))
    client.post(f"{URL}/orders", json=body())
    answer = client.get(f"{URL}/budget").json()
    assert answer["rejections"] == [
        {"deliverable": "report", "title": "Report", "reason": "ids missing"}
    ]
    (usd,) = answer["currencies"]
    assert (usd["accepted"], usd["committed"]) == (2, "47.14")
    assert usd["unit_cost"] == {
        "value": "23.57", "numerator": 2357, "denominator": 100, "rounded": False,
        "undefined_reason": None,
    }  # fmt: skip


def test_an_expense_is_posted_and_listed(campaign: TestClient) -> None:
    made = campaign.post(f"{URL}/expenses", json={**STORAGE, "note": "40 GiB"})
    assert made.status_code == 201
    answer = made.json()
    assert (answer["kind"], answer["amount"], answer["note"]) == ("storage", "12.00", "40 GiB")
    assert answer["head"]["number"] == answer["number"]
    credit = {**STORAGE, "amount": "-2.00", "corrects": answer["number"]}
    assert campaign.post(f"{URL}/expenses", json=credit).status_code == 201
    listed = campaign.get(f"{URL}/expenses", params={"limit": 1}).json()
    assert [row["amount"] for row in listed["items"]] == ["12.00"]
    rest = campaign.get(f"{URL}/expenses", params={"after": listed["next"]}).json()
    assert [(row["amount"], row["corrects"]) for row in rest["items"]] == [
        ("-2.00", answer["number"])
    ]
    assert rest["next"] is None


def test_a_reference_makes_it_idempotent(campaign: TestClient) -> None:
    said = {**STORAGE, "reference": "4711"}
    first = campaign.post(f"{URL}/expenses", json=said)
    again = campaign.post(f"{URL}/expenses", json=said)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    other = campaign.post(f"{URL}/expenses", json={**said, "amount": "13.00"})
    assert other.status_code == 409
    assert other.json()["expense"] == first.json()["number"]


def test_a_charge_is_brought_to_what_it_should_be(campaign: TestClient) -> None:
    number = campaign.post(f"{URL}/expenses", json=STORAGE).json()["number"]
    said = {"amount": "10.00", "charged_on": "2026-12-03", "reason": "credit"}
    made = campaign.post(f"{URL}/expenses/{number}/correct", json=said)
    assert (made.status_code, made.json()["amount"], made.json()["corrects"]) == (
        201,
        "-2.00",
        number,
    )
    missing = campaign.post(f"{URL}/expenses/999/correct", json=said)
    assert missing.status_code == 404


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"amount": 12}, "amount", "text in quotes"),
        ({"amount": "12,00"}, "amount", "Did you mean 12.00?"),
        ({"amount": "1.234"}, "amount", "more decimals"),
        ({"amount": "0.00"}, "amount", "not logged"),
        ({"currency": "EURO"}, "currency", "not a current currency"),
        ({"kind": "bribe"}, "kind", "Choose"),
        ({"charged_on": "yesterday"}, "charged_on", "date"),
        ({"rate": "19 %"}, "rate", "There is no field rate here."),
    ],
)
def test_malformed_input_names_its_field(
    campaign: TestClient, change: dict[str, Any], field: str, said: str
) -> None:
    refused = campaign.post(f"{URL}/expenses", json={**STORAGE, **change})
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["field"] == field
    assert said in refused.json()["detail"]
    assert campaign.get(f"{URL}/expenses").json()["items"] == []


def test_what_is_not_there_is_404(campaign: TestClient) -> None:
    for path in ("budget", "expenses"):
        assert campaign.get(f"/api/v1/campaigns/none/{path}").status_code == 404
    assert campaign.post("/api/v1/campaigns/none/expenses", json=STORAGE).status_code == 404
    big = {**STORAGE, "corrects": 10**30}
    assert campaign.post(f"{URL}/expenses", json=big).status_code == 404


def test_after_the_close_every_write_is_409(campaign: TestClient, database: Database) -> None:
    closed(database)
    refused = campaign.post(f"{URL}/expenses", json=STORAGE)
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/campaign-closed")
    assert campaign.get(f"{URL}/budget").status_code == 200


def test_a_job_token_sees_no_money(campaign: TestClient) -> None:
    token = {"Authorization": "Bearer pk_x"}
    for path in ("budget", "expenses"):
        assert campaign.get(f"{URL}/{path}", headers=token).status_code == 403
