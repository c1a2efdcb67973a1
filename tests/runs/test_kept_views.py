"""Views that are kept between readings say what a reading of everything would say."""

from __future__ import annotations

import random
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.db import Database, open_database
from app.errors import AppError
from app.runs import commands, queries
from app.runs.queries import viewed
from app.settings import Settings
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import ID, event, opened, recorded, run

RUNS = ("a-01", "a-02", "b-01")


def _same(database: Database, now: datetime) -> None:
    with database.read() as session:
        kept = queries.runs_of(session, ID, now)
        everything = viewed.views(session, ID, viewed.runs_in(ID), now)
    assert kept == everything


def _something(draw: random.Random, database: Database, now: datetime) -> None:
    """An event in or out of order, of any attempt, or what a person does; it may be refused."""
    run_id = draw.choice(RUNS)
    acts = (commands.archive, commands.bring_back, commands.mark_lost, commands.ask_to_stop)
    if draw.random() < 0.25:
        act = draw.choice(acts)
        try:
            database.write(ID, lambda tx: act(tx, ID, run_id, "why", actor=PERSON, now=now))
        except AppError:
            return
        return
    attempt = draw.choice("123") * 32
    kind = draw.choice(("start", "beat", "beat", "beat", "checkpoint", "fail", "finish"))
    said: dict[str, Any] = (
        {"metrics": {"loss": draw.choice((0.3, "nan"))}} if kind == "beat" else {}
    )
    one = event(draw.randint(1, 9), kind, run=run_id, attempt_id=attempt, **said)
    recorded(database, one, now=now)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_in_between(database: Database, seed: int) -> None:
    opened(database)
    draw = random.Random(seed)
    now = NOW
    for _ in range(40):
        now += timedelta(seconds=draw.choice((1, 60, 4000)))
        _something(draw, database, now)
        if draw.random() < 0.6:
            _same(database, now)
    _same(database, now)


def test_no_more_is_kept_than_was_agreed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(database)
    monkeypatch.setattr(viewed, "MOST_KEPT", 2)
    for number in range(1, 5):
        recorded(database, event(1, "start", run=f"a-0{number}"))
        _same(database, NOW)
        recorded(database, event(2, "finish", run=f"a-0{number}"))
        _same(database, NOW)
    assert run(database, "a-04").status == "completed"


def test_two_databases_keep_apart(
    sqlite: Database, settings: Settings, empty_sqlite: Path, tmp_path: Path
) -> None:
    """Campaign, run and event number are the same; the views are not."""
    other = settings.model_copy(update={"data": tmp_path})
    shutil.copy(empty_sqlite, other.sqlite_file)
    second = open_database(other)
    for database, code in ((sqlite, 3), (second, 4)):
        opened(database)
        recorded(database, event(1, "start"), event(2, "fail", exit_code=code))
        with database.read() as session:
            (found,) = queries.runs_of(session, ID, NOW)
        assert found.exit_code == code
    second.close()
