"""The job API over HTTP, on both databases: answers, bodies as shells send them, problems."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from app.db import Database
from app.errors import Malformed
from app.runs.api.bodies import whole_body
from tests.runs.campaigns import FIRST, ID, SECOND, closed, event, opened, run, token

HASH = "a" * 64


@pytest.fixture
def job(client: TestClient, database: Database) -> dict[str, str]:
    """The headers of a job of a sealed campaign."""
    opened(database)
    return token(client)


def _post(
    client: TestClient, job: dict[str, str], kind: str, body: object = None, run: str = "a-01"
) -> Response:
    return client.post(f"/api/v1/runs/{run}/{kind}", json=body, headers=job)


def test_the_answer_names_the_attempt_that_took_over(
    client: TestClient, job: dict[str, str]
) -> None:
    _start(client, job)
    assert _start(client, job, attempt_id=SECOND, takeover=True).json()["superseded_by"] is None
    beat = {"attempt_id": FIRST, "seq": 2}
    assert _post(client, job, "beat", beat).json()["superseded_by"] == 2
    batch = {"events": [{"run": "a-01", "kind": "beat", **beat}]}
    answer = client.post("/api/v1/events", json=batch, headers=job).json()
    assert (answer["superseded_by"], answer["stop_requested"]) == (2, None)


def _start(client: TestClient, job: dict[str, str], **more: Any) -> Response:
    body = {
        key: value for key, value in event(1, "start", **more).items() if key not in ("run", "kind")
    }
    return _post(client, job, "start", body)


def test_a_start_answers_with_everything_the_client_needs(
    client: TestClient, job: dict[str, str]
) -> None:
    answer = _start(client, job)
    assert answer.status_code == 200
    body = answer.json()
    assert body.pop("server_time").endswith("Z")
    assert set(body.pop("head")) == {"number", "sha256"}
    assert body == {
        "status": "running",
        "silent": False,
        "stalled": False,
        "attempt": 1,
        "superseded_by": None,
        "duplicate": False,
        "stop_requested": None,
        "missing_seq": [],
        "window_ends_at": "2026-12-03T07:00:00Z",
        "warnings": [],
        "rules": [
            {
                "id": "loss-not-finite",
                "kind": "non_finite",
                "metric": "loss",
                "for": 1,
                "act": "stop",
            }
        ],
        "metric_names": {"f1": "eval_f1"},
    }


def test_a_beat_with_a_value_that_is_not_finite_asks_for_the_stop(
    client: TestClient, job: dict[str, str]
) -> None:
    _start(client, job)
    raw = (
        b'{"attempt_id": "%s", "seq": 2, "metrics": {"loss": NaN, "norm": 1e999}}' % FIRST.encode()
    )
    answer = client.post("/api/v1/runs/a-01/beat", content=raw, headers=job)
    assert answer.status_code == 200
    assert answer.json()["stop_requested"] == {"rule": "loss-not-finite", "text": "loss is nan"}
    listed = client.get(f"/api/v1/campaigns/{ID}/runs").json()
    metrics = {one["name"]: one["last"] for one in listed["items"][0]["metrics"]}
    assert metrics == {"loss": "nan", "norm": "inf"}


def test_a_form_and_no_body_are_taken(
    client: TestClient, job: dict[str, str], database: Database
) -> None:
    form = {
        "step": "control",
        "config_sha256": HASH,
        "gpus": "0,1",
        "takeover": "true",
        "pid": "17",
    }
    assert client.post("/api/v1/runs/a-01/start", data=form, headers=job).status_code == 200
    beat = {
        "progress": "5",
        "total": "10",
        "metrics.loss": "0.31",
        "metrics.norm": "nan",
        "note": "",
    }
    assert client.post("/api/v1/runs/a-01/beat", data=beat, headers=job).status_code == 200
    assert client.post("/api/v1/runs/a-01/beat", headers=job).status_code == 200
    found = run(database)
    assert (found.progress, found.total, found.attempts[0].gpus) == (5, 10, (0, 1))
    assert {one.name: one.last for one in found.metrics} == {"loss": "0.31", "norm": "nan"}


def test_json_is_known_by_its_look(client: TestClient, job: dict[str, str]) -> None:
    content = json.dumps({"step": "control", "config_sha256": HASH})
    headers = {**job, "Content-Type": "application/x-www-form-urlencoded"}
    assert (
        client.post("/api/v1/runs/a-01/start", content=content, headers=headers).status_code == 200
    )


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        (0, "completed", None),
        (3, "failed", "code_error"),
        (137, "failed", "infra"),
        (130, "stopped", "operator"),
    ],
)
def test_an_exit_code_with_the_end_of_a_log(
    client: TestClient,
    job: dict[str, str],
    database: Database,
    code: int,
    status: str,
    reason: str | None,
) -> None:
    tail = b"step 1\n\xff\x1b[31mRuntimeError: out of memory\n"
    for duplicate in (False, True):
        answer = client.post(f"/api/v1/runs/a-01/exit/{code}", content=tail, headers=job)
        assert (answer.status_code, answer.json()["duplicate"]) == (200, duplicate)
    found = run(database)
    assert (found.status, found.reason_code) == (status, reason)
    if code:
        assert found.reason_text == "�\\x1b[31mRuntimeError: out of memory"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"events": [1], "\\ud800": 1}',
        b'{"events": [{"\\ud800": 1}]}',
        b'{"events": [{"run": "\\ud800"}]}',
    ],
    ids=range(3),
)
def test_no_batch_gives_a_500(client: TestClient, job: dict[str, str], raw: bytes) -> None:
    answer = client.post("/api/v1/events", content=raw, headers=job)
    assert answer.status_code in (200, 422)
    json.dumps(answer.json()).encode()


@pytest.mark.parametrize("code", ["256", "-1", "x", "0x1", "٣"])
def test_an_exit_code_is_a_number(client: TestClient, job: dict[str, str], code: str) -> None:
    answer = client.post(f"/api/v1/runs/a-01/exit/{code}", headers=job)
    assert (answer.status_code, answer.json()["field"]) == (422, "code")


def test_a_batch_has_a_result_for_each_event(client: TestClient, job: dict[str, str]) -> None:
    events = [
        event(1, "start"),
        event(2, metrics={"loss": "nan"}),
        event(3, strange=1),
        "nothing",
        event(1, "start", attempt_id=SECOND),
        event(2, metrics={"loss": 0.2}),
        event(4, progress=4),
    ]
    packed = gzip.compress(json.dumps({"events": events}).encode())
    answer = client.post(
        "/api/v1/events", content=packed, headers={**job, "Content-Encoding": "gzip"}
    )
    assert answer.status_code == 200
    body = answer.json()
    assert [one["status"] for one in body["results"]] == [200, 200, 422, 422, 409, 200, 200]
    assert [one.get("duplicate") for one in body["results"]] == [
        False,
        False,
        None,
        None,
        None,
        True,
        False,
    ]
    assert body["results"][2]["problem"]["field"] == "strange"
    assert body["results"][4]["problem"]["type"].endswith("/new-id-needed")
    assert (body["status"], body["missing_seq"]) == ("running", [3])
    assert body["stop_requested"]["rule"] == "loss-not-finite"
    assert body["rules"][0]["id"] == "loss-not-finite"


def test_a_batch_of_nothing_that_can_be_read_still_answers(
    client: TestClient, job: dict[str, str]
) -> None:
    answer = client.post("/api/v1/events", json={"events": [1, None]}, headers=job)
    body = answer.json()
    assert [one["status"] for one in body["results"]] == [422, 422]
    assert (body["status"], body["attempt"], body["duplicate"]) == (None, None, False)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ([], 422, "events"),
        ({}, 422, "events"),
        ({"events": []}, 422, "events"),
        ({"events": {}}, 422, "events"),
        ({"events": [1], "more": 1}, 422, "more"),
        ({"events": [1] * 1001}, 413, "events"),
    ],
)
def test_a_batch_that_is_none(
    client: TestClient, job: dict[str, str], body: object, status: int, field: str
) -> None:
    answer = client.post("/api/v1/events", json=body, headers=job)
    assert (answer.status_code, answer.json()["field"]) == (status, field)


def test_a_refusal_that_repeats_half_a_surrogate_pair_is_readable(
    client: TestClient, job: dict[str, str]
) -> None:
    raw = b'{"events": [{}], "\\ud800": 1}'
    answer = client.post("/api/v1/events", content=raw, headers=job)
    assert (answer.status_code, answer.json()["detail"]) == (422, "There is no field ? here.")


def test_a_bomb_is_not_unpacked(client: TestClient, job: dict[str, str]) -> None:
    packed = gzip.compress(b"[" * (20 << 20))
    headers = {**job, "Content-Encoding": "gzip"}
    assert client.post("/api/v1/events", content=packed, headers=headers).status_code == 413
    assert client.post("/api/v1/events", content=b"[1]", headers=headers).status_code == 422
    assert client.post("/api/v1/events", content=packed[:50], headers=headers).status_code == 422
    other = {**job, "Content-Encoding": "br"}
    assert client.post("/api/v1/events", content=b"[1]", headers=other).status_code == 415


@pytest.mark.parametrize(
    "raw",
    [
        b'{"metrics": {"loss": "\\ud800"}}',
        b'{"\\ud800": 1}',
        b'{"note": "\\u0000"}',
        b'{"progress": 1e999}',
        b'{"progress": NaN}',
        b'{"seq": 99999999999999999999}',
        b'{"seq": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"{",
        b"\xff\xfe",
        b"\xff=\xff",
        b"nonsense",
        b'{"progress": "\xc3"}',
        b"metrics=1&metrics.loss=2",
        b"metrics.loss=2&metrics=1",
        b"metrics={}&metrics.a=x&metrics.a.b=1",
        b"links=[]&links.run=1",
    ],
    ids=range(18),
)
def test_no_body_gives_a_500(client: TestClient, job: dict[str, str], raw: bytes) -> None:
    for headers in (job, {**job, "Content-Type": "application/json"}):
        answer = client.post("/api/v1/runs/a-01/beat", content=raw, headers=headers)
        assert answer.status_code in (415, 422), answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert {"type", "title", "status", "detail"} <= set(answer.json())


def test_an_unknown_field_is_named_with_what_is_allowed(
    client: TestClient, job: dict[str, str]
) -> None:
    answer = _post(client, job, "beat", {"prog": 3})
    assert answer.status_code == 422
    problem = answer.json()
    assert (problem["type"], problem["field"]) == ("/problems/malformed", "prog")
    assert "progress" in problem["allowed"]


def test_run_ids_in_the_address_are_checked(client: TestClient, job: dict[str, str]) -> None:
    for name in ("a%20b", "%2E%2E", ".a", "a" * 65, "a%00"):
        answer = client.post(f"/api/v1/runs/{name}/beat", headers=job)
        assert answer.status_code in (404, 422), name


def test_conflicts_say_what_the_client_reads(client: TestClient, job: dict[str, str]) -> None:
    config = {"params": {"lr": "0.1"}}
    _start(client, job, config=config)
    changed = _start(
        client, job, attempt_id=SECOND, config_sha256="b" * 64, config={"params": {"lr": "0.2"}}
    )
    assert changed.status_code == 409
    assert changed.headers["content-type"] == "application/problem+json"
    problem = changed.json()
    assert problem["type"].endswith("new-id-needed")
    assert (problem["changed"], problem["parent"], problem["next_id"]) == (
        ["params.lr"],
        "a-01",
        "a-02",
    )
    alive = _start(client, job, attempt_id=SECOND).json()
    assert (alive["type"].rpartition("/")[2], alive["host"]) == ("attempt-alive", "box-1")


def test_after_the_close(client: TestClient, job: dict[str, str], database: Database) -> None:
    _start(client, job)
    closed(database)
    for n, (headers, query) in enumerate(((job, ""), ({}, f"?campaign={ID}"))):
        body = {"progress": n}
        answer = client.post(f"/api/v1/runs/a-01/beat{query}", headers=headers, json=body)
        assert (answer.status_code, answer.json()["status"]) == (200, "running")
        assert answer.json()["warnings"] == [
            "the campaign is closed; kept as evidence that came late, it changes no figure"
        ]
    assert client.get("/api/v1/sheet", headers=job).status_code == 403


def test_who_may_post(client: TestClient, job: dict[str, str], database: Database) -> None:
    assert client.post("/api/v1/runs/a-01/beat").json()["field"] == "campaign"
    assert client.post(f"/api/v1/runs/a-01/beat?campaign={ID}").status_code == 200
    assert client.post("/api/v1/runs/a-01/beat?campaign=other").status_code == 404
    assert client.post("/api/v1/runs/a-01/beat?campaign=other", headers=job).status_code == 403
    for wrong in ("pk_" + "x" * 43, "nothing", ""):
        headers = {"Authorization": f"Bearer {wrong}"}
        answer = client.post(f"/api/v1/runs/a-01/beat?campaign={ID}", headers=headers)
        assert answer.status_code == 401
    assert client.get(f"/api/v1/campaigns/{ID}/runs", headers=job).status_code == 403


def test_an_answer_of_a_get_to_a_posts_address(client: TestClient, job: dict[str, str]) -> None:
    assert client.get("/api/v1/runs/a-01/beat", headers=job).status_code == 405


def test_both_ways_lead_to_the_same_answer(client: TestClient, job: dict[str, str]) -> None:
    """The way before all routes answers as the documented route does."""
    _start(client, job)
    straight = _post(client, job, "beat", {"attempt_id": FIRST, "seq": 2}).json()
    around = client.post(
        "/api/v1/runs/a-01/beat/", json={"attempt_id": FIRST, "seq": 2}, headers=job
    )
    assert around.status_code in (307, 404)
    again = _post(client, job, "beat", {"attempt_id": FIRST, "seq": 2}).json()
    assert {**again, "server_time": 0} == {**straight, "server_time": 0, "duplicate": True}


def _run(work: Coroutine[Any, Any, bytes]) -> bytes:
    """In a thread of its own: a browser that another test opened keeps a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_a_body_that_breaks_off_is_not_recorded() -> None:
    parts = [
        {"type": "http.request", "body": b'{"seq"', "more_body": True},
        {"type": "http.request", "body": b": 1}", "more_body": False},
    ]

    async def receive() -> dict[str, Any]:
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    assert _run(whole_body(receive)) == b'{"seq": 1}'
    with pytest.raises(Malformed):
        _run(whole_body(receive))
