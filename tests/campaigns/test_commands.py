"""A campaign's header and its standing by the journal."""

from __future__ import annotations

import pytest

from app.campaigns.commands import refuse_closed, standing, write_header
from app.campaigns.queries import all_ids, header, headers
from app.db import Database, WriteSession
from app.errors import Closed, NotFound
from tests.conftest import NOW, PERSON
from tests.plan.drafts import saved, sealed, small


def _write(database: Database, id_: str, question: str) -> None:
    def command(tx: WriteSession) -> None:
        write_header(tx, id_, question=question, zone="UTC", currency="USD", actor=PERSON, now=NOW)

    database.write(id_, command)


def test_a_header_is_written_once_and_kept_up_to_date(database: Database) -> None:
    _write(database, "one", "First?")
    _write(database, "one", "Second?")
    with database.read() as session:
        head = header(session, "one")
    assert head is not None
    assert (head.question, head.created_at, head.state, head.version) == (
        "Second?",
        NOW,
        "draft",
        0,
    )


def test_campaigns_come_by_id_and_go_on_behind_one(database: Database) -> None:
    for id_ in ("b", "a", "c"):
        _write(database, id_, "?")
    with database.read() as session:
        assert [head.id for head in headers(session)] == ["a", "b", "c"]
        assert [head.id for head in headers(session, after="a", limit=1)] == ["b"]
        assert all_ids(session) == {"a", "b", "c"}
        assert header(session, "d") is None


def test_the_standing_follows_the_seal_and_the_close(database: Database) -> None:
    saved(database, small())
    assert database.write("small", lambda tx: standing(tx, "small")) == "draft"
    sealed(database, "small")
    assert database.write("small", lambda tx: refuse_closed(tx, "small")) == "sealed"

    def close(tx: WriteSession) -> None:
        tx.execute("UPDATE campaign_standings SET state = 'closed'")

    database.write("small", close)
    with pytest.raises(Closed):
        database.write("small", lambda tx: refuse_closed(tx, "small"))
    with pytest.raises(NotFound):
        database.write("none", lambda tx: refuse_closed(tx, "none"))
