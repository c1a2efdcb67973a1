"""The budget for scripts: the answer's shape, and expenses as they are posted."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.decisions.runs import completed, post
from tests.deliverables import campaigns as made
from tests.deliverables import plans as delivered
from tests.deliverables.campaigns import sent
from tests.orders.campaigns import ID, body, closed, opened, plan

URL = f"/api/v1/campaigns/{ID}"
STORAGE = {"kind": "storage", "amount": "12.00", "currency": "USD", "charged_on": "2026-12-01"}


@pytest.fixture
def campaign(database: Database, client: TestClient) -> TestClient:
    opened(database)
    return client


def with_units(database: Database) -> None:
    """A sealed campaign that announces two units."""
    units = (delivered.PREDICTIONS, replace(delivered.ADAPTER, unit=True))
    made.opened(database, delivered.plan(deliverables=units))


def test_the_budget_of_a_campaign_without_an_order(campaign: TestClient) -> None:
    assert campaign.get(f"{URL}/budget").json()["currencies"] == [
        {
            "currency": "USD", "committed": "0.00", "committed_is_partial": False,
            "unpriced_lots": 0, "external": {}, "tax": {}, "accepted": 0,
            "unit_cost": {
                "value": None, "numerator": None, "denominator": None, "rounded": False,
                "undefined_reason":
                    "no order in this currency; the plan counts no deliverable as a unit",
            },
            "external_unit_cost": {
                "value": None, "numerator": None, "denominator": None, "rounded": False,
                "undefined_reason": "nothing was charged outside the lots",
            },
            "limit": None, "left": None,
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


def test_accepted_units_share_the_rent(client: TestClient, database: Database) -> None:
    """S9, S11 and S17 from the outside, from submissions that were accepted."""
    base = f"/api/v1/campaigns/{delivered.ID}"
    with_units(database)
    client.post(f"{base}/orders", json=body(lot=None, extra=True))
    client.post(f"{base}/expenses", json=STORAGE)
    (none,) = client.get(f"{base}/budget").json()["currencies"]
    assert (none["accepted"], none["unit_cost"]["undefined_reason"]) == (0, "no unit was accepted")
    sent(database, delivered.submission())
    sent(database, delivered.submission(submission_id="2" * 32))
    (one,) = client.get(f"{base}/budget").json()["currencies"]
    assert (one["accepted"], one["unit_cost"]["value"]) == (1, "47.14")
    failed = (replace(delivered.all_passed()[0], passed=False), *delivered.all_passed()[1:])
    sent(database, delivered.adapter(submission_id="3" * 32))
    sent(database, delivered.submission(submission_id="4" * 32, checks=failed))
    answer = client.get(f"{base}/budget").json()
    (late,) = answer["currencies"]
    assert (late["accepted"], [one["deliverable"] for one in answer["rejections"]]) == (
        1,
        ["predictions"],
    )
    sent(database, delivered.submission(submission_id="5" * 32))
    (usd,) = client.get(f"{base}/budget").json()["currencies"]
    assert (usd["accepted"], usd["committed"]) == (2, "47.14")
    assert usd["external_unit_cost"]["value"] == "6.00"
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
    for path in ("budget", "expenses", "budget/export", "budget/export?format=json",
                 "budget/export?format=focus"):  # fmt: skip
        assert campaign.get(f"/api/v1/campaigns/none/{path}").status_code == 404
    assert campaign.post("/api/v1/campaigns/none/expenses", json=STORAGE).status_code == 404
    big = {**STORAGE, "corrects": 10**30}
    assert campaign.post(f"{URL}/expenses", json=big).status_code == 404


def test_after_the_close_refunds_and_invoices_stand_beside_the_closed_figures(
    campaign: TestClient, database: Database
) -> None:
    number = campaign.post(f"{URL}/orders", json=body()).json()["number"]
    charge = campaign.post(f"{URL}/expenses", json=STORAGE).json()["number"]
    before = campaign.get(f"{URL}/budget").json()
    closed(database)
    refused = campaign.post(f"{URL}/expenses", json=STORAGE)
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/campaign-closed")
    assert "the number of its invoice" in refused.json()["detail"]
    up = {"amount": "20.00", "charged_on": "2026-12-20", "reason": "more"}
    assert campaign.post(f"{URL}/expenses/{charge}/correct", json=up).status_code == 409
    limit = {"currency": "USD", "amount": "1.00", "reason": "late"}
    assert campaign.post(f"{URL}/budget", json=limit).status_code == 409
    invoice = {**STORAGE, "amount": "3.10", "reference": "INV-12"}
    late = campaign.post(f"{URL}/expenses", json=invoice)
    assert (late.status_code, late.json()["after_close"]) == (201, True)
    assert campaign.post(f"{URL}/expenses", json=invoice).status_code == 200
    down = {**up, "amount": "11.00"}
    assert campaign.post(f"{URL}/expenses/{charge}/correct", json=down).status_code == 201
    refund = {"amount": "5.00", "on": "2026-12-20", "reason": "goodwill"}
    assert campaign.post(f"{URL}/orders/{number}/refund", json=refund).status_code == 201
    after = campaign.get(f"{URL}/budget").json()
    assert after["currencies"] == before["currencies"]
    (usd,) = after["after_close"]
    assert (usd["currency"], usd["rent"], usd["external"], len(usd["rows"])) == (
        "USD",
        "-5.00",
        "2.10",
        3,
    )


def test_a_tax_says_what_the_invoice_says_of_it(campaign: TestClient) -> None:
    tax = {**STORAGE, "kind": "tax", "tax_state": "included", "provider": "IteraGPU"}
    said = campaign.post(f"{URL}/expenses", json=tax).json()
    assert (said["tax_state"], said["provider"]) == ("included", "IteraGPU")
    part = {**STORAGE, "kind": "tax", "amount": "-1.00", "corrects": said["number"]}
    assert campaign.post(f"{URL}/expenses", json=part).json()["tax_state"] == "included"
    for kind, state in (("storage", "included"), ("tax", "perhaps")):
        wrong = campaign.post(f"{URL}/expenses", json={**tax, "kind": kind, "tax_state": state})
        assert (wrong.status_code, wrong.json()["field"]) == (422, "tax_state")
    (usd,) = campaign.get(f"{URL}/budget").json()["currencies"]
    assert usd["tax"] == {"included": "11.00"}


def test_a_budget_is_set_and_withdrawn(database: Database, client: TestClient) -> None:
    opened(database, replace(plan(), budget_minor=6000))
    client.post(f"{URL}/orders", json=body())

    def limit() -> tuple[Any, Any]:
        (usd,) = client.get(f"{URL}/budget").json()["currencies"]
        return usd["limit"] and usd["limit"]["amount"], usd["left"]

    assert limit() == ("60.00", "12.86")
    said = {"currency": "USD", "amount": "40.00", "reason": "the rest goes to storage"}
    made = client.post(f"{URL}/budget", json=said)
    assert (made.status_code, made.json()["amount"], made.json()["reason"]) == (
        201,
        "40.00",
        "the rest goes to storage",
    )
    assert made.json()["head"]["number"] == made.json()["number"]
    assert client.post(f"{URL}/budget", json=said).status_code == 200
    assert limit() == ("40.00", "-7.14")
    assert client.post(f"{URL}/budget", json={**said, "amount": None}).status_code == 201
    assert limit() == (None, None)
    again = client.post(f"{URL}/budget", json={**said, "amount": None})
    assert (again.status_code, again.json()["field"]) == (409, "amount")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"amount": 40}, "amount"),
        ({"amount": "40"}, None),
        ({"amount": "-1.00"}, "amount"),
        ({"currency": "EURO"}, "currency"),
        ({"reason": " "}, "reason"),
    ],
)
def test_a_malformed_budget_names_its_field(
    campaign: TestClient, change: dict[str, Any], field: str | None
) -> None:
    said = {"currency": "USD", "amount": "40.00", "reason": "as agreed"}
    answer = campaign.post(f"{URL}/budget", json={**said, **change})
    assert (answer.status_code, answer.json().get("field")) == (422 if field else 201, field)


def test_the_hours_of_failed_runs_are_said(client: TestClient, database: Database) -> None:
    """S15 from the outside."""
    base = f"/api/v1/campaigns/{delivered.ID}"
    made.opened(database)
    completed(database, "b-01", "control", elapsed_s=7200)
    post(database, "b-02", "start", step="control", elapsed_s=0, config_sha256="0" * 64)
    post(database, "b-02", "fail", elapsed_s=1800, reason_code="code_error")
    found = client.get(f"{base}/budget").json()["machine_time"]
    assert (found["seconds"], found["without_result_seconds"]) == (3600 + 7200 + 1800, 1800)
    assert found["runs"] == [{"id": "b-02", "status": "failed", "seconds": 1800}]


def test_the_budget_leaves_as_files(campaign: TestClient) -> None:
    campaign.post(f"{URL}/orders", json=body())
    campaign.post(f"{URL}/expenses", json=STORAGE)
    campaign.post(f"{URL}/expenses", json={**STORAGE, "reference": "INV-7", "note": "=1+1"})
    export = f"{URL}/budget/export"
    rows = list(csv.DictReader(io.StringIO(campaign.get(export).text)))
    assert [(row["kind"], row["amount"]) for row in rows] == [
        ("order", "47.14"),
        ("storage", "12.00"),
        ("storage", "12.00"),
    ]
    assert rows[2]["note"] == "'=1+1"
    whole = campaign.get(export, params={"format": "json"}).json()
    assert (len(whole["rows"]), whole["currencies"][0]["committed"]) == (3, "47.14")
    asked = {"format": "focus"}
    for field, value in (("charged_by", "IteraGPU"), ("invoices", "without")):
        refused = campaign.get(export, params=asked)
        assert (refused.status_code, refused.json()["field"]) == (409, field)
        asked[field] = value
    made = campaign.get(export, params=asked)
    assert made.headers["content-type"] == "text/csv; charset=utf-8"
    kinds = [row["ServiceName"] for row in csv.DictReader(io.StringIO(made.text))]
    assert kinds == ["GPU lot", "Storage"]
    newer = campaign.get(export, params={**asked, "invoices": "with", "focus": "1.4"})
    (row,) = csv.DictReader(io.StringIO(newer.text))
    assert (row["ServiceProviderName"], row["InvoiceId"]) == ("IteraGPU", "INV-7")
    wrong = campaign.get(export, params={"format": "xlsx"})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "format")


def test_a_job_token_sees_no_money(campaign: TestClient) -> None:
    token = {"Authorization": "Bearer pk_x"}
    for path in ("budget", "expenses", "budget/export"):
        assert campaign.get(f"{URL}/{path}", headers=token).status_code == 403
