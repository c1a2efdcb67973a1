"""Days that nobody means: refused before they reach the record."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.orders.campaigns import ID, opened
from tests.pages import read, submit

API = f"/api/v1/campaigns/{ID}/expenses"
PAGE = f"/campaigns/{ID}/budget"


def body(**more: str) -> dict[str, str]:
    base = {"kind": "storage", "amount": "12.00", "currency": "USD", "charged_on": "2026-12-01"}
    return {**base, **more}


@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-31", "2200-01-01", "9999-12-31"])
def test_a_charge_of_no_day_is_refused(database: Database, client: TestClient, day: str) -> None:
    opened(database)
    refused = client.post(API, json=body(charged_on=day))
    assert (refused.status_code, refused.json()["field"]) == (422, "charged_on")
    number = client.post(API, json=body()).json()["number"]
    change = {"amount": "10.00", "charged_on": day, "reason": "typo"}
    refused = client.post(f"{API}/{number}/correct", json=change)
    assert (refused.status_code, refused.json()["field"]) == (422, "charged_on")
    answer = submit(client, PAGE, "form#expense-form", {"amount": "3.00", "day": day})
    field = read(answer).css_first("[name=day]")
    assert answer.status_code == 422
    assert field is not None
    assert (field.attributes["value"], field.attributes["aria-invalid"]) == (day, "true")
    assert len(client.get(API).json()["items"]) == 1
