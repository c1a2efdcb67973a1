"""Orders for scripts: the shapes of answers and refusals, on both kinds of database."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.orders.campaigns import ID, body, closed, opened

URL = f"/api/v1/campaigns/{ID}/orders"


@pytest.fixture
def campaign(database: Database, client: TestClient) -> TestClient:
    opened(database)
    return client


def test_an_order_is_made_once(campaign: TestClient) -> None:
    made = campaign.post(URL, json=body())
    assert made.status_code == 201
    answer = made.json()
    assert (answer["reference"], answer["price"], answer["net"]) == ("IG-20931", "47.14", "47.14")
    assert answer["lots"] == [
        {
            "id": "lot-1", "fills": "lot-1", "gpus": 1, "gpu": "RTX 4090",
            "starts_at": "2026-11-30T07:00:00Z", "ends_at": "2026-12-03T07:00:00Z",
            "usable_until": "2026-12-03T07:00:00Z",
        }
    ]  # fmt: skip
    assert answer["head"]["number"] == answer["number"]
    again = campaign.post(URL, json=body())
    assert again.status_code == 200
    assert again.json() == answer


def test_a_different_order_under_the_same_reference_is_409(campaign: TestClient) -> None:
    campaign.post(URL, json=body())
    refused = campaign.post(URL, json=body(price="50.00", note="new"))
    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    problem = refused.json()
    assert problem["type"] == "/problems/order-differs"
    assert [(d["field"], d["recorded"], d["sent"]) for d in problem["difference"]] == [
        ("price", "47.14", "50.00"),
        ("note", None, "new"),
    ]


def test_a_price_may_be_unknown(campaign: TestClient) -> None:
    answer = campaign.post(URL, json=body(price=None)).json()
    assert (answer["price"], answer["net"], answer["currency"]) == (None, None, "USD")


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"price": 47.14}, "price", "47.14 must be sent as text in quotes"),
        ({"price": "47,14"}, "price", "Did you mean 47.14?"),
        ({"price": "1.234"}, "price", "more decimals"),
        ({"price": "-5.00"}, "price", "negative"),
        ({"price": True}, "price", "text in quotes"),
        ({"currency": "usd"}, "currency", "not a current currency"),
        ({"currency": "XXX", "price": None}, "currency", "not a current currency"),
        ({"starts_at": "2026-11-30T08:00:00"}, "starts_at", "offset"),
        ({"starts_at": 1764486000}, "starts_at", "text in quotes"),
        ({"ends_at": "2026-11-30T08:00:00+01:00"}, "ends_at", "ends after it starts"),
        ({"reference": " "}, "reference", "reference"),
        ({"reference": "a\x00b"}, "reference", "control characters"),
        ({"gpus": 2.5}, "gpus", "integer"),
        ({"lot": "lot-9"}, "lot", "no lot lot-9"),
        ({"offer": "nobody/x"}, "offer", "no offer nobody/x"),
        ({"prise": "47.14"}, "prise", "There is no field prise here."),
    ],
)
def test_malformed_input_names_its_field_and_stores_nothing(
    campaign: TestClient, change: dict[str, Any], field: str, said: str
) -> None:
    refused = campaign.post(URL, json=body(**change))
    assert refused.status_code == 422
    problem = refused.json()
    assert problem["field"] == field
    assert said in problem["detail"]
    assert campaign.get(URL).json()["items"] == []


def test_a_missing_price_is_not_a_price_of_zero(campaign: TestClient) -> None:
    said = body()
    del said["price"]
    refused = campaign.post(URL, json=said)
    assert (refused.status_code, refused.json()["field"]) == (422, "price")


def test_the_list_is_paged_in_the_order_of_logging(campaign: TestClient) -> None:
    for reference in ("A", "B", "C"):
        campaign.post(URL, json=body(reference))
    first = campaign.get(URL, params={"limit": 2}).json()
    assert [one["reference"] for one in first["items"]] == ["A", "B"]
    rest = campaign.get(URL, params={"after": first["next"]}).json()
    assert [one["reference"] for one in rest["items"]] == ["C"]
    assert rest["next"] is None
    assert campaign.get(URL, params={"limit": 0}).status_code == 422


def test_an_order_is_corrected_in_one_step(campaign: TestClient) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    made = campaign.post(f"{URL}/{number}/correct", json=body(price="47.41", reason="a typo"))
    assert made.status_code == 201
    assert (made.json()["replaces"], made.json()["net"]) == (number, "47.41")
    old = campaign.get(URL).json()["items"][0]
    assert (old["state"], old["price"], old["net"]) == ("reversed", "47.14", "0.00")
    assert [(c["kind"], c["amount"], c["reason"]) for c in old["changes"]] == [
        ("reversal", "-47.14", "a typo")
    ]


def test_an_order_is_reversed_once(campaign: TestClient) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    url = f"{URL}/{number}/reverse"
    made = campaign.post(url, json={"reason": "twice"})
    assert (made.status_code, made.json()["state"], made.json()["net"]) == (201, "reversed", "0.00")
    assert campaign.post(url, json={"reason": "twice"}).status_code == 200
    assert campaign.post(url, json={"reason": "other"}).status_code == 409
    assert campaign.post(url, json={"reason": ""}).json()["field"] == "reason"


def test_a_refund_is_logged_once(campaign: TestClient) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    url, said = f"{URL}/{number}/refund", {"amount": "10.00", "on": "2026-12-01", "reason": "late"}
    made = campaign.post(url, json=said)
    assert (made.status_code, made.json()["net"]) == (201, "37.14")
    assert campaign.post(url, json=said).status_code == 200
    for amount, status in (("37.15", 409), ("0.00", 422), ("x", 422), (10, 422)):
        refused = campaign.post(url, json={**said, "amount": amount})
        assert (refused.status_code, refused.json()["field"]) == (status, "amount")


def test_what_is_not_there_is_404(campaign: TestClient) -> None:
    assert campaign.get("/api/v1/campaigns/none/orders").status_code == 404
    assert campaign.post("/api/v1/campaigns/none/orders", json=body()).status_code == 404
    refund = {"amount": "1.00", "on": "2026-12-01", "reason": "x"}
    assert campaign.post(f"{URL}/99/refund", json=refund).status_code == 404
    assert campaign.post(f"{URL}/{10**30}/reverse", json={"reason": "x"}).status_code == 404


def test_after_the_close_every_write_is_409(campaign: TestClient, database: Database) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    closed(database)
    reason = {"reason": "x"}
    for url, said in (
        (URL, body("B")),
        (f"{URL}/{number}/reverse", reason),
        (f"{URL}/{number}/correct", body(price="1.00", **reason)),
        (f"{URL}/{number}/refund", {"amount": "1.00", "on": "2026-12-01", **reason}),
    ):
        refused = campaign.post(url, json=said)
        assert (refused.status_code, refused.json()["type"]) == (409, "/problems/campaign-closed")
    assert campaign.get(URL).status_code == 200


def test_a_job_token_logs_no_order(campaign: TestClient) -> None:
    token = {"Authorization": "Bearer pk_x"}
    assert campaign.post(URL, json=body(), headers=token).status_code == 403
    assert campaign.get(URL, headers=token).status_code == 403
