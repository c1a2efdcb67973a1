"""What comes after the close: kept apart, once, and without changing a figure."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from app import journal
from app.db import Database, WriteSession
from app.db.guards import unguard
from app.journal.audit import disagreements, rebuild
from app.runs import queries
from app.runs.commands.late import CAME_LATE
from app.runs.rules.values import MOST_SEQ
from tests.conftest import NOW
from tests.runs.campaigns import (
    FIRST,
    ID,
    SECOND,
    closed,
    event,
    opened,
    posted,
    recorded,
    refusals,
    run,
)

SAID = "the campaign is closed; kept as evidence that came late, it changes no figure"
TABLES = ("run_events", "attempts", "attempt_states", "runs", "stop_records", "restore_checks")


def _closed_with_one_run(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(2, progress=5, metrics={"loss": 0.5}))
    closed(database)


def _kept(database: Database) -> list[dict[str, Any]]:
    with database.read() as session:
        found = session.connection().execute(text("SELECT * FROM late_events ORDER BY number"))
        return [dict(row) for row in found.mappings()]


def _entries(database: Database) -> list[journal.Entry]:
    with database.read() as session:
        return journal.entries(session, ID, kind=CAME_LATE)


def _contents(database: Database) -> dict[str, list[Any]]:
    with database.read() as session:
        connection = session.connection()
        return {
            table: list(connection.execute(text(f"SELECT * FROM {table}")).all())
            for table in TABLES
        }


def test_late_events_move_nothing(database: Database) -> None:
    _closed_with_one_run(database)
    before, view = _contents(database), run(database)
    told = recorded(
        database,
        event(3, metrics={"loss": "nan"}),
        event(4, "finish", exit_code=0),
        event(1, "start", run="z-01", attempt_id=SECOND),
    )
    assert [str(one) for one in told.warnings] == [SAID]
    assert list(refusals(told)) == [None, None, None]
    assert [one["kind"] for one in _kept(database)] == ["beat", "finish", "start"]
    assert _contents(database) == before
    assert run(database) == view


def test_one_entry_for_each_run_and_attempt_of_a_batch(database: Database) -> None:
    _closed_with_one_run(database)
    told = recorded(
        database,
        event(3),
        event(7),
        event(2, source="rank-1"),
        event(9, run="b-01", attempt_id=SECOND),
    )
    first, second = _entries(database)
    assert {name: first.payload[name] for name in ("run", "attempt_id", "sources")} == {
        "run": "a-01",
        "attempt_id": FIRST,
        "sources": {
            "main": {"first": 3, "last": 7, "events": 2},
            "rank-1": {"first": 2, "last": 2, "events": 1},
        },
    }
    assert (second.payload["run"], len(str(second.payload["sha256"]))) == ("b-01", 64)
    assert told.head is not None
    assert told.head.number == second.number


def test_what_is_known_is_not_kept_again(database: Database) -> None:
    _closed_with_one_run(database)
    late = (event(3), event(4, "finish", exit_code=0))
    told = recorded(database, event(2, progress=5, metrics={"loss": 0.5}), *late, *late)
    assert [one.duplicate for one in told.results] == [True, False, False, True, True]
    again = recorded(database, *late)
    assert [one.duplicate for one in again.results] == [True, True]
    assert again.warnings == []
    assert (len(_kept(database)), len(_entries(database))) == (2, 1)


def test_a_shell_that_says_it_again_says_it_once(database: Database) -> None:
    opened(database)
    start = event(None, "start", attempt_id=None)
    posted(database, start)
    posted(database, event(None, "fail", attempt_id=None, exit_code=3))
    closed(database)
    assert posted(database, start).results[0].duplicate is True
    assert posted(database, event(None, "fail", attempt_id=None, exit_code=3)).results[0].duplicate
    end = event(None, "finish", attempt_id=None, exit_code=0)
    assert [posted(database, end).results[0].duplicate for _ in range(3)] == [False, True, True]
    (kept,) = _kept(database)
    assert (kept["kind"], kept["attempt_id"], kept["seq"]) == ("finish", "shell", 3)


def test_an_unseen_run_has_no_status(database: Database) -> None:
    _closed_with_one_run(database)
    told = posted(database, event(1, "start", run="z-01", attempt_id=SECOND))
    assert (told.run, told.status, told.attempt, told.missing) == ("z-01", None, None, ())
    other = posted(database, event(5, attempt_id=SECOND))
    assert (other.status, other.attempt, other.missing) == ("running", None, ())


def test_another_configuration_is_evidence_too(database: Database) -> None:
    _closed_with_one_run(database)
    told = posted(database, event(1, "start", attempt_id=SECOND, config_sha256="b" * 64))
    assert told.results[0].refusal is None


def test_a_number_beyond_the_journals_is_refused_alone(database: Database) -> None:
    _closed_with_one_run(database)
    last = event(3, attempt_id=None) | {"seq": MOST_SEQ}
    bare = event(None, attempt_id=None, source="main")
    first, beyond, right = refusals(recorded(database, last, bare, event(4)))
    assert beyond is not None
    assert (first, beyond.field, right) == (None, "seq", None)


def test_a_beat_that_says_nothing_of_its_time_is_new_each_time(database: Database) -> None:
    _closed_with_one_run(database)
    bare = event(None, progress=7)
    assert [posted(database, bare).results[0].duplicate for _ in range(3)] == [False] * 3
    assert [one["seq"] for one in _kept(database)] == [1, 2, 3]


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "beat", "at": "2026-12-01T08:00:00Z"},
        {"kind": "beat", "elapsed_s": 60},
        {"kind": "beat", "event_id": "tick-1"},
        {"kind": "checkpoint", "progress": 100},
        {"kind": "stop", "reason_code": "operator"},
    ],
)
def test_what_is_known_again_is_kept_once(database: Database, said: dict[str, Any]) -> None:
    _closed_with_one_run(database)
    one = event(None, **said)
    assert [posted(database, one).results[0].duplicate for _ in range(2)] == [False, True]


def test_what_came_late_is_read_in_one_line(database: Database) -> None:
    _closed_with_one_run(database)
    recorded(database, event(3), event(4, "fail", reason_code="infra", reason_text="node gone"))
    recorded(database, event(1, "start", run="z-01", attempt_id=SECOND))
    with database.read() as session:
        run_a, run_z = queries.came_late(session, ID)
        assert queries.came_late(session, ID, "z-01") == (run_z,)
        assert queries.came_late(session, ID, "none") == ()
    assert str(run_a.said) == (
        "came after the close: 2 events; says: failed (infrastructure) Tue 01 Dec 2026, 08:00 UTC"
    )
    assert (run_a.run, run_a.reason_text, run_a.came_at) == ("a-01", "node gone", NOW)
    assert str(run_z.said) == "first heard of after the close: 1 event"
    assert (run_a.known, run_z.known) == (True, False)


@pytest.mark.parametrize("act", ["UPDATE late_events SET seq = 9", "DELETE FROM late_events"])
def test_late_events_are_only_appended(database: Database, act: str) -> None:
    _closed_with_one_run(database)
    recorded(database, event(3))
    with pytest.raises(DatabaseError, match="appended only"):
        database.write(ID, lambda tx: tx.connection.exec_driver_sql(act))
    assert len(_kept(database)) == 1


def test_audit_finds_a_late_event_that_was_changed(sqlite: Database) -> None:
    _closed_with_one_run(sqlite)
    recorded(sqlite, event(3, metrics={"loss": 0.4}))

    def found(tx: WriteSession) -> list[tuple[int | None, str]]:
        rebuild(tx)
        return [(one.entry, one.what) for one in disagreements(tx)]

    assert sqlite.write(ID, found) == []

    def changed(tx: WriteSession) -> None:
        unguard(tx.connection)
        tx.execute("UPDATE late_events SET payload = '{}'")

    sqlite.write(ID, changed)
    (entry,) = _entries(sqlite)
    assert sqlite.write(ID, found) == [(entry.number, "the events that came late for a-01 differ")]
