"""Each attempt is drawn and named by its own outcome, in shape, colour and words."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.timeline.rules.chart import chart_of
from app.timeline.rules.drawing import Chart, Row
from app.timeline.rules.facts import DONE, FAILED, LOST, RUNNING, SILENT, STOPPED, Facts
from app.timeline.rules.forecast import forecast
from app.timeline.rules.lines import step_lines
from app.timeline.rules.states import state_of
from tests.conftest import NOW
from tests.pages import read
from tests.runs.campaigns import ID, closed, event, opened, posted
from tests.timeline.cases import FAMILY, H, at, facts, work
from tests.timeline.lives import live

API = f"/api/v1/campaigns/{ID}/timeline"


@pytest.fixture
def database(sqlite: Database) -> Database:
    """One kind is enough: what is told here hangs on no database."""
    return sqlite


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands where the lives were lived to."""
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())


def _chart(case: Facts) -> Chart:
    ahead = forecast(case)
    return chart_of(case, step_lines(case, ahead), ahead)


def _row(case: Facts, name: str) -> Row:
    return next(row for lane in _chart(case).lanes for row in lane.rows if row.id == name)


NAMED = {
    "completed": (["actual-done"], [], "done", []),
    "failed": (["actual-failed"], ["fail"], "failed", ["a-01: failed, error in the code, 2 h"]),
    "stopped": (["actual-stopped"], ["stop"], "stopped", ["a-01: stopped, infrastructure, 2 h"]),
    "lost": (["actual-lost"], ["lost"], "lost", ["a-01: lost, the box is gone, 1 h"]),
    "resumed": (
        ["actual-failed", "actual-running"],
        ["fail"],
        "running",
        [
            "a-01, attempt 1: failed, infrastructure, 1 h",
            "a-01, attempt 2: 2 h 30 min by its last sign, Tue, 1 Dec, 14:42",
        ],
    ),
    "superseded": (
        ["actual-stopped", "actual-running"],
        ["stop"],
        "running",
        [
            "a-01, attempt 1: stopped, taken over by a later attempt, 1 h",
            "a-01, attempt 2: 2 h 30 min by its last sign, Tue, 1 Dec, 14:42",
        ],
    ),
    "silent": (
        ["actual-running", "silent"],
        [],
        "silent",
        ["a-01: no sign since Tue, 1 Dec, 13:12"],
    ),
}


@pytest.mark.parametrize("life", NAMED)
def test_each_attempt_is_named_by_its_own_outcome(
    client: TestClient, database: Database, life: str
) -> None:
    live(database, life)
    bars, marks, state, notes = NAMED[life]
    row = read(client.get(f"/campaigns/{ID}/timeline")).css_first("#chart-control")
    assert row is not None
    drawn = [(bar.attributes["class"] or "").removeprefix("bar ") for bar in row.css("rect.bar")]
    assert [kind for kind in drawn if kind.startswith(("actual-", "silent"))] == bars
    assert [use.attributes["href"] for use in row.css("use.at")] == [f"#m-{one}" for one in marks]
    assert f"r-{state}" in (row.attributes["class"] or "")
    said = [
        " ".join(note.css("span > span, a")[-1].text().split()) for note in row.css(".row-note")
    ]
    assert said == notes
    heard = row.css_first(".time svg[role=img]")
    assert heard is not None
    for note in notes:
        assert note in (heard.attributes["aria-label"] or "")


def test_the_api_gives_each_attempt_its_own_kind_and_reason(
    client: TestClient, database: Database
) -> None:
    live(database, "resumed")
    step = next(one for one in client.get(API).json()["steps"] if one["id"] == "control")
    told = [(one["attempt"], one["kind"], one["reason"], one["open"]) for one in step["actual"]]
    assert told == [(1, "failed", "infrastructure", False), (2, "running", None, True)]


def test_a_lost_run_has_its_own_place_in_the_legend(client: TestClient, database: Database) -> None:
    live(database, "lost")
    tree = read(client.get(f"/campaigns/{ID}/timeline"))
    words = [item.text() for item in tree.css(".legend li")]
    assert "Time of a lost run" in words
    assert "Lost" in words
    assert not {"Failed", "Time of a failed run"} & set(words)
    fills = {bar.attributes["fill"] for bar in tree.css("#chart-control rect.actual-lost")}
    assert fills == {"url(#p-lost)"}
    assert len(tree.css("#p-lost, #m-lost, #i-lost")) == 3


def test_kinds_differ_in_shape_and_not_in_colour_alone() -> None:
    kinds = (DONE, RUNNING, STOPPED, FAILED, SILENT, LOST)
    looks = set()
    for kind in kinds:
        row = _row(facts(20, [work("control", 4, 8, "r", kind)]), "control")
        bars = tuple(bar.kind for bar in row.bars if bar.kind.startswith(("actual", "silent")))
        looks.add((bars, tuple(mark.kind for mark in row.marks), row.state))
    assert len(looks) == len(kinds)


def test_a_record_that_came_late_says_nothing_of_the_run() -> None:
    done = work("control", 4, 8, "r", DONE, attempts=2)
    late = work("control", 9, 10, "r", STOPPED, attempts=2, current=False)
    case = facts(20, [done, late])
    assert state_of(FAMILY[4], case) == "done"
    assert "control" not in {bar[0] for bar in forecast(case).bars}


def test_an_attempt_whose_start_never_came_does_not_go_on(
    client: TestClient, database: Database
) -> None:
    opened(database)
    began = NOW - timedelta(hours=3)
    lost = event(2, at=began.isoformat(), attempt_id="1" * 32, step="control", expect_next_s=60)
    posted(database, lost, now=began)
    at_two = NOW - timedelta(hours=1)
    posted(database, event(1, "start", at=at_two.isoformat(), attempt_id="2" * 32), now=at_two)
    posted(database, event(2, "finish", at=NOW.isoformat(), attempt_id="2" * 32), now=NOW)
    step = next(one for one in client.get(API).json()["steps"] if one["id"] == "control")
    assert step["state"] == "done"
    assert [one["kind"] for one in step["actual"]] == ["stopped", "done"]
    assert step["actual"][0]["reason"] == "its start was never received"


def test_a_run_whose_start_is_still_missing_is_said_to_lack_it(
    client: TestClient, database: Database
) -> None:
    opened(database)
    for seq, hours in ((2, 3), (3, 1)):
        at_that = NOW - timedelta(hours=hours)
        sign = event(seq, at=at_that.isoformat(), step="control", expect_next_s=14_400)
        posted(database, {**sign, "elapsed_s": None}, now=at_that)
    row = read(client.get(f"/campaigns/{ID}/timeline")).css_first("#chart-control")
    assert row is not None
    assert "a-01: 2 h, start not yet received" in row.css_first(".row-note").text()  # type: ignore[union-attr]


@pytest.mark.parametrize(("sealed", "words"), [(False, "Draft"), (True, "Sealed plan")])
def test_a_draft_is_not_called_a_sealed_plan(
    client: TestClient, database: Database, sealed: bool, words: str
) -> None:
    opened(database, sealed=sealed)
    tree = read(client.get(f"/campaigns/{ID}/timeline"))
    assert tree.css(".legend li")[0].text() == words
    title = tree.css_first("#chart-control rect.ghost title")
    assert title is not None
    assert title.text().startswith(words)


def test_a_silent_run_is_cut_at_the_end_of_its_lot() -> None:
    silent = work("a", 60, 65, "r", SILENT, last_seen_at=at(65))
    row, before = _row(facts(90, [silent]), "a"), _row(facts(70, [silent]), "a")
    (bar,) = [bar for bar in row.bars if bar.kind == "silent"]
    window = next(band for band in _chart(facts(90, [silent])).backdrops[0].bands)
    assert bar.x + bar.width == pytest.approx(window.x + window.width, abs=0.02)
    assert [mark.kind for mark in row.marks] == ["cut"]
    assert [str(note.text).partition(",")[0] for note in row.notes] == ["r: silent"]
    assert "cut" not in [mark.kind for mark in before.marks]
    assert str(before.notes[0].text).startswith("r: no sign since")


@pytest.mark.parametrize("kind", [DONE, RUNNING, FAILED, SILENT])
def test_work_past_the_end_of_its_lot_is_drawn_on_and_said(kind: str) -> None:
    row = _row(facts(80, [work("a", 60, 80, "r", kind)]), "a")
    assert "r: worked past the end of its lot" in str(row.notes[-1].text)
    inside = _row(facts(80, [work("a", 60, 70, "r", kind)]), "a")
    if kind != RUNNING:
        assert not any("past the end" in str(note.text) for note in inside.notes)


def test_a_run_that_stands_still_is_said_to() -> None:
    case = facts(20, [work("a", 10, 20, "r", RUNNING, stalled_since_at=at(15), machine_s=10 * H)])
    row = _row(case, "a")
    assert row.state == "stalled"
    assert str(row.notes[0].text).startswith("r: 10 h, no progress since")


def test_the_close_by_itself_ends_no_run(client: TestClient, database: Database) -> None:
    live(database, "running")
    closed(database)
    step = next(one for one in client.get(API).json()["steps"] if one["id"] == "control")
    assert step["state"] == "running"
