"""How fast one token may post: a bucket for each, and the refusal with the time to wait."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.db import Database
from app.runs.api.pacing import paces
from app.runs.rules.pace import BURST_S, full, take
from tests.runs.campaigns import ID, event, opened, token


def test_a_bucket_fills_by_the_second_and_holds_ten_seconds() -> None:
    assert full(3) == 3 * BURST_S
    assert take(2.0, 0, 3) == (1.0, 0)
    assert take(0.0, 1, 3) == (2.0, 0)
    assert take(0.0, 1000, 3) == (3 * BURST_S - 1.0, 0)


@pytest.mark.parametrize(
    ("left", "rate", "wait_s"), [(0.0, 1000, 1), (0.5, 1, 1), (0.0, 1, 1), (0.999, 1, 1)]
)
def test_an_empty_bucket_says_when_to_come_again(left: float, rate: int, wait_s: int) -> None:
    found = take(left, 0, rate)
    assert found == (left, wait_s)
    assert take(found[0], wait_s, rate)[1] == 0


def test_a_clock_that_stands_or_steps_back_gives_nothing() -> None:
    assert take(1.0, -5, 10) == (0.0, 0)


def test_over_a_long_time_no_more_than_the_rate_is_admitted() -> None:
    left, admitted = full(2), 0
    for _ in range(1000):
        left, wait_s = take(left, 0.125, 2)
        admitted += not wait_s
    assert admitted == int(2 * BURST_S + 999 * 0.125 * 2)


def test_a_token_that_posts_too_fast_is_told_when(
    app: FastAPI, client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(database)
    job, other = token(client), token(client, name="other")
    app.state.settings = app.state.settings.model_copy(update={"posts_per_s": 1})
    monkeypatch.setattr(paces, "clock", lambda: 1000.0)
    batch = {"events": [event(n) for n in range(1, 40)]}
    assert client.post("/api/v1/events", json=batch, headers=job).status_code == 200
    answers = [client.post("/api/v1/runs/b-01/beat", headers=job) for _ in range(BURST_S)]
    assert [one.status_code for one in answers] == [200] * (BURST_S - 1) + [429]
    refused = answers[-1]
    assert (refused.headers["Retry-After"], refused.json()["type"]) == ("1", "/problems/too-many")
    assert client.post("/api/v1/runs/b-01/beat", headers=other).status_code == 200
    assert client.post(f"/api/v1/runs/b-01/beat?campaign={ID}").status_code == 200
    monkeypatch.setattr(paces, "clock", lambda: 1001.0)
    assert client.post("/api/v1/runs/b-01/beat", headers=job).status_code == 200


def test_no_limit(
    app: FastAPI, client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(database)
    job = token(client)
    app.state.settings = app.state.settings.model_copy(update={"posts_per_s": 0})
    monkeypatch.setattr(paces, "clock", lambda: 1000.0)
    for _ in range(2 * BURST_S):
        assert client.post("/api/v1/runs/b-01/beat", headers=job).status_code == 200
