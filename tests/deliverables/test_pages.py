"""The pages of deliverables, read and used as a person would, without any script."""

from __future__ import annotations

from datetime import date

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser

from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.deliverables.campaigns import closed, opened, resealed, sent, standing
from tests.deliverables.plans import (
    FILES,
    HOME,
    ID,
    PREDICTIONS,
    adapter,
    all_passed,
    file,
    plan,
    submission,
)
from tests.pages import submit
from tests.plan.drafts import saved

LIST = f"/campaigns/{ID}/deliverables"
PAGE = f"{LIST}/predictions"
REJECT = "#reject-predictions form"
PLACE = "#place-predictions form"


@pytest.fixture
def browser(settings: Settings, sqlite: Database) -> TestClient:
    """A browser of an app on SQLite."""
    return TestClient(create_app(settings, sqlite, b"a secret"), follow_redirects=False)


def read(browser: TestClient, path: str, status: int = 200) -> LexborHTMLParser:
    response = browser.get(path)
    assert response.status_code == status
    return LexborHTMLParser(response.text)


def words(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    assert node is not None, selector
    return " ".join(node.text(separator=" ").split())


def test_an_empty_list_says_what_belongs_here(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, plan(deliverables=()))
    tree = read(browser, LIST)
    assert words(tree, ".empty-title") == "No deliverable is announced"
    link = tree.css_first(".empty a")
    assert link is not None
    assert link.attributes["href"] == f"/campaigns/{ID}/plan"


def test_a_draft_says_that_the_seal_announces(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, plan())
    assert "announced by its seal" in words(read(browser, LIST), ".notice")


def test_before_anything_came_each_shows_its_line_to_run(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    tree = read(browser, LIST)
    assert words(tree, "#predictions .code code") == (
        "punktum verify OUTPUT_DIR --deliverable predictions"
    )
    assert words(tree, "#predictions .badge") == "Announced"
    assert words(tree, "#predictions .checkwords") == "0 passed, 4 not run"
    assert tree.css_first(REJECT) is None


def test_the_list_tells_the_states_apart(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    sent(sqlite, submission(submission_id="9" * 32, machine_id=HOME, retrieved=True))
    sent(sqlite, adapter("main", submission_id="2" * 32))
    tree = read(browser, LIST)
    states = [node.text().strip() for node in tree.css("#predictions .card-head .badge")]
    assert states == ["Accepted", "Retrieved"]
    assert words(tree, "#adapter .checkwords") == "1 passed, 1 failed"
    assert words(tree, "#adapter .reason") == "1 of 2 checks failed."
    figures = [node.text() for node in tree.css(".figure-value")]
    assert figures == ["1 of 3", "1 of 1", "1 of 1"]


def test_a_rejection_in_the_list_is_one_form(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    values = {"reason.predictions": "labels are shuffled"}
    response = submit(browser, LIST, REJECT, values)
    assert response.status_code == 303
    assert response.headers["location"] == PAGE
    found = standing(sqlite)
    assert (str(found.state), str(found.reason)) == ("rejected", "labels are shuffled")
    tree = read(browser, PAGE)
    assert words(tree, ".flash") == "Predictions of control and variants is rejected."
    assert words(tree, "#standing .reason") == "labels are shuffled"


def test_a_rejection_without_a_reason_comes_back(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    response = submit(browser, LIST, REJECT, {"reason.predictions": "  "})
    assert response.status_code == 422
    tree = LexborHTMLParser(response.text)
    details = tree.css_first("#reject-predictions")
    assert details is not None
    assert "open" in details.attributes
    field = tree.css_first("#f-reason-predictions")
    assert field is not None
    assert field.attributes["aria-invalid"] == "true"
    assert tree.css_first("#errors a[href='#f-reason-predictions']") is not None
    assert str(standing(sqlite).state) == "accepted"


def test_what_was_typed_is_kept_when_it_is_too_long(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    typed = "<b>no</b> " * 500
    response = submit(browser, LIST, REJECT, {"reason.predictions": typed})
    assert response.status_code == 422
    area = LexborHTMLParser(response.text).css_first("#f-reason-predictions")
    assert area is not None
    assert area.text().strip() == typed.strip()


def test_a_newer_submission_makes_the_verdict_a_conflict(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    values = {"reason.predictions": "labels are shuffled", "submission": "1"}
    response = submit(browser, PAGE, REJECT, values)
    assert response.status_code == 409
    tree = LexborHTMLParser(response.text)
    assert "A newer submission came meanwhile" in words(tree, "#errors")
    assert words(tree, "#f-reason-predictions") == "labels are shuffled"


def test_accepting_what_a_person_had_rejected(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    submit(browser, PAGE, REJECT, {"reason.predictions": "wrong"})
    response = submit(browser, PAGE, "form.inline")
    assert response.status_code == 303
    assert str(standing(sqlite).state) == "accepted"


def test_one_deliverable_shows_evidence_and_history(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission(files=(*FILES, file("empty.txt", b""))))
    tree = read(browser, PAGE)
    rows = [" ".join(row.text(separator=" ").split()) for row in tree.css("#checks tbody tr")]
    assert rows[0] == (
        "No file is empty Failed 1 file is empty: empty.txt non_empty is fine "
        "box · box-1 · Tue, 1 Dec, 15:00 · punktum/0.1.0 files: 3"
    )
    assert rows[1].startswith("predictions.csv holds the ids of corpus eval Passed")
    assert "expected: 3 · found: 3" in rows[1]
    assert len(tree.css("#manifest tbody tr")) == 4
    assert [node.text().strip() for node in tree.css("#history tbody th")] == ["Submitted"]


def test_an_implied_check_says_so(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    tree = read(browser, f"{LIST}/adapter")
    rows = [" ".join(row.text(separator=" ").split()) for row in tree.css("#checks tbody tr")]
    assert rows[1].startswith("The exact revision of the base model is stated for every adapter")


def test_a_long_manifest_is_paged(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    many = tuple(file(f"parts/{n:03}.csv", str(n).encode()) for n in range(202))
    sent(sqlite, submission(files=(*FILES, *many)))
    first, last = read(browser, PAGE), read(browser, f"{PAGE}?page=3")
    assert (len(first.css("#manifest tbody tr")), len(last.css("#manifest tbody tr"))) == (100, 5)
    assert [node.attributes["href"] for node in first.css("#manifest nav a")] == [
        f"{PAGE}?page=2#manifest"
    ]
    assert [node.attributes["href"] for node in last.css("#manifest nav a")] == [
        f"{PAGE}?page=2#manifest"
    ]
    assert len(read(browser, f"{PAGE}?page=99").css("#manifest tbody tr")) == 5


def test_where_the_files_lie_is_kept(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    values = {"where.predictions": "nas:/results", "seen_on.predictions": "2026-12-01"}
    assert submit(browser, PAGE, PLACE, values).status_code == 303
    place = standing(sqlite).place
    assert place is not None
    assert (place.where, place.seen_on) == ("nas:/results", date(2026, 12, 1))
    assert "nas:/results" in words(read(browser, LIST), "#predictions .facts")


@pytest.mark.parametrize(
    ("where", "seen_on", "field"),
    [("", "2026-12-01", "where"), ("x", "soon", "seen_on"), ("x", "2199-01-01", "seen_on")],
)
def test_a_place_that_cannot_be_read_comes_back(
    browser: TestClient, sqlite: Database, where: str, seen_on: str, field: str
) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    values = {"where.predictions": where, "seen_on.predictions": seen_on}
    response = submit(browser, PAGE, PLACE, values)
    assert response.status_code == 422
    tree = LexborHTMLParser(response.text)
    assert tree.css_first(f"#f-{field}-predictions-error") is not None
    typed = tree.css_first("#f-where-predictions")
    assert typed is not None
    assert typed.attributes["value"] == where
    assert standing(sqlite).place is None


def test_after_the_close_there_is_nothing_to_judge(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    token = read(browser, LIST).css_first("[name=csrf_token]")
    assert token is not None
    closed(sqlite)
    tree = read(browser, LIST)
    assert tree.css_first(REJECT) is None
    values = {
        "csrf_token": token.attributes["value"] or "",
        "verdict": "rejected",
        "reason.predictions": "late",
    }
    assert browser.post(f"{PAGE}/verdicts", data=values).status_code == 409
    assert read(browser, PAGE).css_first(PLACE) is not None


def test_what_is_announced_no_more_says_so(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, adapter())
    resealed(sqlite, plan(deliverables=(PREDICTIONS,)))
    tree = read(browser, LIST)
    assert "No longer announced" in words(tree, "#adapter")
    assert tree.css_first("#reject-adapter") is None
    assert read(browser, f"{LIST}/adapter").css_first("#history") is not None


def test_what_nobody_announced_is_not_found(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    assert words(read(browser, f"{LIST}/poster", 404), "main h1")
    read(browser, "/campaigns/nowhere/deliverables", 404)


def test_a_form_without_our_token_is_refused(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission(checks=all_passed()[:2]))
    values = {"verdict": "rejected", "reason.predictions": "x"}
    assert browser.post(f"{PAGE}/verdicts", data=values).status_code == 403


@pytest.mark.parametrize("language", ["en", "de", "vi"])
def test_the_pages_are_there_in_each_language(
    browser: TestClient, sqlite: Database, language: str
) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    for path in (LIST, PAGE):
        response = browser.get(path, headers={"Accept-Language": language})
        assert response.headers["content-language"] == language
        ids = [node.attributes["id"] for node in LexborHTMLParser(response.text).css("[id]")]
        assert len(ids) == len(set(ids))
