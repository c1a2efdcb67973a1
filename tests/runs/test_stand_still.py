"""Pages and answers about the runs of a closed campaign: nothing on them goes on."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient

from app import clock
from app.db import Database
from app.runs.pages import listing
from tests.conftest import NOW
from tests.runs.campaigns import ID, SECOND, closed, event, opened, posted

API = f"/api/v1/campaigns/{ID}"


@pytest.mark.parametrize(
    "path",
    [f"/campaigns/{ID}/runs", f"/campaigns/{ID}/runs/a-01", f"{API}/runs", f"{API}/runs/a-01"],
)
def test_a_month_after_the_close_they_say_what_they_said_then(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    opened(database)
    monkeypatch.setattr(listing, "version_tag", lambda *_, **__: "always")

    def at(now: datetime) -> str:
        monkeypatch.setattr(clock, "now", lambda: now)
        answer = client.get(path)
        assert answer.status_code == 200
        return answer.text

    monkeypatch.setattr(clock, "now", lambda: NOW)
    span = {"started_at": NOW.isoformat()}
    assert client.post(f"{API}/steps/prepare/time", json=span).status_code == 201
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=60))
    posted(database, event(1, "start", run="b-01", attempt_id=SECOND, expect_next_s=86_400))
    posted(database, event(2, "beat", run="b-01", attempt_id=SECOND, progress=3))
    closed(database)
    first = at(NOW + timedelta(minutes=1))
    assert "a-01" in first
    assert first == at(NOW + timedelta(days=31))
