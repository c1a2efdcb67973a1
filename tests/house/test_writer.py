"""The single writer: groups, refusals, failures, and the append-only journal."""

from __future__ import annotations

import functools
import threading

import pytest
from sqlalchemy.exc import DBAPIError

from app import journal
from app.campaigns.commands import write_header
from app.db import Database, WriteSession
from app.errors import Conflict
from app.texts import text
from tests.conftest import NOW, PERSON


def _open(database: Database, campaign_id: str = "one") -> None:
    database.write(
        campaign_id,
        lambda tx: write_header(
            tx, campaign_id, question="Which?", zone="UTC", currency="USD", actor=PERSON, now=NOW
        ),
    )


def test_a_command_is_readable_after_its_answer(database: Database) -> None:
    _open(database)
    entry = database.write(
        "one", lambda tx: journal.append(tx, "one", "note.made", PERSON, {"a": 1}, NOW)
    )
    with database.read() as session:
        assert [e.sha256 for e in journal.entries(session, "one")] == [entry.sha256]
        assert journal.read_head(session, "one") == journal.Head(1, entry.sha256)


def test_a_refusal_leaves_its_neighbours_alone(database: Database) -> None:
    _open(database)

    def refused(_tx: WriteSession) -> None:
        raise Conflict(text("No."))

    results: list[object] = []

    def post(number: int) -> None:
        try:
            if number % 3 == 0:
                database.write("one", refused)
            else:
                results.append(
                    database.write(
                        "one",
                        lambda tx: (
                            journal.append(tx, "one", "n", PERSON, {"n": number}, NOW).number
                        ),
                    )
                )
        except Conflict as refusal:
            results.append(refusal)

    threads = [threading.Thread(target=post, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(n for n in results if isinstance(n, int)) == list(range(1, 41))
    assert sum(isinstance(n, Conflict) for n in results) == 20


def test_a_failing_command_is_rolled_back_alone(database: Database) -> None:
    _open(database)

    def broken(tx: WriteSession) -> None:
        journal.append(tx, "one", "n", PERSON, {}, NOW)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.write("one", broken)
    with database.read() as session:
        assert journal.entries(session, "one") == []
    database.write("one", lambda tx: journal.append(tx, "one", "n", PERSON, {}, NOW))


def _execute(statement: str, tx: WriteSession) -> None:
    tx.connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal SET payload = '{}'",
        "DELETE FROM journal",
        "INSERT INTO journal (id, campaign_id, number, at, actor_kind, actor_name, kind, payload,"
        " previous_sha256, sha256) SELECT 99, campaign_id, number, at, actor_kind, actor_name,"
        " kind, '{}', previous_sha256, sha256 FROM journal",
    ],
)
def test_history_cannot_be_rewritten(database: Database, statement: str) -> None:
    _open(database)
    database.write("one", lambda tx: journal.append(tx, "one", "n", PERSON, {"kept": True}, NOW))
    forms = [statement]
    if statement.startswith("INSERT") and not database.is_postgres:
        forms.append(statement.replace("INSERT", "INSERT OR REPLACE", 1))
    if statement.startswith("DELETE") and database.is_postgres:
        forms.append("TRUNCATE journal")
    for form in forms:
        with pytest.raises(DBAPIError if not database.is_postgres else Exception):
            database.write("one", functools.partial(_execute, form))
    with database.read() as session:
        assert journal.entries(session, "one")[0].payload == {"kept": True}


def test_readers_cannot_write(database: Database) -> None:
    with database.read() as session, pytest.raises(DBAPIError):
        session.connection().exec_driver_sql("DELETE FROM campaigns")
