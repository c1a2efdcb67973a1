"""After the close every form of this room answers 409, whatever it holds."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.orders.campaigns import ID, body, closed, opened
from tests.pages import read

PAGE = f"/campaigns/{ID}/orders"


@pytest.mark.parametrize("act", ["", "/{number}/reverse", "/{number}/refund", "/{number}/correct"])
@pytest.mark.parametrize("values", [{}, {"reason": "late", "price": "1.234", "refund.amount": "x"}])
def test_a_form_of_a_closed_campaign_is_409(
    database: Database, client: TestClient, act: str, values: dict[str, str]
) -> None:
    opened(database)
    number = client.post(f"/api/v1{PAGE}", json=body()).json()["number"]
    field = read(client.get(PAGE)).css_first("[name=csrf_token]")
    assert field is not None
    closed(database)
    data = {**values, "csrf_token": field.attributes["value"] or ""}
    answer = client.post(PAGE + act.format(number=number), data=data)
    assert answer.status_code == 409
