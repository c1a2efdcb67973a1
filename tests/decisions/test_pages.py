"""The page of decisions, read and used as a person would, without any script."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser

from app.db import Database
from app.decisions import queries
from app.decisions.rules.log import Decisions
from app.main import create_app
from app.settings import Settings
from tests.decisions.plans import HOUR_S, ID, plan
from tests.decisions.runs import completed
from tests.deliverables.campaigns import closed
from tests.pages import submit
from tests.plan.drafts import longer, saved, sealed

PAGE = f"/campaigns/{ID}/decisions"
FORM = "#decision"


@pytest.fixture
def browser(settings: Settings, sqlite: Database) -> TestClient:
    """A browser of an app on SQLite, with a sealed campaign."""
    saved(sqlite, plan())
    sealed(sqlite, ID)
    return TestClient(create_app(settings, sqlite, b"a secret"), follow_redirects=False)


def read(browser: TestClient, path: str = PAGE) -> LexborHTMLParser:
    response = browser.get(path)
    assert response.status_code == 200
    return LexborHTMLParser(response.text)


def words(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    assert node is not None, selector
    return " ".join(node.text(separator=" ").split())


def log(database: Database) -> Decisions:
    with database.read() as session:
        return queries.read(session, ID)


def test_before_any_decision(browser: TestClient) -> None:
    tree = read(browser)
    assert words(tree, "#log .empty-title") == "No decision yet"
    assert words(tree, "#point-pilot-decision h2") == "Open: Decision after the pilot"
    chosen = tree.css_first("#f-step option[selected]")
    assert chosen is not None
    assert chosen.attributes["value"] == "pilot-decision"
    cuts = [node.attributes["name"] for node in tree.css("#f-cut input")]
    assert cuts == ["cut.variant-b", "cut.probe"]


def test_what_the_pilot_took_stands_above_the_form(browser: TestClient, sqlite: Database) -> None:
    completed(sqlite, "pilot-1", "pilot", elapsed_s=5 * HOUR_S)
    tree = read(browser)
    row = words(tree, "#point-pilot-decision tbody tr")
    assert row == "Pilot pilot-1 Completed 4 h 5 h 1.25 ×"
    ahead = "the 1 d 8 h of machine steps still ahead take 1 d 16 h"
    assert ahead in words(tree, "#point-pilot-decision")
    assert "continue if pilot <= 1.3 x estimate" in words(tree, "#point-pilot-decision")


def test_a_decision_is_written_down(browser: TestClient, sqlite: Database) -> None:
    values = {"choice": "cut", "cut.probe": "yes", "reason": "it changes no choice"}
    response = submit(browser, PAGE, FORM, values)
    assert response.status_code == 303
    (entry,) = log(sqlite).entries
    assert (entry.choice, entry.step, entry.cut) == ("cut", "pilot-decision", ("probe",))
    tree = read(browser)
    assert "Cut : Probe" in words(tree, "#log tbody tr")
    assert tree.css_first("#point-pilot-decision") is None
    assert [node.attributes["name"] for node in tree.css("#f-cut input")] == ["cut.variant-b"]


def test_what_is_refused_comes_back_as_typed(browser: TestClient, sqlite: Database) -> None:
    values = {"choice": "cut", "reason": "<i>why</i> not", "link": "ftp://x"}
    response = submit(browser, PAGE, FORM, values)
    assert response.status_code == 422
    tree = LexborHTMLParser(response.text)
    targets = {node.attributes["href"] for node in tree.css("#errors a")}
    assert targets == {"#f-cut", "#f-link"}
    assert all(tree.css_first(str(target)) is not None for target in targets)
    assert words(tree, "#f-reason") == "<i>why</i> not"
    radio = tree.css_first("#f-choice-cut")
    assert radio is not None
    assert "checked" in radio.attributes
    assert log(sqlite).entries == ()


def test_a_contradiction_is_a_conflict_with_what_was_typed(
    browser: TestClient, sqlite: Database
) -> None:
    values = {"choice": "cut", "cut.variant-b": "yes", "reason": "A passed"}
    response = submit(browser, PAGE, FORM, values)
    assert response.status_code == 409
    tree = LexborHTMLParser(response.text)
    assert "cut probe too, or keep variant-b" in words(tree, "#errors")
    box = tree.css_first("#f-cut-variant-b")
    assert box is not None
    assert "checked" in box.attributes


def test_a_correction_is_a_new_entry_in_the_log(browser: TestClient, sqlite: Database) -> None:
    submit(browser, PAGE, FORM, {"choice": "cut", "cut.probe": "yes", "reason": "no time"})
    number = log(sqlite).entries[0].number
    link = read(browser).css_first(f"#entry-{number} a")
    assert link is not None
    address = str(link.attributes["href"])
    tree = read(browser, address.partition("#")[0])
    assert words(tree, "#record-h") == f"Correct entry {number}"
    assert words(tree, "#f-reason") == "no time"
    values = {"choice": "continue", "reason": "there is time after all"}
    fields = {"cut.probe": ""}  # the box is not ticked any more
    response = submit(browser, address.partition("#")[0], FORM, {**values, **fields})
    assert response.status_code == 303
    newest, first = log(sqlite).entries
    assert (newest.corrects, first.corrected_by) == (first.number, newest.number)
    assert log(sqlite).cut == {}
    tree = read(browser)
    assert f"corrected by entry {newest.number}" in words(tree, f"#entry-{first.number}")
    assert tree.css_first(f"#entry-{first.number} a") is None


def test_a_revision_may_name_its_version(browser: TestClient, sqlite: Database) -> None:
    assert read(browser).css_first("#f-version") is None
    saved(sqlite, longer(plan(), 2), replace=True)
    sealed(sqlite, ID, "the decision takes longer")
    tree = read(browser)
    versions = [node.attributes["value"] for node in tree.css("#f-version option")]
    assert versions == ["", "2"]
    values = {"choice": "revise", "version": "2", "reason": "a narrower question"}
    assert submit(browser, PAGE, FORM, values).status_code == 303
    assert log(sqlite).entries[0].version == 2
    assert "version 2" in words(read(browser), "#log tbody tr")


def test_what_the_decision_rule_says(browser: TestClient, sqlite: Database) -> None:
    completed(sqlite, "c-1", "control", {"eval_f1": 0.80})
    completed(sqlite, "a-1", "variant-a", {"eval_f1": 0.82})
    tree = read(browser)
    rows = [" ".join(row.text(separator=" ").split()) for row in tree.css("#rule tbody tr")]
    assert rows[0].startswith("Control 0.8 c-1")
    assert rows[1] == "Variant-A 0.82 a-1 +0.02 0.82 passes"
    assert rows[2].endswith("no evidence no run yet")
    assert "The rule proposes: positive. Passes: Variant-A." in words(tree, "#rule")
    assert "A person decides." in words(tree, "#rule")


def test_after_the_close_there_is_no_form(browser: TestClient, sqlite: Database) -> None:
    token = read(browser).css_first("[name=csrf_token]")
    assert token is not None
    closed(sqlite)
    assert read(browser).css_first(FORM) is None
    values = {
        "csrf_token": token.attributes["value"] or "", "choice": "continue", "reason": "late",
    }  # fmt: skip
    assert browser.post(PAGE, data=values).status_code == 409
    assert log(sqlite).entries == ()


def test_an_unknown_campaign(browser: TestClient) -> None:
    assert browser.get("/campaigns/nowhere/decisions").status_code == 404


@pytest.mark.parametrize("language", ["en", "de", "vi"])
def test_the_page_is_there_in_each_language(
    browser: TestClient, sqlite: Database, language: str
) -> None:
    submit(browser, PAGE, FORM, {"choice": "continue", "reason": "within 1.3 times"})
    response = browser.get(PAGE, headers={"Accept-Language": language})
    assert response.headers["content-language"] == language
    ids = [node.attributes["id"] for node in LexborHTMLParser(response.text).css("[id]")]
    assert len(ids) == len(set(ids))
