"""Job tokens: made once, kept as a hash, ended by time, by a person, or with the campaign."""

from __future__ import annotations

import hashlib
import logging
import re
from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient

from app.accounts import commands, queries
from app.accounts.access import book
from app.accounts.rules import expiry, token_state
from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import ID, closed, opened, token

BEAT = "/api/v1/runs/a-01/beat"


def test_a_token_is_shown_once_and_kept_as_a_hash(client: TestClient, database: Database) -> None:
    opened(database)
    made = client.post(f"/api/v1/campaigns/{ID}/tokens", json={"name": "box 1"})
    assert made.status_code == 201
    secret = made.json()["token"]
    assert secret.startswith("pk_")
    listed = client.get(f"/api/v1/campaigns/{ID}/tokens")
    assert secret not in listed.text
    (item,) = listed.json()["items"]
    assert (item["name"], item["state"], item["last_used_at"]) == ("box 1", "valid", None)
    assert client.post(BEAT, headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    (item,) = client.get(f"/api/v1/campaigns/{ID}/tokens").json()["items"]
    assert item["last_used_at"] is not None


def test_a_token_needs_no_body_and_no_name(client: TestClient, database: Database) -> None:
    opened(database)
    assert client.post(f"/api/v1/campaigns/{ID}/tokens").status_code == 201
    assert (
        client.post(f"/api/v1/campaigns/{ID}/tokens", json={"nane": "x"}).json()["field"] == "nane"
    )
    assert (
        client.post(f"/api/v1/campaigns/{ID}/tokens", json={"name": "x" * 101}).status_code == 422
    )
    assert client.post("/api/v1/campaigns/none/tokens").status_code == 404
    assert client.get("/api/v1/campaigns/none/tokens").status_code == 404


def test_a_revoked_token_opens_nothing(client: TestClient, database: Database) -> None:
    opened(database)
    job = token(client)
    (item,) = client.get(f"/api/v1/campaigns/{ID}/tokens").json()["items"]
    address = f"/api/v1/campaigns/{ID}/tokens/{item['id']}"
    assert client.delete(address, headers=job).status_code == 403
    assert client.delete(address).status_code == 204
    assert client.delete(address).status_code == 404
    answer = client.post(BEAT, headers=job)
    assert (answer.status_code, "revoked" in answer.json()["detail"]) == (403, True)
    (item,) = client.get(f"/api/v1/campaigns/{ID}/tokens").json()["items"]
    assert item["state"] == "revoked"


def test_a_token_that_has_ended_opens_nothing(client: TestClient, database: Database) -> None:
    opened(database)
    secret = commands.new_secret()
    database.write(
        ID,
        lambda tx: commands.make_token(
            tx, ID, secret, name="old", expires_at=NOW - timedelta(days=9000), actor=PERSON, now=NOW
        ),
    )
    answer = client.post(BEAT, headers={"Authorization": f"Bearer {secret}"})
    assert (answer.status_code, "ended" in answer.json()["detail"]) == (403, True)


def test_a_token_opens_one_campaign_for_writing(client: TestClient, database: Database) -> None:
    opened(database)
    job = token(client)
    for address in (f"/api/v1/campaigns/{ID}/runs", f"/api/v1/campaigns/{ID}/tokens"):
        assert client.get(address, headers=job).status_code == 403
    assert client.post(f"/api/v1/campaigns/{ID}/tokens", headers=job).status_code == 403


def test_a_closed_campaign_gives_no_tokens(client: TestClient, database: Database) -> None:
    opened(database)
    closed(database)
    assert client.post(f"/api/v1/campaigns/{ID}/tokens").status_code == 409


def test_a_token_ends_with_the_close_but_for_what_comes_late(
    client: TestClient, database: Database
) -> None:
    opened(database)
    job = token(client)
    closed(database)
    assert client.get("/api/v1/sheet", headers=job).status_code == 403
    late = client.post(BEAT, headers=job)
    assert (late.status_code, "closed" in late.json()["warnings"][0]) == (200, True)
    (item,) = client.get(f"/api/v1/campaigns/{ID}/tokens").json()["items"]
    assert item["state"] == "ended"


def test_a_token_reads_nothing_but_its_sheet_and_the_client(
    client: TestClient, database: Database
) -> None:
    """Every address that OpenAPI knows, asked with a token that is good."""
    opened(database)
    job = token(client)
    described = client.get("/api/v1/openapi.json").json()["paths"]
    read = [path for path, methods in described.items() if "get" in methods]
    assert len(read) > 15
    answered = {}
    for path in read:
        address = path.replace("{campaign_id}", ID).replace("{id}", ID)
        answered[path] = client.get(re.sub(r"\{\w+\}", "1", address), headers=job).status_code
    may = {path for path, status in answered.items() if status == 200}
    assert {path for path in may if not path.startswith("/mlflow/")} <= {"/api/v1/sheet"}
    pages = ("/campaigns", f"/campaigns/{ID}", f"/campaigns/{ID}/connect", "/offers", "/healthz")
    assert {client.get(path, headers=job).status_code for path in pages} == {403}
    assert client.get("/punktum.py", headers=job).status_code == 200


def test_a_token_is_in_no_table_and_in_no_line_of_the_log(
    client: TestClient, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    opened(database)
    caplog.set_level(logging.DEBUG)
    job = token(client)
    secret = job["Authorization"].removeprefix("Bearer ")
    for method, path in (
        ("POST", BEAT), ("POST", "/api/v1/events"), ("GET", "/api/v1/sheet"),
        ("GET", f"/campaigns/{ID}"), ("GET", "/punktum.py"),
    ):  # fmt: skip
        client.request(method, path, headers=job)
    assert [record for record in caplog.records if "request" in record.getMessage()] != []
    told = [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    ours = [line for line in told if "httpx" not in line]
    assert [line for line in ours if secret in line] == []
    with database.read() as session:
        rows = session.connection().exec_driver_sql("SELECT * FROM job_tokens").mappings().all()
    (row,) = rows
    assert row["sha256"] == hashlib.sha256(secret.encode()).hexdigest()
    assert [name for name, value in row.items() if secret in str(value)] == []


def test_a_token_in_an_address_opens_nothing(
    settings: Settings, database: Database, client: TestClient
) -> None:
    opened(database)
    secret = token(client)["Authorization"].removeprefix("Bearer ")
    jobs = create_app(settings.model_copy(update={"jobs_port": 80}), database, b"secret")
    for path in (BEAT, "/api/v1/sheet", "/punktum.py"):
        for query in (f"token={secret}", f"access_token={secret}", f"authorization={secret}"):
            method = "POST" if path == BEAT else "GET"
            answer = TestClient(jobs).request(method, f"{path}?{query}&campaign={ID}")
            assert answer.status_code == 401, (path, query)


def test_use_is_noted_once_in_a_while(database: Database) -> None:
    opened(database)
    made = database.write(
        ID,
        lambda tx: commands.make_token(
            tx, ID, commands.new_secret(), name="", expires_at=NOW, actor=PERSON, now=NOW
        ),
    )
    assert [book.note_due(made.id), book.note_due(made.id)] == [True, False]
    database.write(ID, lambda tx: commands.note_use(tx, made.id, NOW))
    with database.read() as session:
        (view,) = queries.tokens_of(session, ID, NOW)
    assert (view.last_used_at, view.state, view.name) == (NOW, "ended", "job")


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        (None, NOW + timedelta(days=90)),
        (NOW + timedelta(days=3), NOW + timedelta(days=33)),
        (NOW - timedelta(days=300), NOW + timedelta(days=30)),
    ],
)
def test_a_token_ends_30_days_after_the_window(ends: datetime | None, expected: datetime) -> None:
    assert expiry(NOW, ends) == expected


def test_states() -> None:
    later = datetime(2027, 1, 1, tzinfo=UTC)
    assert token_state(later, None, NOW) == "valid"
    assert token_state(NOW, None, NOW) == "ended"
    assert token_state(later, NOW, NOW) == "revoked"
