"""The campaign file through the API: answers, refusals, and identity there and back."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from app.exchange.rules import write_campaign_file
from tests.plan.drafts import longer, sample, small

HERE = "/api/v1/campaigns"
TOML = {"Content-Type": "application/toml"}


def _send(client: TestClient, source: str, method: str = "POST", path: str = HERE) -> Response:
    return client.request(method, path, content=source.encode(), headers=TOML)


def test_a_new_file_the_same_again_and_another(client: TestClient) -> None:
    made = _send(client, write_campaign_file(small()))
    assert (made.status_code, made.json()) == (201, {"id": "small", "warnings": []})
    assert made.headers["location"] == "/campaigns/small"
    assert _send(client, write_campaign_file(small())).status_code == 200
    refused = _send(client, write_campaign_file(longer(small(), 12)))
    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"].endswith("/problems/conflict")
    assert refused.json()["difference"] == [
        {"path": "steps[train].p50", "stored": "10h", "sent": "12h"}
    ]


@pytest.mark.parametrize("path", [HERE, f"{HERE}/small"])
def test_put_replaces_and_makes(client: TestClient, path: str) -> None:
    assert _send(client, write_campaign_file(small()), "PUT", path).status_code == 201
    assert _send(client, write_campaign_file(longer(small(), 12)), "PUT", path).status_code == 200
    exported = client.get(f"{HERE}/small/file").text
    assert exported == write_campaign_file(longer(small(), 12))


def test_put_to_another_campaigns_address(client: TestClient) -> None:
    refused = _send(client, write_campaign_file(small()), "PUT", f"{HERE}/other")
    assert refused.status_code == 422
    assert (refused.json()["field"], refused.json()["allowed"]) == ("campaign.id", ["other"])


def test_import_export_import_through_the_api(client: TestClient) -> None:
    _send(client, write_campaign_file(sample()))
    exported = client.get(f"{HERE}/invoice-adapter/file")
    assert exported.headers["content-type"].startswith("application/toml")
    assert 'filename="invoice-adapter.toml"' in exported.headers["content-disposition"]
    assert exported.text == write_campaign_file(sample())
    assert _send(client, exported.text).status_code == 200


def test_a_wrong_file_is_refused_whole_with_every_problem(client: TestClient) -> None:
    source = write_campaign_file(small()).replace('zone = "Europe/Berlin"', 'zone = "Berlin"')
    refused = _send(client, source.replace("[[lots]]", "[[lot]]"))
    assert refused.status_code == 422
    body = refused.json()
    assert body["type"].endswith("/problems/malformed")
    assert {one["field"] for one in body["problems"]} == {"campaign.zone", "lot"}
    for one in body["problems"]:
        assert set(one) == {"line", "field", "detail"}
        assert one["line"] > 1
    assert client.get(f"{HERE}/small/file").status_code == 404


def test_what_is_no_toml_is_named_by_its_line(client: TestClient) -> None:
    refused = _send(client, 'format = "punktum/1"\n[campaign\n')
    assert refused.status_code == 422
    assert refused.json()["problems"][0]["line"] == 2


@pytest.mark.parametrize("source", [b"", b"\xff\xfe\x00", b'format = "punktum/1"\nx = nan'])
def test_hostile_bodies_are_refused_not_broken(client: TestClient, source: bytes) -> None:
    refused = client.post(HERE, content=source, headers=TOML)
    assert refused.status_code == 422
    assert refused.json()["problems"]


def test_another_kind_of_body(client: TestClient) -> None:
    refused = client.post(HERE, json={"id": "small"})
    assert refused.status_code == 415
    assert "application/toml" in refused.json()["allowed"]


def test_a_file_without_its_ids_warns(client: TestClient) -> None:
    source = write_campaign_file(small()) + '\n[[corpora]]\nid = "eval"\nids_file = "ids.txt"\n'
    assert len(_send(client, source).json()["warnings"]) == 1


def test_a_job_token_does_not_open_this(client: TestClient) -> None:
    headers = {**TOML, "Authorization": "Bearer pk_something"}
    refused = client.post(HERE, content=write_campaign_file(small()), headers=headers)
    assert refused.status_code == 403
