"""After the close every form of this room answers 409, but for what comes back."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.orders.pages.change import ACTS as CHANGES
from app.orders.rules import AFTER_CLOSE
from tests.orders.campaigns import ID, body, closed, opened
from tests.pages import read

PAGE = f"/campaigns/{ID}/orders"


ACTS = ["", "/quotes", "/{number}/reverse", "/{number}/correct"]
ACTS += [f"/{{number}}/{act}" for act, kind in CHANGES.items() if kind not in AFTER_CLOSE]


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("values", [{}, {"reason": "late", "price": "1.234", "extend.amount": "x"}])
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
