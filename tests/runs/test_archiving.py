"""Runs that a person puts away and brings back: journalled, counted, closed to new events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from app import journal
from app.db import Database
from app.errors import Closed, Conflict, Gone, Malformed, NotFound
from app.runs import commands, queries
from app.runs.commands import Act
from app.runs.rules.archiving import may_be_archived
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import (
    ID,
    SECOND,
    closed,
    event,
    opened,
    posted,
    recorded,
    refusals,
    run,
    token,
)

LATER = NOW + timedelta(hours=3)


def _do(
    database: Database, act: Act, run_id: str = "a-01", reason: str = "a slip", *, hours: int = 0
) -> None:
    now = NOW + timedelta(hours=hours)
    database.write(ID, lambda tx: act(tx, ID, run_id, reason, actor=PERSON, now=now))


def _ended(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(2), event(3, "fail", exit_code=1))


def _listed(database: Database, archived: bool | None) -> Sequence[str]:
    with database.read() as session:
        return [one.id for one in queries.page_of_runs(session, ID, NOW, archived=archived).items]


@pytest.mark.parametrize(
    ("status", "silent", "may"),
    [
        ("planned", False, False), ("planned", True, True), ("running", False, False),
        ("running", True, False), ("completed", False, True), ("failed", False, True),
        ("stopped", False, True), ("lost", False, True),
    ],
)  # fmt: skip
def test_what_does_not_go_on_may_be_put_away(status: str, silent: bool, may: bool) -> None:
    assert may_be_archived(status, silent=silent) is may


def test_a_run_is_put_away_and_brought_back(database: Database) -> None:
    _ended(database)
    recorded(database, event(1, "start", run="b-01", attempt_id=SECOND))
    before = run(database)
    _do(database, commands.archive)
    assert run(database).archived is True
    assert (_listed(database, False), _listed(database, True)) == (["b-01"], ["a-01"])
    assert _listed(database, None) == ["a-01", "b-01"]
    with database.read() as session:
        assert [one.archived for one in queries.runs_of(session, ID, NOW)] == [True, False]
        assert queries.archivals_of(session, ID)["a-01"].reason == "a slip"
    _do(database, commands.bring_back, reason="")
    assert run(database) == before
    assert _listed(database, True) == []
    _do(database, commands.archive, reason="after all")
    with database.read() as session:
        entries = journal.entries(session, ID, kind="run.archived")
    assert [entry.payload["archived"] for entry in entries] == [True, False, True]
    assert entries[0].actor == PERSON


def test_new_events_of_an_archived_run_are_gone_and_known_ones_are_not(
    database: Database,
) -> None:
    _ended(database)
    _do(database, commands.archive)
    known, beat, start, other = refusals(
        recorded(
            database,
            event(2),
            event(4),
            event(1, "start", attempt_id=SECOND),
            event(1, "start", run="b-01", attempt_id="3" * 32),
        )
    )
    assert (known, other) == (None, None)
    for refusal in (beat, start):
        assert isinstance(refusal, Gone)
        assert "Bring it back" in str(refusal.detail)
    with pytest.raises(Gone):
        posted(database, event(None, "finish", attempt_id=None, exit_code=0))
    assert len(run(database).attempts) == 1
    _do(database, commands.bring_back, reason="")
    assert list(refusals(recorded(database, event(4)))) == [None]


def test_what_may_not_be_archived(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start"))
    posted(database, event(2, run="p-01", attempt_id=SECOND))
    with pytest.raises(NotFound):
        _do(database, commands.archive, "none")
    for name in ("a-01", "p-01"):
        with pytest.raises(Conflict, match="still goes on"):
            _do(database, commands.archive, name)
    with pytest.raises(Conflict, match="still goes on"):
        _do(database, commands.archive, "a-01", hours=3)
    _do(database, commands.archive, "p-01", hours=3)
    with pytest.raises(Conflict, match="already"):
        _do(database, commands.archive, "p-01", "another reason", hours=3)
    with pytest.raises(Gone):
        _do(database, commands.mark_lost, "p-01", hours=3)


def test_said_twice_it_is_written_once(database: Database) -> None:
    _ended(database)
    for act in (commands.archive, commands.bring_back):
        for _ in range(2):
            _do(database, act)
    with database.read() as session:
        entries = journal.entries(session, ID, kind="run.archived")
    assert [entry.payload["archived"] for entry in entries] == [True, False]


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_reason_is_needed(database: Database, reason: str) -> None:
    _ended(database)
    with pytest.raises(Malformed) as caught:
        _do(database, commands.archive, reason=reason)
    assert caught.value.field == "reason"


def test_after_the_close_nothing_is_put_away_and_evidence_is_kept(database: Database) -> None:
    _ended(database)
    _do(database, commands.archive)
    closed(database)
    with pytest.raises(Closed):
        _do(database, commands.bring_back)
    assert list(refusals(recorded(database, event(4)))) == [None]


def test_the_api_says_and_does_it(client: TestClient, database: Database) -> None:
    _ended(database)
    job = token(client)
    address = f"/api/v1/campaigns/{ID}/runs"
    assert client.post(f"{address}/a-01/archive", json={"reason": ""}).status_code == 422
    assert client.post(f"{address}/a-01/archive", json={"reason": "a slip"}).status_code == 204
    assert client.get(f"{address}/a-01").json()["archived"] is True
    assert [one["id"] for one in client.get(address).json()["items"]] == ["a-01"]
    assert client.get(f"{address}?archived=false").json()["items"] == []
    assert len(client.get(f"{address}?archived=true").json()["items"]) == 1
    answer = client.post("/api/v1/runs/a-01/beat", json=_numbered(9), headers=job)
    assert (answer.status_code, answer.json()["type"]) == (410, "/problems/archived")
    assert answer.json()["run"] == "a-01"
    known = client.post("/api/v1/runs/a-01/beat", json=_numbered(2), headers=job)
    assert (known.status_code, known.json()["duplicate"]) == (200, True)
    assert client.post(f"{address}/a-01/bring-back", json={"reason": ""}).status_code == 204
    assert client.post("/api/v1/runs/a-01/beat", json=_numbered(9), headers=job).status_code == 200


def _numbered(seq: int) -> dict[str, object]:
    return {name: value for name, value in event(seq).items() if name != "kind"}


def test_a_refusal_is_a_result_of_a_batch(client: TestClient, database: Database) -> None:
    _ended(database)
    _do(database, commands.archive)
    answer = client.post(
        "/api/v1/events", json={"events": [event(2), event(9)]}, headers=token(client)
    )
    assert [one["status"] for one in answer.json()["results"]] == [200, 410]
