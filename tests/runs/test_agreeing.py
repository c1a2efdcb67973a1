"""What a decision rests on stands in the journal, and events that say otherwise are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import text

from app import journal
from app.db import Database
from app.db.guards import guard, unguard
from app.journal.verify import rebuild_database, verify_database
from tests.runs.campaigns import ID, event, opened, posted, recorded


def _ends(database: Database) -> list[Mapping[str, Any]]:
    with database.read() as session:
        return [entry.payload for entry in journal.entries(session, ID, kind="run.ended")]


def _finished(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start", config={"corpora": {"eval": "e" * 64}}))
    recorded(database, event(2, metrics={"loss": 0.5}), event(3, metrics={"loss": 0.25}))
    posted(database, event(4, "finish", metrics={"eval_f1": 0.83}, exit_code=0))


def test_the_end_carries_the_values_and_the_corpora(database: Database) -> None:
    _finished(database)
    (end,) = _ends(database)
    assert end["metrics"]["f1"] == {"last": "0.83", "low": "0.83", "high": "0.83", "final": "0.83"}
    assert end["metrics"]["loss"] == {"last": "0.25", "low": "0.25", "high": "0.5"}
    assert end["corpora"] == {"eval": "e" * 64}


def test_values_that_come_after_the_end_are_written_again(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start"))
    posted(database, event(1, "finish", source="wrapper", exit_code=0))
    posted(database, event(2, progress=9))
    assert len(_ends(database)) == 1
    posted(database, event(3, metrics={"eval_f1": 0.79}))
    first, second = _ends(database)
    assert "f1" not in first["metrics"]
    assert (second["metrics"]["f1"]["last"], second["corrects"]) == ("0.79", "completed")
    assert verify_database(database.write_engine).findings == ()


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (
            "UPDATE run_events SET payload = replace(payload, '0.83', '0.93') WHERE seq = 4",
            "metrics",
        ),
        (
            "UPDATE run_events SET payload = replace(payload, 'eeee', 'ffff') WHERE seq = 1",
            "corpora",
        ),
        ("UPDATE run_events SET kind = 'fail' WHERE seq = 4", "status"),
        ("DELETE FROM run_events WHERE seq = 4", "end"),
    ],
)
def test_an_event_that_was_edited_is_found_though_the_tables_were_made_to_fit(
    database: Database, statement: str, what: str
) -> None:
    """The owner edits an event and makes the tables again from it: the journal knows better."""
    _finished(database)
    assert verify_database(database.write_engine).findings == ()
    with database.write_engine.begin() as connection:
        unguard(connection)
        connection.execute(text(statement))
        guard(connection)
    rebuild_database(database.write_engine)
    (found,) = verify_database(database.write_engine).findings
    (end,) = (number for number, kind in _kinds(database) if kind == "run.ended")
    assert (found.campaign_id, found.entry) == (ID, end)
    assert what in found.what.rpartition(":")[2]


def _kinds(database: Database) -> list[tuple[int, str]]:
    with database.read() as session:
        return [(entry.number, entry.kind) for entry in journal.entries(session, ID)]
