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
            "usable_until": "2026-12-03T07:00:00Z", "memory_gib": None, "start_basis": None,
            "end_policy": None, "data_deleted_at": None, "auto_renew": None,
        }
    ]  # fmt: skip
    assert (answer["status"], answer["source"]) == ("active", {"way": "api", "sha256": None})
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


def test_another_price_is_a_row(campaign: TestClient) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    url, said = f"{URL}/{number}/correct", {"price": "47.41", "reason": "a typo"}
    made = campaign.post(url, json=said)
    assert made.status_code == 201
    answer = made.json()
    assert (answer["number"], answer["price"], answer["price_now"], answer["net"]) == (
        number, "47.14", "47.41", "47.41",
    )  # fmt: skip
    assert [(c["kind"], c["amount"], c["reason"]) for c in answer["changes"]] == [
        ("correction", "0.27", "a typo")
    ]
    assert campaign.post(url, json=said).status_code == 200
    assert campaign.post(url, json=body(price="47.41", reason="a typo")).status_code == 200
    assert campaign.post(URL, json=body()).status_code == 200
    assert campaign.post(URL, json=body(price="47.41")).status_code == 200
    assert campaign.post(URL, json=body(price="48.00")).status_code == 409


def test_other_facts_are_corrected_in_one_step(campaign: TestClient) -> None:
    number = campaign.post(URL, json=body(note="by phone")).json()["number"]
    said = {"ends_at": "2026-12-04T08:00:00+01:00", "price": "50.00", "reason": "read wrongly"}
    made = campaign.post(f"{URL}/{number}/correct", json=said)
    assert made.status_code == 201
    answer = made.json()
    assert (answer["replaces"], answer["net"], answer["note"]) == (number, "50.00", "by phone")
    assert answer["lots"][0]["ends_at"] == "2026-12-04T07:00:00Z"
    old = campaign.get(f"{URL}/{number}").json()
    assert (old["state"], old["price"], old["net"]) == ("reversed", "47.14", "0.00")
    assert old["net_reason"] == "reversed: read wrongly"


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"price": 47.41}, "price"),
        ({"currency": "EUR"}, "price"),
        ({"reference": None}, "reference"),
        ({"ends_at": None}, "ends_at"),
        ({"ends_at": "soon"}, "ends_at"),
        ({"lots": [], "gpus": 1}, "gpus"),
        ({"lots": []}, "lots"),
        ({"lots": [{"starts_at": "2026-11-30T08:00:00Z"}]}, "lots.0.ends_at"),
    ],
)
def test_a_malformed_correction_names_its_field(
    campaign: TestClient, said: dict[str, Any], field: str
) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    refused = campaign.post(f"{URL}/{number}/correct", json={**said, "reason": "x"})
    assert (refused.status_code, refused.json()["field"]) == (422, field)


def lot(**more: object) -> dict[str, object]:
    return {"starts_at": "2026-11-30T07:00:00Z", "ends_at": "2026-12-03T07:00:00Z", **more}


def two_lots(*lots: dict[str, object], **more: Any) -> dict[str, object]:
    said = body(**more)
    del said["starts_at"], said["ends_at"]
    return {**said, "lots": list(lots)}


def test_an_order_may_have_several_lots(campaign: TestClient) -> None:
    said = two_lots(lot(gpus=1, memory_gib=24), lot(end_policy="wiped", auto_renew=False))
    made = campaign.post(URL, json=said).json()
    assert [one["fills"] for one in made["lots"]] == ["lot-1", None]
    assert made["lots"][0]["memory_gib"] == 24
    assert (made["lots"][1]["end_policy"], made["lots"][1]["auto_renew"]) == ("wiped", False)
    assert campaign.post(URL, json=said).status_code == 200
    refused = campaign.post(URL, json=two_lots(lot(), lot(memory_gib=80)))
    assert [one["field"] for one in refused.json()["difference"]] == ["lots.1.memory_gib"]
    one = campaign.post(f"{URL}/{made['number']}/correct", json={"gpus": 2, "reason": "x"})
    assert (one.status_code, one.json()["field"]) == (422, "gpus")
    url = f"{URL}/{made['number']}/extend"
    more = {"amount": "9.00", "ends_at": "2026-12-04T07:00:00Z", "reason": "longer"}
    assert campaign.post(url, json=more).json()["field"] == "lot"
    which = campaign.post(url, json={**more, "lot": "lot-7"})
    assert (which.status_code, which.json()["allowed"]) == (422, [o["id"] for o in made["lots"]])
    done = campaign.post(url, json={**more, "lot": "lot-1"}).json()
    assert [one["ends_at"] for one in done["lots"]] == [
        "2026-12-04T07:00:00Z", "2026-12-03T07:00:00Z",
    ]  # fmt: skip
    assert done["changes"][0]["lot"] == "lot-1"


@pytest.mark.parametrize(
    ("said", "field"),
    [
        (two_lots(), "lots"),
        (two_lots(lot(), lot(gpus=0)), "lots.1.gpus"),
        (two_lots(lot(), lot(starts_at=None)), "lots.1.starts_at"),
        (two_lots(lot(), lot(ends_at="2026-12-03")), "lots.1.ends_at"),
        (two_lots(lot(), lot(price="1.00")), "lots.1.price"),
        (two_lots(lot(), usable_until="2026-12-03T07:00:00Z"), "usable_until"),
        (body(ends_at=None), "ends_at"),
        (body(end_policy="burnt"), "end_policy"),
        (body(start_basis="soon"), "start_basis"),
        (body(link="javascript:alert(1)"), "link"),
        (body(memory_gib=0), "memory_gib"),
        (body(auto_renew="perhaps"), "auto_renew"),
        (body(data_deleted_at="2026-11-30T07:00:00Z"), "data_deleted_at"),
        (body(source={"way": "csv"}), "source"),
    ],
)
def test_malformed_lots_and_facts_name_their_field(
    campaign: TestClient, said: dict[str, Any], field: str
) -> None:
    refused = campaign.post(URL, json=said)
    assert (refused.status_code, refused.json()["field"]) == (422, field)
    assert campaign.get(URL).json()["items"] == []


# Changes

CHANGES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "refund",
        {"amount": "10.00", "on": "2026-12-01"},
        {"kind": "refund", "amount": "-10.00", "on": "2026-12-01"},
    ),
    ("credit", {"amount": "5.00", "on": "2026-12-01"}, {"kind": "credit", "amount": "-5.00"}),
    (
        "extend",
        {"amount": "70.00", "ends_at": "2026-12-07T08:00:00+01:00"},
        {"kind": "extension", "amount": "70.00", "ends_at": "2026-12-07T07:00:00Z"},
    ),
    (
        "extend",
        {"amount": None, "ends_at": "2026-12-07T08:00:00+01:00"},
        {"kind": "extension", "amount": None, "lot": "lot-1"},
    ),
    (
        "cancel",
        {"at": "2026-11-29T08:00:00Z"},
        {"kind": "cancellation", "amount": None, "at": "2026-11-29T08:00:00Z"},
    ),
    ("payment-failed", {"at": "2026-11-29T08:00:00Z"}, {"kind": "payment_failed"}),
    (
        "usable-until",
        {"usable_until": "2026-12-03T06:00:00Z"},
        {"kind": "usable_until", "usable_until": "2026-12-03T06:00:00Z"},
    ),
]


@pytest.mark.parametrize(("act", "said", "row"), CHANGES)
def test_a_change_is_a_row_once(
    campaign: TestClient, act: str, said: dict[str, Any], row: dict[str, Any]
) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    url, whole = f"{URL}/{number}/{act}", {**said, "reason": "they say so"}
    made = campaign.post(url, json=whole)
    assert made.status_code == 201
    (found,) = made.json()["changes"]
    assert {name: found[name] for name in row} == row
    assert (found["reason"], found["after_close"]) == ("they say so", False)
    again = campaign.post(url, json=whole)
    assert (again.status_code, again.json()) == (200, made.json())
    assert campaign.post(url, json={**said, "reason": " "}).json()["field"] == "reason"
    assert campaign.post(url, json={**whole, "amonut": "1"}).json()["field"] == "amonut"
    campaign.post(f"{URL}/{number}/reverse", json={"reason": "twice"})
    late = campaign.post(url, json={**whole, "reason": "another"})
    assert (late.status_code, late.json()["order"]) == (409, number)


def test_what_never_started_counts_as_zero_and_says_why(campaign: TestClient) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    said = {"at": "2026-11-29T08:00:00Z", "reason": "no machine free"}
    answer = campaign.post(f"{URL}/{number}/cancel", json=said).json()
    assert (answer["status"], answer["net"]) == ("cancelled", "0.00")
    assert answer["net_reason"] == "cancelled before its start: no machine free"


def test_a_price_is_stated_when_it_is_known(campaign: TestClient) -> None:
    number = campaign.post(URL, json=body(price=None)).json()["number"]
    url, said = f"{URL}/{number}/price", {"price": "47.14", "reason": "invoice"}
    made = campaign.post(url, json=said)
    assert (made.status_code, made.json()["price"], made.json()["net"]) == (201, None, "47.14")
    assert campaign.post(url, json=said).status_code == 200
    assert campaign.post(url, json={**said, "price": "50.00"}).status_code == 409
    longer = {"amount": None, "ends_at": "2026-12-07T07:00:00Z", "reason": "longer"}
    open_ = campaign.post(f"{URL}/{number}/extend", json=longer).json()
    assert (open_["net"], open_["net_reason"]) == (None, "the amount of its extension is not known")
    row = open_["changes"][-1]["number"]
    priced = campaign.post(url, json={**said, "price": "60.00", "extension": row}).json()
    assert priced["net"] == "107.14"


# Replayed


def test_the_orders_are_given_as_they_were_known(
    campaign: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = ("2026-12-01T10:00:00Z", "2026-12-01T11:00:00Z", "2026-12-01T12:00:00Z")
    monkeypatch.setenv("PUNKTUM_NOW", steps[0])
    number = campaign.post(URL, json=body()).json()["number"]
    monkeypatch.setenv("PUNKTUM_NOW", steps[1])
    back = {"amount": "10.00", "on": "2026-12-01", "reason": "late"}
    campaign.post(f"{URL}/{number}/refund", json=back)
    monkeypatch.setenv("PUNKTUM_NOW", steps[2])
    campaign.post(URL, json=body("B", price=None, currency="EUR"))
    nets, totals = [], []
    for instant in ("2026-12-01T09:00:00Z", *steps):
        said = campaign.get(URL, params={"as_of": instant}).json()
        nets.append([one["net"] for one in said["items"]])
        found = campaign.get(f"{URL}/ledger", params={"as_of": instant}).json()["totals"]
        totals.append({one["currency"]: (one["total"], one["unpriced"]) for one in found})
    assert nets == [[], ["47.14"], ["37.14"], ["37.14", None]]
    assert totals == [
        {}, {"USD": ("47.14", 0)}, {"USD": ("37.14", 0)},
        {"USD": ("37.14", 0), "EUR": ("0.00", 1)},
    ]  # fmt: skip
    one = f"{URL}/{number}"
    assert campaign.get(one, params={"as_of": steps[0]}).json()["changes"] == []
    assert campaign.get(one, params={"as_of": "2026-12-01T09:00:00Z"}).status_code == 404
    assert campaign.get(URL, params={"as_of": "yesterday"}).json()["field"] == "as_of"


def test_the_ledger_is_paged_with_its_running_total(campaign: TestClient) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    back = {"amount": "10.00", "on": "2026-12-01", "reason": "late"}
    campaign.post(f"{URL}/{number}/refund", json=back)
    campaign.post(URL, json=body("B", price="5.00"))
    first = campaign.get(f"{URL}/ledger", params={"limit": 2}).json()
    assert [(row["kind"], row["amount"], row["total"]) for row in first["items"]] == [
        ("order", "47.14", "47.14"), ("refund", "-10.00", "37.14"),
    ]  # fmt: skip
    rest = campaign.get(f"{URL}/ledger", params={"after": first["next"]}).json()
    assert [(row["order"], row["total"]) for row in rest["items"]] == [
        (rest["items"][0]["number"], "42.14")
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


def test_after_the_close_only_what_comes_back_is_taken(
    campaign: TestClient, database: Database
) -> None:
    number = campaign.post(URL, json=body()).json()["number"]
    closed(database)
    reason = {"reason": "x"}
    for url, said in (
        (URL, body("B")),
        (f"{URL}/{number}/reverse", reason),
        (f"{URL}/{number}/correct", body(price="1.00", **reason)),
        (f"{URL}/{number}/price", {"price": "1.00", **reason}),
        *(
            (f"{URL}/{number}/{act}", {**said, **reason})
            for act, said, _ in CHANGES
            if act not in ("refund", "credit")
        ),
    ):
        refused = campaign.post(url, json=said)
        assert (refused.status_code, refused.json()["type"]) == (409, "/problems/campaign-closed")
    for act in ("refund", "credit"):
        back = {"amount": "1.00", "on": "2026-12-05", **reason}
        taken = campaign.post(f"{URL}/{number}/{act}", json=back)
        assert (taken.status_code, taken.json()["changes"][-1]["after_close"]) == (201, True)
    assert campaign.get(URL).json()["items"][0]["net"] == "45.14"


def test_a_job_token_logs_no_order(campaign: TestClient) -> None:
    token = {"Authorization": "Bearer pk_x"}
    assert campaign.post(URL, json=body(), headers=token).status_code == 403
    assert campaign.get(URL, headers=token).status_code == 403
