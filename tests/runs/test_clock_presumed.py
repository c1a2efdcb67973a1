"""A start that comes alone and does not say when it was sent: from a wrong clock, or a history."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient

from app import clock
from app.db import Database
from tests.conftest import NOW
from tests.runs.campaigns import event, opened, run, token

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


class Box:
    """A home-made client, whose clock may be wrong; posts one event at a time with its number."""

    def __init__(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch, off: timedelta = timedelta(0)
    ) -> None:
        self._client, self._patch, self._off, self._seq = client, monkeypatch, off, 0
        self._headers = token(client)

    def posts(self, kind: str, *, made: datetime, comes: datetime | None = None) -> None:
        """An event that is made at one moment and comes at another, or at once."""
        self._patch.setattr(clock, "now", lambda: comes or made)
        self._seq += 1
        said = event(self._seq, kind, at=(made + self._off).isoformat())
        run_id, kind = said.pop("run"), said.pop("kind")
        del said["elapsed_s"]
        path = f"/api/v1/runs/{run_id}/{kind}"
        assert self._client.post(path, json=said, headers=self._headers).status_code == 200


@pytest.mark.parametrize("hours", [-9, -1, 1, 9])
@pytest.mark.parametrize("lasts", [timedelta(0), MINUTE, 5 * HOUR])
def test_live_with_a_wrong_clock_is_drawn_by_ours(
    client: TestClient,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    hours: int,
    lasts: timedelta,
) -> None:
    opened(database)
    box = Box(client, monkeypatch, hours * HOUR)
    box.posts("start", made=NOW)
    box.posts("beat", made=NOW + lasts / 2)
    assert run(database).started_at == NOW
    box.posts("finish", made=NOW + lasts)
    found = run(database)
    assert (found.started_at, found.ended_at) == (NOW, NOW + lasts)
    assert found.attempts[0].clock_off_s == -hours * 3600


def test_a_history_keeps_its_times(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent after the work, event by event, by a client that says nothing of its sending."""
    opened(database)
    box = Box(client, monkeypatch)
    began = NOW - 9 * HOUR
    for n, kind in enumerate(("start", "beat", "beat", "finish")):
        box.posts(kind, made=began + n * HOUR, comes=NOW + n * timedelta(seconds=1))
    found = run(database)
    assert (found.started_at, found.ended_at) == (began, began + 3 * HOUR)
    assert found.attempts[0].clock_off_s is None


def test_a_server_that_was_away_at_the_start_changes_nothing(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The start waited for hours; what followed came when it was made."""
    opened(database)
    box = Box(client, monkeypatch)
    box.posts("start", made=NOW, comes=NOW + 4 * HOUR)
    for hours in (5, 6, 7):
        box.posts("beat", made=NOW + hours * HOUR)
    found = run(database)
    assert (found.started_at, found.last_seen_at) == (NOW, NOW + 7 * HOUR)


def test_a_clock_that_is_about_right_is_believed(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(database)
    box = Box(client, monkeypatch, timedelta(seconds=-40))
    box.posts("start", made=NOW)
    assert run(database).started_at == NOW - timedelta(seconds=40)


def test_nobody_says_it_in_a_body(client: TestClient, database: Database) -> None:
    opened(database)
    body = {"events": [event(1, "start", clock_presumed=True)]}
    answer = client.post("/api/v1/events", json=body, headers=token(client))
    assert answer.json()["results"][0]["problem"]["field"] == "clock_presumed"
