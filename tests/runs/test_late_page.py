"""The page of a run that was first heard of after the close: evidence, and plainly no more."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from app import journal
from app.db import Database
from app.main import create_app
from app.runs.commands.late import CAME_LATE
from app.runs.pages import late
from app.settings import Settings
from tests.conftest import NOW
from tests.pages import read
from tests.runs.campaigns import FIRST, ID, SECOND, closed, event, opened, recorded, token
from tests.runs.test_pages import rows, words

URL = f"/campaigns/{ID}/runs"
DAY = timedelta(days=1)


@pytest.fixture
def browser(settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())
    app = create_app(settings, database, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def _shown(browser: TestClient, run: str, query: str = "") -> HTMLParser:
    answer = browser.get(f"{URL}/{run}{query}")
    assert answer.status_code == 200, answer.text
    return read(answer)


def _closed(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"))
    closed(database)


def test_it_says_what_it_is_and_what_came(browser: TestClient, database: Database) -> None:
    _closed(database)
    fail = event(3, "fail", run="z-01", reason_code="infra", exit_code=3)
    recorded(database, event(1, "start", run="z-01"), event(2, run="z-01", progress=7))
    recorded(database, fail, event(1, "start", run="z-01", attempt_id=SECOND), now=NOW + DAY)
    tree = _shown(browser, "z-01")
    assert words(tree.css_first("#run .notice")) == (
        "First heard of after the close: late evidence, it changes no figure."
    )
    assert [words(line) for line in tree.css("#run li")] == [
        "first heard of after the close: 3 events; says: failed (infrastructure) Tue, 1 Dec, 09:00",
        "first heard of after the close: 1 event",
    ]
    assert [(row[0], row[1], row[2]) for row in rows(tree, "late")] == [
        ("Start", "2", "main 1"),
        ("Failure", "1", "main 3"),
        ("Start", "1", "main 1"),
        ("Beat", "1", "main 2"),
    ]
    assert tree.css("main form, main button") == []


def test_it_names_who_brought_it_and_the_journals_entries(
    browser: TestClient, database: Database
) -> None:
    opened(database)
    headers = token(browser, name="night box")
    closed(database)
    told = browser.post("/api/v1/runs/z-01/start", headers=headers, json=_body(1)).json()
    recorded(database, event(2, run="z-01"), event(7, run="z-01"), now=NOW + DAY)
    with database.read() as session:
        first, second = journal.entries(session, ID, kind=CAME_LATE)
    assert told["head"] == {"number": first.number, "sha256": first.sha256}
    found = rows(_shown(browser, "z-01"), "entries")
    assert [(row[0], row[2], row[3]) for row in found] == [
        (f"{second.number} {second.sha256}", "the job (box)", f"1 {FIRST[:8]}"),
        (f"{first.number} {first.sha256}", "the job (night box)", f"1 {FIRST[:8]}"),
    ]
    hashes = [str(one.payload["sha256"]) for one in (second, first)]
    assert [row[4] for row in found] == [
        f"main 2–7 hash of the events {hashes[0][:8]}",
        f"main 1 hash of the events {hashes[1][:8]}",
    ]
    notes = _shown(browser, "z-01").css("#entries td span[title]")
    assert [note.attributes["title"] for note in notes] == hashes


def _body(seq: int) -> dict[str, object]:
    said = event(seq, "start")
    return {name: value for name, value in said.items() if name not in ("run", "kind")}


def test_long_evidence_is_read_page_by_page(
    browser: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late, "EVENTS", 2)
    monkeypatch.setattr(late, "ENTRIES", 1)
    _closed(database)
    for seq in range(1, 6):
        recorded(database, event(seq, "checkpoint", run="z-01", path=f"c/{seq}"))
    seen, query = [], ""
    for _ in range(3):
        tree = _shown(browser, "z-01", query)
        seen += [words(cell) for cell in tree.css("#late tbody tr td[data-label='Source']")]
        assert len(rows(tree, "entries")) == 1
        older = tree.css_first("#late .actions a")
        query = (older.attributes["href"] or "").removeprefix(f"{URL}/z-01") if older else ""
    assert (seen, query) == ([f"main {seq}" for seq in (5, 4, 3, 2, 1)], "")
    assert "Earlier entries stand in the journal." in words(tree.css_first("#entries"))


@pytest.mark.parametrize("before", ["x", "-1", "1" * 19, "²"])
def test_a_place_that_no_page_gave_is_refused(
    browser: TestClient, database: Database, before: str
) -> None:
    _closed(database)
    recorded(database, event(1, "start", run="z-01"))
    assert browser.get(f"{URL}/z-01", params={"before": before}).status_code == 422


def test_the_list_and_the_api_lead_to_it(browser: TestClient, database: Database) -> None:
    _closed(database)
    recorded(database, event(1, "start", run="z-01"), event(2, "finish", run="z-01"))
    links = [link.attributes["href"] for link in read(browser.get(URL)).css("#late a")]
    assert links == [f"{URL}/z-01"]
    with database.read() as session:
        (entry,) = journal.entries(session, ID, kind=CAME_LATE)
    answer = browser.get(f"/api/v1{URL}/z-01")
    assert answer.status_code == 200
    found = answer.json()
    assert (found["id"], found["status"], found["first_heard_after_close"]) == ("z-01", None, True)
    assert [(one["events"], one["status"]) for one in found["came_late"]] == [(2, "completed")]
    (named,) = found["entries"]
    assert (named["number"], named["sha256"], named["actor_name"]) == (
        entry.number,
        entry.sha256,
        "box",
    )


def test_a_run_that_nobody_ever_named_is_not_there(browser: TestClient, database: Database) -> None:
    _closed(database)
    recorded(database, event(1, "start", run="z-01"))
    for path in (f"{URL}/none", f"/api/v1{URL}/none"):
        assert browser.get(path).status_code == 404


def test_a_persons_word_on_it_is_refused_in_words(browser: TestClient, database: Database) -> None:
    _closed(database)
    recorded(database, event(1, "start", run="z-01"))
    for act in ("ask-to-stop", "mark-lost", "mark-stopped", "archive", "bring-back"):
        answer = browser.post(f"/api/v1{URL}/z-01/{act}", json={"reason": "late"})
        assert (answer.status_code, answer.json()["type"]) == (409, "/problems/campaign-closed")
