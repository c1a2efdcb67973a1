"""What the API says of a body that does not fit: the field, and what would be right."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.orders.campaigns import ID, body, opened

ORDERS = f"/api/v1/campaigns/{ID}/orders"
CLOSE = f"/api/v1/campaigns/{ID}/close"


@pytest.mark.parametrize(
    ("content", "field", "said"),
    [
        (b"{", None, "The body is not JSON at character 1: "),
        (b'{"price": "1.00",}', None, "The body is not JSON at character 17: "),
        (b"", "body", "This address needs a JSON object as its body."),
        (b"[]", "body", "This address needs a JSON object as its body."),
        (b"null", "body", "This address needs a JSON object as its body."),
        (b"{}", "provider", "provider is needed."),
    ],
)
def test_a_body_that_is_no_order(
    database: Database, client: TestClient, content: bytes, field: str | None, said: str
) -> None:
    opened(database)
    answer = client.post(ORDERS, content=content, headers={"Content-Type": "application/json"})
    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (422, "/problems/malformed")
    assert problem.get("field") == field
    assert problem["detail"].startswith(said)


def test_an_unknown_field_is_named(database: Database, client: TestClient) -> None:
    opened(database)
    problem = client.post(ORDERS, json=body(prise="1.00")).json()
    assert (problem["field"], problem["detail"]) == ("prise", "There is no field prise here.")


def test_a_word_of_a_list_comes_with_the_list(database: Database, client: TestClient) -> None:
    opened(database)
    problem = client.post(CLOSE, json={"outcome": "won", "conclusion": "Yes."}).json()
    assert problem["field"] == "outcome"
    assert problem["allowed"] == ["positive", "negative", "inconclusive", "abandoned"]


def test_a_number_in_the_address_is_named(client: TestClient) -> None:
    problem = client.get(f"{ORDERS}?after=x").json()
    assert problem["field"] == "after"
    assert problem["detail"].startswith("after: ")
