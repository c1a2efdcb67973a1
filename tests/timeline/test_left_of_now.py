"""What happened lies left of now, whatever a job's clock or its own measure says."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from app.db import Database
from app.timeline.rules.axis import scale_of
from app.timeline.rules.chart import chart_of
from app.timeline.rules.facts import DONE, FAILED, LOST, RUNNING, SILENT, STOPPED
from app.timeline.rules.forecast import forecast
from app.timeline.rules.lines import step_lines
from tests.conftest import NOW
from tests.pages import read
from tests.runs.campaigns import ID, event, opened, posted
from tests.timeline.cases import FAMILY, at, facts, work
from tests.timeline.lives import LIVES, live

PAST = ("actual-", "silent", "conflict")
KINDS = (DONE, RUNNING, STOPPED, FAILED, SILENT, LOST)


@settings(max_examples=150, deadline=None)
@given(
    now=st.floats(0, 120),
    closed_after=st.none() | st.floats(0, 1),
    spans=st.lists(
        st.tuples(st.floats(-50, 200), st.floats(0, 80), st.sampled_from(KINDS)), max_size=6
    ),
)
def test_no_bar_of_what_happened_ends_right_of_now(
    now: float, closed_after: float | None, spans: list[tuple[float, float, str]]
) -> None:
    worked = [
        work(FAMILY[n].id, start, start + length, f"r-{n}" if n else None, kind)
        for n, (start, length, kind) in enumerate(spans)
    ]
    closed_at = None if closed_after is None else at(now * closed_after)
    case = facts(now, worked, closed_at=closed_at)
    ahead = forecast(case)
    lines = step_lines(case, ahead)
    chart = chart_of(case, lines, ahead)
    until = scale_of(case, lines, ahead).x(case.until_s)
    for lane in chart.lanes:
        bars = [*lane.strip, *(bar for row in lane.rows for bar in row.bars)]
        for bar in bars:
            if bar.kind.startswith(PAST):
                assert bar.x + bar.width <= until + 0.001, bar
        for mark in (mark for row in lane.rows for mark in row.marks):
            if mark.kind in ("stop", "fail", "lost", "cut"):
                assert mark.x <= until
    assert all(line.observed_s is None or line.observed_s >= 0 for line in lines)


@pytest.fixture
def database(sqlite: Database) -> Database:
    """One kind is enough: what is told here hangs on no database."""
    return sqlite


def _ends(client: TestClient) -> list[datetime]:
    steps = client.get(f"/api/v1/campaigns/{ID}/timeline").json()["steps"]
    return [datetime.fromisoformat(one["ends_at"]) for step in steps for one in step["actual"]]


def _drawn_left_of_now(client: TestClient) -> None:
    tree = read(client.get(f"/campaigns/{ID}/timeline"))
    line = tree.css_first("#chart-now line.now")
    assert line is not None
    now = float((line.attributes["x1"] or "").rstrip("%"))
    drawn = tree.css("#chart tbody rect[class*='actual-'], #chart tbody rect.silent")
    assert drawn
    for bar in drawn:
        sides = [float((bar.attributes[side] or "").rstrip("%")) for side in ("x", "width")]
        assert sum(sides) <= now + 0.001


@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize(
    ("measured", "ahead"),
    [
        (False, timedelta(seconds=110)),
        (True, timedelta(hours=9)),
        (False, timedelta(hours=9)),
        (False, timedelta(days=400)),
    ],
)
def test_a_jobs_clock_that_is_ahead_draws_nothing_ahead(
    client: TestClient,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    life: str,
    measured: bool,
    ahead: timedelta,
) -> None:
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())
    live(database, life, measured=measured, ahead=ahead)
    assert max(_ends(client)) <= NOW
    _drawn_left_of_now(client)


def test_a_measure_that_is_more_than_has_passed_draws_nothing_ahead(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job may count the time of the attempt before it as well; its word stays its word."""
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())
    opened(database)
    began = NOW - timedelta(hours=1)
    posted(database, event(1, "start", at=began.isoformat(), elapsed_s=0), now=began)
    posted(database, event(2, "finish", at=NOW.isoformat(), elapsed_s=86_400), now=NOW)
    assert _ends(client) == [NOW]
    _drawn_left_of_now(client)
