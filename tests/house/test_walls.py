"""What every request must pass: host, origin, size; and what every answer carries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.db import Database
from app.main import create_app
from app.settings import Settings

SUBMISSION: dict[str, object] = {
    "submission_id": "1" * 32,
    "manifest": {"files": [{"path": "a", "size": 1, "sha256": "0" * 64}]},
}


@pytest.fixture
def app(settings: Settings, sqlite: Database) -> FastAPI:
    return create_app(settings, sqlite, b"a secret of the tests")


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app, follow_redirects=False)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.", "testserver@evil"]
)
def test_a_foreign_host_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/healthz", headers={"Host": host})
    assert answer.status_code == 422
    assert answer.json()["field"] == "Host"


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "[::1]:8000", "LOCALHOST:1"])
def test_this_machine_is_known(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://testserver.evil.example"},
        {"Origin": "https://testserver"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_writes_from_another_site_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/api/v1/campaigns", headers=headers, content=b"x")
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_over_the_limit_is_refused_before_it_is_read(
    client: TestClient, settings: Settings
) -> None:
    too_long = settings.max_body_bytes + 1
    assert client.post("/api/v1/campaigns", content=b"x" * too_long).status_code == 413

    def chunks() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * (settings.max_body_bytes // 10)

    assert client.post("/api/v1/campaigns", content=chunks()).status_code == 413


def test_every_answer_carries_the_security_headers(client: TestClient) -> None:
    for path in ("/campaigns", "/healthz", "/nothing", "/api/v1/nothing"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-request-id"]


@pytest.mark.parametrize(
    "path", ["/campaigns/%00/plan", "/campaigns?after=%00", "/api/v1/x%0a", "/%1b"]
)
def test_control_characters_in_an_address_are_refused(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 422


def test_an_unknown_address_is_a_page_for_people_and_a_problem_for_scripts(
    client: TestClient,
) -> None:
    page, problem = client.get("/nothing"), client.get("/api/v1/nothing")
    assert (page.status_code, problem.status_code) == (404, 404)
    assert page.headers["content-type"].startswith("text/html")
    assert problem.json()["type"].endswith("/problems/not-found")


def test_the_jobs_port_is_no_door_to_the_pages(settings: Settings, sqlite: Database) -> None:
    """Whatever is asked there: only the job API answers, and only to a token."""
    jobs = settings.model_copy(update={"jobs_port": 80})
    client = TestClient(create_app(jobs, sqlite, b"secret"), follow_redirects=False)
    for path in ("/", "/campaigns", "/healthz", "/api/v1/campaigns", "/api/v1/openapi.json"):
        assert client.get(path).status_code == 404, path
        assert client.get(path, headers={"Authorization": "Bearer pk_x"}).status_code == 404, path
    assert client.get("/api/v1/sheet").status_code == 401
    assert client.post("/api/v1/events", json={"events": []}).status_code == 401
    assert (
        client.post("/api/v1/runs/a-01/beat", headers={"Authorization": "Bearer pk_x"}).status_code
        == 401
    )


@pytest.mark.parametrize("credential", ["", " ", "Bearer", "Bearer ", "Basic YTpi", "pk_x"])
@pytest.mark.parametrize("port", [80, None])
def test_a_credential_that_is_none_opens_nothing(
    settings: Settings, sqlite: Database, credential: str, port: int | None
) -> None:
    """Else the jobs' port, reached from a rented machine, would take its sender for the person."""
    jobs = settings.model_copy(update={"jobs_port": port})
    client = TestClient(create_app(jobs, sqlite, b"secret"), follow_redirects=False)
    headers = {"Authorization": credential}
    for path in (
        "runs/a-01/start",
        "runs/a-01/exit/0",
        "events",
        "deliverables/d/submissions",
    ):
        address = f"/api/v1/{path}?campaign=rank"
        body: dict[str, object] = {"events": [{}]} if path == "events" else {}
        if path.endswith("/submissions"):
            body = SUBMISSION
        assert client.post(address, json=body, headers=headers).status_code == 401, path
    assert client.get("/api/v1/sheet", headers=headers).status_code == 401


def test_a_request_with_a_token_is_judged_by_it_alone(client: TestClient) -> None:
    for path in ("/campaigns", "/campaigns/x/timeline", "/offers", "/healthz"):
        assert client.get(path, headers={"Authorization": "Bearer pk_x"}).status_code == 403, path


def test_a_failure_of_ours_is_a_problem_with_the_request_id(app: FastAPI) -> None:
    @app.get("/api/v1/breaks")
    def breaks() -> None:
        raise ZeroDivisionError

    answer = TestClient(app, raise_server_exceptions=False).get("/api/v1/breaks")
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] in answer.json()["detail"]
    assert "ZeroDivision" not in answer.text


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_the_language_switch_leads_nowhere_else(client: TestClient, to: str) -> None:
    assert client.get("/language/de", params={"next": to}).headers["location"] == "/campaigns"


def test_static_files_are_served_under_their_hash_only(client: TestClient) -> None:
    from app.web.templates import asset

    answer = client.get(asset("app.css"))
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    for wrong in (
        "/static/app.css",
        "/static/app.000000000000.css",
        "/static/../pyproject.toml",
        "/static/%2e%2e/x",
    ):
        assert client.get(wrong).status_code == 404
