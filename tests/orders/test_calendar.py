"""Instants and days that nobody means are refused at their field: the record stays sound."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.orders.campaigns import ID, body, opened
from tests.pages import read, submit

URL = f"/api/v1/campaigns/{ID}/orders"
PAGE = f"/campaigns/{ID}/orders"


@pytest.fixture
def campaign(database: Database, client: TestClient) -> TestClient:
    opened(database)
    return client


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"ends_at": "9999-12-31T23:59:59Z"}, "ends_at"),
        ({"starts_at": "0001-01-01T00:00:00Z"}, "starts_at"),
        ({"starts_at": "1826-11-30T08:00:00Z"}, "starts_at"),
        ({"usable_until": "2926-12-03T08:00:00Z"}, "usable_until"),
        ({"ends_at": "2036-12-03T08:00:00Z"}, "ends_at"),
    ],
)
def test_a_window_of_no_lot_is_refused(
    campaign: TestClient, change: dict[str, str], field: str
) -> None:
    refused = campaign.post(URL, json=body(**change))
    assert (refused.status_code, refused.json()["field"]) == (422, field)
    assert campaign.get(URL).json()["items"] == []


@pytest.mark.parametrize("on", ["0001-01-01", "1969-12-31", "2200-01-01", "9999-12-31"])
def test_a_refund_of_no_day_is_refused(campaign: TestClient, on: str) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    said = {"amount": "10.00", "on": on, "reason": "late"}
    refused = campaign.post(f"{URL}/{number}/refund", json=said)
    assert (refused.status_code, refused.json()["field"]) == (422, "on")
    page = f"{PAGE}/{number}"
    typed = {"refund.amount": "10.00", "refund.day": on, "refund.reason": "late"}
    answer = submit(campaign, page, f"form[action='{page}/refund']", typed)
    day = read(answer).css_first("[name='refund.day']")
    assert answer.status_code == 422
    assert day is not None
    assert (day.attributes["value"], day.attributes["aria-invalid"]) == (on, "true")
    assert campaign.get(URL).json()["items"][0]["changes"] == []


@pytest.mark.parametrize(
    ("starts", "ends", "wrong"),
    [
        ("0001-01-01T00:00", "2026-12-03T08:00", "starts"),
        ("2026-11-30T08:00", "9999-12-31T23:59", "ends"),
        ("2026-11-30T08:00", "2036-12-03T08:00", "ends"),
    ],
)
def test_the_form_names_the_field_and_keeps_what_was_typed(
    campaign: TestClient, starts: str, ends: str, wrong: str
) -> None:
    typed = {"reference": "IG-1", "provider": "IteraGPU", "starts": starts, "ends": ends}
    answer = submit(campaign, PAGE, "form#order", typed)
    assert answer.status_code == 422
    field = read(answer).css_first(f"[name='{wrong}']")
    assert field is not None
    assert field.attributes["aria-invalid"] == "true"
    assert field.attributes["value"] == typed[wrong]
    assert read(campaign.get(PAGE)).css_first("table") is None


def test_too_many_gpus_are_told_as_that(campaign: TestClient) -> None:
    refused = campaign.post(URL, json=body(gpus=10**30)).json()
    assert (refused["field"], refused["detail"]) == ("gpus", "A lot has 1 to 10000 GPUs.")
