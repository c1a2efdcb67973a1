"""What the pages of runs say in words: remarks, short times, and the reasons of rules and ends."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.plan.rules.model import PlannedStopRule
from tests.runs.campaigns import event, opened, plan, recorded
from tests.runs.test_pages import rows, words
from tests.runs.test_run_page import URL, browser, facts, figures, page

__all__ = ["browser"]
CUT = PlannedStopRule("cut", "input_truncated")
LONG = PlannedStopRule("long", "overtime", after_hours=Decimal("1"))
INPUTS = {"pages": {"expected": 1200, "truncated": 12}}


def test_remarks_stand_under_the_status(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    failed = {"passed": False, "reason": "no file"}
    recorded(sqlite, event(1, "start", parent="a-00"), event(2, restore=failed))
    (row,) = rows(page(browser, ""), "runs")
    assert row[0] == "a-01"
    assert row[2] == "Running the restore check failed follows a-00"


def test_several_idle_rules_are_one_remark(browser: TestClient, sqlite: Database) -> None:
    rules = [PlannedStopRule(name, "non_finite", name) for name in ("loss", "norm")]
    opened(sqlite, plan(*rules))
    recorded(sqlite, event(1, "start"), event(2, elapsed_s=700, metrics={"acc": 1}))
    (row,) = rows(page(browser, ""), "runs")
    assert row[2] == "Running 2 rules have seen no value: loss, norm"


@pytest.mark.parametrize(("seconds", "shown"), [(0, "< 1 s"), (1, "1 s"), (65, "1 min 5 s")])
def test_machine_time_of_less_than_a_second_is_not_nothing(
    browser: TestClient, sqlite: Database, seconds: int, shown: str
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, "finish", elapsed_s=seconds))
    (row,) = rows(page(browser, ""), "runs")
    assert row[4] == shown
    assert words(page(browser, "").css_first("#runs > .note")).startswith(
        f"Machine time of these runs: {shown},"
    )
    tree = page(browser)
    assert figures(tree)["Machine time"].startswith(f"{shown} |")
    assert rows(tree, "attempts")[0][4] == shown
    assert browser.get(f"/api/v1{URL}/a-01").json()["machine_s"] == seconds


def test_why_a_rule_fired_is_said_from_the_facts(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite, plan(CUT))
    recorded(sqlite, event(1, "start"), event(2, inputs=INPUTS))
    sentence = "pages: 12 of 1,200 cut short"
    written = "12 of 1200 pages are truncated"
    (running,) = rows(page(browser, ""), "runs")
    assert running[2] == f"Running asked to stop: {sentence}"
    recorded(sqlite, event(3, "stop", rule="cut", reason_text=written, exit_code=0))
    assert rows(page(browser, ""), "stops")[0][0] == f"Rule cut {sentence}"
    tree = page(browser)
    assert words(tree.css_first("#run .reason")) == f"Rule cut: {sentence}"
    assert rows(tree, "attempts")[0][-1] == f"Rule cut: {sentence}"
    assert rows(tree, "rules")[0][3] == "12 of 1,200"
    assert f"In words {sentence}" in rows(tree, "events")[0][-1]
    assert written not in words(tree.css_first("main"))
    assert browser.get(f"/api/v1{URL}/a-01").json()["reason_text"] == written


def test_a_length_of_time_is_a_length_of_time(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite, plan(LONG))
    recorded(sqlite, event(1, "start"), event(2, elapsed_s=200_000))
    (line,) = rows(page(browser, ""), "stops")
    assert line[0] == "Rule long it took 2 d 7 h, longer than 1 h"
    assert line[2] == "2 d 7 h"
    assert rows(page(browser), "rules")[0][3] == "2 d 7 h"


def test_a_jobs_own_words_stay(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite, plan(CUT, PlannedStopRule("mine", "custom")))
    said = [{"rule": "mine", "text": "it smells"}, {"rule": "cut", "text": "half is gone"}]
    recorded(sqlite, event(1, "start"), event(2, fired=said, inputs=INPUTS))
    own, cut = sorted(row[0] for row in rows(page(browser, ""), "stops"))[::-1]
    assert own == "Rule mine it smells"
    assert cut.startswith("Rule cut pages: 12 of 1,200 cut short") or "half is gone" in cut


@pytest.mark.parametrize(
    ("fields", "shown", "registered"),
    [
        (
            {"reason_code": "infra", "reason_text": "signal 15", "signal": 15},
            "infrastructure, signal 15",
            "infrastructure signal 15",
        ),
        (
            {"reason_code": "operator", "reason_text": "interrupted, clean", "exit_code": 0},
            "by a person: interrupted, ended cleanly",
            "by a person interrupted, ended cleanly",
        ),
        (
            {"reason_code": "operator", "reason_text": "enough for today", "exit_code": 0},
            "by a person: enough for today",
            "by a person enough for today",
        ),
    ],
)
def test_an_end_says_each_thing_once(
    browser: TestClient, sqlite: Database, fields: dict[str, Any], shown: str, registered: str
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, "stop", **fields))
    tree = page(browser)
    assert words(tree.css_first("#run .reason")) == shown
    assert rows(page(browser, ""), "stops")[0][0] == registered


def test_why_a_restore_check_failed_is_told_once_in_words(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    reason = "--save reported 1 value of loss, 2 are needed"
    recorded(sqlite, event(1, "start"), event(2, restore={"passed": False, "reason": reason}))
    tree = page(browser)
    assert facts(tree, "#resume")["In words"] == "--save reported 1 of 2 values of loss"
    assert "failed: --save reported 1 of 2 values of loss" in rows(tree, "events")[0][-1]
