"""Every plan that is saved is judged, and what is wrong with our schedule never loses it."""

from __future__ import annotations

import ast
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import app
from app.db import Database
from app.exchange.rules import write_campaign_file
from app.offers.queries import catalogue
from app.plan import queries
from app.plan.commands import judge
from app.plan.queries import draft
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Plan
from app.plan.rules.schedule import Kept, Schedule, keep_plan
from tests.plan.drafts import sample, small


@pytest.fixture
def overlapping(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A planner with a fault: everything begins at hour 0."""

    def faulty(plan: Plan, lots: tuple[LotWindow, ...]) -> Kept:
        made = keep_plan(plan, lots).schedule
        moved = tuple(
            replace(bar, start_min=0, end_min=bar.end_min - bar.start_min)
            for bar in made.placements
        )
        return Kept(replace(made, placements=moved))

    monkeypatch.setattr(queries, "keep_plan", faulty)
    queries._placed.cache_clear()
    yield
    queries._placed.cache_clear()


@pytest.fixture
def in_production() -> Iterator[list[logging.LogRecord]]:
    """The log as a server keeps it, without the handler that makes faults fail tests."""
    log = logging.getLogger("punktum.plan")
    kept, log.handlers = log.handlers, []
    records: list[logging.LogRecord] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    log.addHandler(Keeping())
    yield records
    log.handlers = kept


def posted(client: TestClient, plan: Plan) -> int:
    return client.post(
        "/api/v1/campaigns",
        content=write_campaign_file(plan),
        headers={"Content-Type": "application/toml"},
    ).status_code


def test_a_schedule_of_ours_that_breaks_a_rule_fails_a_test(
    overlapping: None, database: Database
) -> None:
    with database.read() as session, pytest.raises(AssertionError, match="small: our schedule"):
        judge(session, small())


def test_in_production_it_is_logged_with_the_campaign_and_the_plan_is_kept(
    overlapping: None,
    in_production: list[logging.LogRecord],
    client: TestClient,
    database: Database,
) -> None:
    assert posted(client, small()) == 201

    with database.read() as session:
        view = draft(session, "small")
    assert view is not None
    assert [one.id for one in view.plan.steps] == ["prepare", "train", "retrieve"]
    assert in_production
    assert {record.levelname for record in in_production} == {"ERROR"}
    assert {vars(record)["campaign"] for record in in_production} == {"small"}


def test_a_planner_that_breaks_down_loses_nothing_either(
    monkeypatch: pytest.MonkeyPatch,
    in_production: list[logging.LogRecord],
    database: Database,
) -> None:
    def broken(plan: Plan, lots: tuple[LotWindow, ...]) -> Schedule:
        raise ZeroDivisionError

    monkeypatch.setattr(queries, "keep_plan", broken)
    queries._placed.cache_clear()
    with database.read() as session:
        judge(session, small())
    (record,) = in_production
    assert record.exc_info is not None


def test_sound_schedules_leave_the_log_alone(
    in_production: list[logging.LogRecord], database: Database
) -> None:
    with database.read() as session:
        for plan in (sample(), small(), replace(small(), lots=()), replace(small(), steps=())):
            judge(session, plan)
        assert catalogue(session)
    assert in_production == []


def test_no_door_saves_a_draft_that_was_not_judged() -> None:
    """Each function that runs `save_draft` in the writer calls `judge` before."""
    folder = Path(app.__file__).parent
    doors = [
        (file.relative_to(folder).as_posix(), function.name, _called(function))
        for file in folder.rglob("*.py")
        for function in ast.parse(file.read_text("utf-8")).body
        if isinstance(function, ast.FunctionDef) and "save_draft" in _called(function)
    ]
    assert len(doors) >= 4
    assert [door[:2] for door in doors if "judge" not in door[2]] == []


def _called(function: ast.FunctionDef) -> set[str]:
    return {
        node.func.id
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
