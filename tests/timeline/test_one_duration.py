"""One run has one duration: the list of runs and the timeline say the same machine time."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.conftest import NOW
from tests.pages import read
from tests.runs.campaigns import ID, run
from tests.timeline.lives import LIVES, live

EVERY = pytest.mark.parametrize("life", LIVES)
MEASURED = pytest.mark.parametrize("measured", [True, False])
CLOCKS = pytest.mark.parametrize(
    ("measured", "ahead"),
    [
        (True, timedelta(0)),
        (False, timedelta(0)),
        (False, timedelta(seconds=100)),
        (False, timedelta(hours=7)),
    ],
)
DURATION = re.compile(r"\d+ (?:d|h|min|s)(?: \d+ (?:h|min))?(?![\w:])")


@pytest.fixture
def database(sqlite: Database) -> Database:
    """One kind is enough: what is told here hangs on no database."""
    return sqlite


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands where the lives were lived to."""
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())


def _said(client: TestClient, page: str, cells: str) -> list[str]:
    found = read(client.get(f"/campaigns/{ID}/{page}")).css(cells)
    return [" ".join(cell.text().split()) for cell in found]


def _hours(text: str) -> float:
    """`2 h 30 min` in hours."""
    per = {"d": 24.0, "h": 1.0, "min": 1 / 60, "s": 1 / 3600}
    return sum(float(n) * per[unit] for n, unit in re.findall(r"(\d+) (d|h|min|s)\b", text))


@EVERY
@CLOCKS
def test_the_list_and_the_timeline_say_the_same_time(
    client: TestClient, database: Database, life: str, measured: bool, ahead: timedelta
) -> None:
    live(database, life, measured=measured, ahead=ahead)
    (listed,) = _said(client, "runs", "#run-a-01 td[data-label='Machine time']")
    spent = _said(client, "timeline", "#chart-control td[data-label='Actual'] .spent")
    assert sum(_hours(one) for one in spent) == pytest.approx(_hours(listed))
    if len(spent) == 1:
        assert spent == [listed]
    (lane,) = _said(client, "timeline", "#chart-lane-lot-1-gpu-0 td[data-label='Actual']")
    assert lane == listed


@EVERY
@MEASURED
def test_every_duration_beside_a_bar_is_the_machine_time_of_its_attempt(
    client: TestClient, database: Database, life: str, measured: bool
) -> None:
    live(database, life, measured=measured)
    known = run(database)
    attempts = {one.machine_s / 3600 for one in known.attempts}
    for note in _said(client, "timeline", "#chart-control .row-note"):
        without_times = re.sub(r"\d+ \w{3}, \d\d:\d\d", "", note)
        for said in DURATION.findall(without_times):
            assert min(abs(_hours(said) - one) for one in attempts) < 0.001, note


@EVERY
@MEASURED
def test_the_api_says_the_machine_time_of_each_attempt(
    client: TestClient, database: Database, life: str, measured: bool
) -> None:
    live(database, life, measured=measured)
    steps = client.get(f"/api/v1/campaigns/{ID}/timeline").json()["steps"]
    actual = next(step["actual"] for step in steps if step["id"] == "control")
    told = {one["attempt"]: float(one["machine_hours"]) * 3600 for one in actual}
    (listed,) = client.get(f"/api/v1/campaigns/{ID}/runs").json()["items"]
    assert told == pytest.approx({one["number"]: one["machine_s"] for one in listed["attempts"]})
    assert sum(told.values()) == pytest.approx(listed["machine_s"])


def test_a_bar_that_is_longer_than_what_was_told_says_so(
    client: TestClient, database: Database
) -> None:
    live(database, "started", measured=False)
    (note,) = _said(client, "timeline", "#chart-control .row-note")
    assert note == "Running: a-01: < 1 s by its last sign, Tue, 1 Dec, 12:12"


def test_what_a_silent_job_that_only_started_has_used_is_not_done_again(
    client: TestClient, database: Database
) -> None:
    """The forecast counts the time until now, told or not, else its end would run away."""
    live(database, "started", measured=False)
    steps = client.get(f"/api/v1/campaigns/{ID}/timeline").json()["steps"]
    ahead = next(step["forecast"] for step in steps if step["id"] == "control")
    assert float(ahead["end_hours"]) - float(ahead["start_hours"]) == pytest.approx(10 - 3)
