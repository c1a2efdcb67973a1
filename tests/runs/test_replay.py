"""The record is the same whatever the order, the batches and the number of replays; and it can be
made again from the events alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app import journal
from app.db import Database, WriteSession
from app.db.guards import guard, unguard
from app.journal.audit import contents, rebuild
from app.runs import commands, queries
from app.runs.queries import RunView, StopRecordView
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import BEGAN, FIRST, ID, SECOND, event, opened, recorded, run

FIRED = {
    "rule": "loss-not-finite",
    "metric": "loss",
    "value": "nan",
    "act": "stop",
    "text": "loss is nan",
}
STORY = [
    event(1, "start", source="wrapper", expect_next_s=90, config={"params": {"lr": "0.1"}}),
    event(2, source="wrapper", note="terminal gone, the run continues"),
    event(
        3,
        "fail",
        source="wrapper",
        exit_code=1,
        reason_text="loss is nan",
        at=(BEGAN + timedelta(seconds=9)).isoformat(),
        elapsed_s=8,
    ),
    event(1, progress=10, total=100, metrics={"loss": 0.9, "eval_f1": 0.4}),
    event(2, progress=20, metrics={"loss": 0.7, "eval_f1": 0.45}),
    event(3, "checkpoint", path="ckpt/1", size=4096, states=["parameters"]),
    event(4, progress=30, metrics={"loss": "nan"}, fired=[FIRED]),
    event(5, progress=31, metrics={"loss": "nan"}),
    event(
        6,
        progress=32,
        metrics={"loss": 0.3},
        judged={"loss-not-finite": {"evaluated": 99, "hits": 0}},
    ),
]


def _timeless(view: RunView) -> RunView:
    """Without what only our clock says."""
    attempts = tuple(replace(one, received_at=None, due_at=None) for one in view.attempts)
    return replace(view, attempts=attempts)


def _register(database: Database) -> list[StopRecordView]:
    with database.read() as session:
        found = queries.stop_records(session, ID)
    return [replace(one, number=0, recorded_at=NOW) for one in found]


def _replayed(database: Database, order: Sequence[dict[str, Any]], chance: random.Random) -> None:
    left, now = list(order), NOW
    while left:
        size = chance.randint(1, 4)
        recorded(database, *left[:size], now=now)
        left, now = left[size:], now + timedelta(seconds=1)


@pytest.mark.parametrize("seed", range(12))
def test_any_order_and_number_give_the_identical_record(database: Database, seed: int) -> None:
    opened(database)
    recorded(database, *[{**one, "run": "straight"} for one in STORY])
    chance = random.Random(seed)
    order = [*STORY, *chance.choices(STORY, k=4)]
    chance.shuffle(order)
    _replayed(database, order, chance)
    wanted, found = _timeless(run(database, "straight")), _timeless(run(database))
    assert replace(found, id="straight") == wanted
    lines = [replace(one, run="") for one in _register(database)]
    assert [one for one in lines if lines.count(one) != 2] == []
    _replayed(database, STORY, chance)
    assert _timeless(run(database)) == found


def test_a_rule_that_fires_on_an_earlier_value_is_written_again(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(3, metrics={"loss": "nan"}))
    recorded(database, event(2, metrics={"loss": "inf"}))
    with database.read() as session:
        (line,) = queries.stop_records(session, ID)
        entries = journal.entries(session, ID, kind="run.stop_recorded")
    assert (line.value, line.at) == ("inf", run(database).fired[0].at)
    assert [entry.payload["value"] for entry in entries] == ["nan", "inf"]


def test_an_earlier_attempt_that_comes_home_late_changes_no_figure_of_the_end(
    database: Database,
) -> None:
    opened(database)
    recorded(
        database,
        event(50, "start", attempt_id=SECOND, gone_attempts=[FIRST]),
        event(51, "finish", attempt_id=SECOND),
    )
    told = recorded(
        database, *[event(seq, kind) for seq, kind in ((1, "start"), (2, "beat"), (9, "beat"))]
    )
    assert (told.status, told.attempt) == ("completed", 2)
    found = run(database)
    assert (found.status, found.attempt) == ("completed", 1)
    assert [one.late for one in found.attempts] == [False, True]


def test_rebuild_makes_every_row_again(database: Database) -> None:
    opened(database)
    chance = random.Random(7)
    order = [*STORY]
    chance.shuffle(order)
    _replayed(database, order, chance)
    recorded(database, *[{**one, "run": "b-01", "attempt_id": SECOND} for one in STORY[4:]])
    recorded(database, event(1, "start", run="c-01", attempt_id="3" * 32))
    later = NOW + timedelta(days=2)
    recorded(database, event(1, "start", run="c-01", attempt_id="4" * 32), now=later)
    recorded(
        database, event(2, "stop", run="c-01", attempt_id="4" * 32, reason_code="infra"), now=later
    )

    def act(tx: WriteSession) -> object:
        return commands.log_time(
            tx, ID, "prepare", NOW - timedelta(hours=3), None, "", actor=PERSON, now=NOW
        )

    database.write(ID, act)
    tables = frozenset({"runs", "attempt_states", "stop_records", "spans"})

    def command(tx: WriteSession) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        tx.wrote = True
        before = contents(tx.connection, tables)
        rebuild(tx)
        return before, contents(tx.connection, tables)

    before, after = database.write(ID, command)
    assert all(before[table] for table in tables)
    assert after == before
    recorded(database, event(3, run="c-01", attempt_id="4" * 32), now=later)


def test_a_changed_row_is_not_what_the_events_say(database: Database) -> None:
    opened(database)
    recorded(database, *STORY)

    def command(tx: WriteSession) -> bool:
        tx.execute("UPDATE runs SET status = 'completed'")
        before = contents(tx.connection, frozenset({"runs"}))
        rebuild(tx)
        return before == contents(tx.connection, frozenset({"runs"}))

    assert database.write(ID, command) is False
    assert run(database).status == "stopped"


@pytest.mark.parametrize("table", ["run_events", "attempts", "stop_records"])
def test_the_database_itself_keeps_what_was_appended(database: Database, table: str) -> None:
    opened(database)
    recorded(database, *STORY)
    column = {"run_events": "payload", "attempts": "run_id", "stop_records": "text"}[table]
    for statement in (f"UPDATE {table} SET {column} = 'x'", f"DELETE FROM {table}"):

        def command(tx: WriteSession, statement: str = statement) -> int:
            return tx.execute(statement)

        with pytest.raises(Exception, match="appended only"):
            database.write(ID, command)

    def without(tx: WriteSession) -> int:
        unguard(tx.connection)
        changed = tx.execute(f"UPDATE {table} SET {column} = {column}")
        guard(tx.connection)
        return changed

    assert database.write(ID, without) > 0
