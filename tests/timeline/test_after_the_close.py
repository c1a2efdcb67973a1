"""A closed campaign stands still: what it shows a minute after the close it shows for ever."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.timeline import pages, queries
from app.web.live import SharedRenders
from tests.conftest import NOW
from tests.pages import read
from tests.runs.campaigns import ID, event, recorded
from tests.timeline.lives import LIVES, NEVER_ENDED, live

PAGE, API = f"/campaigns/{ID}", f"/api/v1/campaigns/{ID}"
LIVE = {"HX-Request": "true", "HX-Request-Type": "partial"}
LATER = (timedelta(minutes=1), timedelta(hours=5), timedelta(days=31))


@pytest.fixture(autouse=True)
def then(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens before the close happens at one moment."""
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())


def _seen(client: TestClient, patch: pytest.MonkeyPatch, after: timedelta) -> dict[str, str]:
    """All that a reader gets so long after the close, with nothing kept from an earlier look."""
    patch.setenv("PUNKTUM_NOW", (NOW + after).isoformat())
    patch.setattr(queries, "_kept", WeakKeyDictionary())
    patch.setattr(pages, "shared", SharedRenders())
    live_part = client.get(f"{PAGE}/timeline", headers=LIVE)
    found = {
        "a poll": live_part.text,
        "its tag": live_part.headers["HX-PTag"],
        "its answer": str(client.get("/api/v1/campaigns").json()),
    }
    for path in (PAGE, f"{PAGE}/timeline", f"{PAGE}/timeline?ghost=calendar", f"{API}/timeline"):
        answer = client.get(path)
        assert answer.status_code == 200
        found[path] = answer.text
    return found


def _close(client: TestClient) -> None:
    said = {"outcome": "negative", "conclusion": "None passes.", "close_with_open_points": True}
    answer = client.post(f"{API}/close", json=said)
    assert answer.status_code == 200, answer.text


def _open_span(client: TestClient) -> None:
    started = (NOW - timedelta(hours=2)).isoformat()
    answer = client.post(f"{API}/steps/prepare/time", json={"started_at": started})
    assert answer.is_success, answer.text


@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("life", LIVES)
def test_nothing_changes_by_time_alone(
    client: TestClient,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    life: str,
    measured: bool,
) -> None:
    live(database, life, measured=measured)
    _open_span(client)
    _close(client)
    first, *later = [_seen(client, monkeypatch, after) for after in LATER]
    for seen in later:
        for name, text in seen.items():
            assert text == first[name], name


def _actual(client: TestClient, step: str = "control") -> list[dict[str, Any]]:
    steps = client.get(f"{API}/timeline").json()["steps"]
    found: list[dict[str, Any]] = next(one["actual"] for one in steps if one["id"] == step)
    return found


@pytest.mark.parametrize("life", NEVER_ENDED)
def test_a_run_that_was_open_ends_with_its_last_sign(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch, life: str
) -> None:
    live(database, life)
    _close(client)
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + timedelta(days=1)).isoformat())
    last = _actual(client)[-1]
    ago = LIVES[life][-1][2]
    ended = (NOW - timedelta(hours=ago)).isoformat(timespec="seconds")
    assert (last["ends_at"][:19], last["open"]) == (ended[:19], False)
    tree = read(client.get(f"{PAGE}/timeline"))
    row = tree.css_first("#chart-control")
    assert row is not None
    assert len(row.css("rect.actual-open")) == 1
    assert row.css("rect.silent, rect.actual-running, rect.forecast") == []
    assert "no end recorded by the close" in row.css(".row-note")[-1].text()
    words = [item.text() for item in tree.css(".legend li")]
    assert "No end recorded" in words
    assert not {"Running", "Now", "No sign since", "Forecast"} & set(words)


def test_a_persons_open_time_ends_with_the_close(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(database, "completed")
    _open_span(client)
    _close(client)
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + timedelta(days=1)).isoformat())
    (span,) = _actual(client, "prepare")
    assert span["ends_at"][:19] == NOW.isoformat()[:19]
    assert (span["open"], span["machine_hours"]) == (False, None)


@pytest.mark.parametrize("life", NEVER_ENDED)
def test_evidence_that_comes_late_moves_no_bar(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch, life: str
) -> None:
    live(database, life)
    _close(client)
    before = client.get(f"{API}/timeline").json()
    late = NOW + timedelta(days=2)
    at = (NOW + timedelta(hours=1)).isoformat()
    attempt = "1" * 32 if life in ("started", "running", "silent") else "2" * 32
    recorded(database, event(9, "finish", attempt_id=attempt, at=at), now=late)
    monkeypatch.setenv("PUNKTUM_NOW", late.isoformat())
    assert client.get(f"{API}/timeline").json() == before
