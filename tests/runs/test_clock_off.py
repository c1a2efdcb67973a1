"""A job's clock that is wrong by hours: only the time that it reports is, not where it is drawn."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient

from app import clock
from app.db import Database
from app.runs.rules.times import clock_off_s, us_of
from app.units import instant_text
from tests.conftest import NOW
from tests.runs.campaigns import event, opened, run, token

HOURS = timedelta(hours=9)


@pytest.mark.parametrize(
    ("ahead", "off_s"),
    [(0, None), (119, None), (-119, None), (-32_400, 32_400), (32_400, -32_400), (-150, 120)],
)
def test_how_far_a_clock_is_off(ahead: int, off_s: int | None) -> None:
    sent = us_of(NOW + timedelta(seconds=ahead))
    assert clock_off_s(sent, us_of(NOW)) == off_s


def _posted(client: TestClient, sent: datetime | None, now: datetime, *, began: datetime) -> None:
    """A run of an hour, told in one batch."""
    headers = token(client)
    if sent is not None:
        headers["Punktum-Sent-At"] = instant_text(sent)
    at = (began + timedelta(hours=1)).isoformat()
    events = [event(1, "start", at=began.isoformat()), event(2, "finish", elapsed_s=3600, at=at)]
    answer = client.post("/api/v1/events", json={"events": events}, headers=headers)
    assert [one["status"] for one in answer.json()["results"]] == [200, 200]
    assert run_started(client) == began


def run_started(client: TestClient) -> datetime:
    """The time that the job reported, as the events keep it."""
    shown = client.get("/api/v1/campaigns/rank/journal").json()["items"]
    (at,) = [one["payload"]["at"] for one in shown if one["kind"] == "run.started"]
    return datetime.fromisoformat(at)


@pytest.mark.parametrize("wrong", [HOURS, -HOURS])
@pytest.mark.parametrize("ago", [timedelta(0), timedelta(days=2)])
def test_a_wrong_clock_is_set_right_live_and_at_a_replay(
    client: TestClient,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    wrong: timedelta,
    ago: timedelta,
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    opened(database)
    really = NOW - timedelta(hours=1) - ago
    _posted(client, NOW + wrong, NOW, began=really + wrong)
    found = run(database)
    assert (found.started_at, found.ended_at) == (really, really + timedelta(hours=1))
    (attempt,) = found.attempts
    assert attempt.clock_off_s == -int(wrong.total_seconds())


def test_a_right_clock_is_believed_however_late_its_word_comes(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    opened(database)
    began = NOW - timedelta(days=5)
    _posted(client, NOW + timedelta(seconds=40), NOW, began=began)
    found = run(database)
    assert (found.started_at, found.attempts[0].clock_off_s) == (began, None)


@pytest.mark.parametrize("said", ["", "yesterday", "2026-12-01T08:00:00", "9" * 5000])
def test_a_header_that_cannot_be_read_changes_nothing(
    client: TestClient, database: Database, said: str
) -> None:
    opened(database)
    headers = {**token(client), "Punktum-Sent-At": said}
    answer = client.post("/api/v1/events", json={"events": [event(1, "start")]}, headers=headers)
    assert answer.json()["results"] == [{"status": 200, "duplicate": False}]
    assert run(database).attempts[0].clock_off_s is None


def test_nobody_says_it_in_a_body(client: TestClient, database: Database) -> None:
    opened(database)
    body = {"events": [event(1, "start", clock_off_s=3600)]}
    answer = client.post("/api/v1/events", json=body, headers=token(client))
    assert answer.json()["results"][0]["problem"]["field"] == "clock_off_s"
