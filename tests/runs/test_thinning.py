"""A closed campaign loses most of its beats and nothing else: no figure, no proof."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from app import journal
from app.db import Database, WriteSession
from app.db.guards import deletable, guard, unguard
from app.errors import AppError, Conflict, NotFound
from app.journal.audit import contents, load_projectors
from app.journal.verify import rebuild_database, verify_database
from app.runs import commands
from app.runs.commands import Thinning
from app.runs.rules.thinning import HOUR_US, Line, removable
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import ID, SECOND, closed, event, opened, recorded, refusals

FIRED = {"rule": "loss-not-finite", "metric": "loss", "value": "nan", "act": "warn", "text": "nan"}
BEATS = 100
"""One each five minutes of the job's clock: more than eight hours."""
SHORT = ((1, "start"), (2, "beat"), (3, "finish"))


def _history() -> list[dict[str, Any]]:
    """A run of three sources with all that a beat may say, and one that is short."""
    found = [event(1, "start", source="wrapper", expect_next_s=90)]
    for n in range(1, BEATS + 1):
        more: dict[str, Any] = {"progress": n, "metrics": {"loss": 1 / n, "eval_f1": n / BEATS}}
        if n == 31:
            more["note"] = "the disk was slow"
        if n == 32:
            more["fired"] = [FIRED]
        if n == 33:
            more["metrics"] = {"note": 1.5, "loss": "nan"}
        found.append(event(n, at=_at(5 * n), elapsed_s=300 * n, **more))
        found.append(event(n, source="rank-1", at=_at(5 * n), metrics={"loss": n}))
    found.append(event(2, source="wrapper", at=_at(100), kind="checkpoint", path="ckpt/1", size=9))
    found.append(event(3, "fail", source="wrapper", at=_at(501), exit_code=1))
    second = [event(n, kind, run="b-01", attempt_id=SECOND) for n, kind in SHORT]
    return [*found, *second]


def _at(minutes: int) -> str:
    return f"2026-12-01T{minutes // 60:02}:{minutes % 60:02}:00Z"


def _thin(database: Database, *, dry: bool = False) -> Thinning:
    done: Thinning = database.write(
        ID, lambda tx: commands.thin(tx, ID, actor=PERSON, now=NOW, dry=dry)
    )
    return done


def _recorded(database: Database) -> None:
    load_projectors()
    opened(database)
    history = _history()
    # The last beat of all comes before some of the others, as from two boxes.
    history.insert(20, history.pop(-5))
    told = recorded(database, *history)
    assert [one for one in refusals(told) if one is not None] == []


def _numbers(database: Database) -> Mapping[tuple[str, str], list[int]]:
    """The events that are there: kind and source → numbers."""
    query = "SELECT kind, source, seq FROM run_events ORDER BY seq"
    found: dict[tuple[str, str], list[int]] = {}
    with database.read() as session:
        for kind, source, seq in session.connection().execute(text(query)):
            found.setdefault((kind, source), []).append(seq)
    return found


def _tables(database: Database) -> dict[str, list[str]]:
    with database.read() as session:
        return contents(session.connection(), journal.projected_tables())


def _shown(client: TestClient) -> dict[str, object]:
    """Pages and answers that tell of runs, without the list of single events, and without the
    journal's head, which an act moves."""
    found: dict[str, object] = {}
    for path in ("", "/runs", "/runs/a-01", "/timeline", "/budget", "/decisions", "/closing"):
        answer = client.get(f"/campaigns/{ID}{path}")
        assert answer.status_code == 200, path
        body = LexborHTMLParser(answer.text).body
        assert body is not None
        for listed in body.css("#events"):
            listed.decompose()
        found[path] = re.sub(r"[0-9a-f]{12,64}", "…", body.text(separator=" ", strip=True))
    for path in ("runs", "runs/a-01", "report"):
        found[f"api {path}"] = client.get(f"/api/v1/campaigns/{ID}/{path}").json()
    return found


def test_of_each_hour_the_first_and_the_last_beat_stay(database: Database) -> None:
    _recorded(database)
    closed(database)
    before = _numbers(database)
    done = _thin(database)
    after = _numbers(database)
    hours = [[n for n in range(1, BEATS + 1) if n * 5 // 60 == hour] for hour in range(9)]
    ends = sorted({n for hour in hours for n in (hour[0], hour[-1])})
    short = [2]
    assert after["beat", "main"] == sorted([*short, *{*ends, 31, 32}])
    assert after["beat", "rank-1"] == ends
    for kind, source in set(before) - {("beat", "main"), ("beat", "rank-1")}:
        assert after[kind, source] == before[kind, source]
    removed = sum(map(len, before.values())) - sum(map(len, after.values()))
    # The short run loses nothing, so it is none of those that were thinned.
    assert done == Thinning(1, removed, sum(map(len, after.values())) - len(SHORT))


def test_nothing_that_is_shown_or_proven_changes(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())
    _recorded(database)
    end = {"outcome": "negative", "conclusion": "None passes.", "close_with_open_points": True}
    assert client.post(f"/api/v1/campaigns/{ID}/close", json=end).status_code == 200
    assert verify_database(database.write_engine).findings == ()
    shown, tables, head = _shown(client), _tables(database), _head(database)
    assert _thin(database, dry=True).removed > 0
    assert (_tables(database), _head(database)) == (tables, head)
    _thin(database)
    assert _shown(client) == shown
    assert _tables(database) == tables
    assert verify_database(database.write_engine).findings == ()
    rebuild_database(database.write_engine)
    assert _tables(database) == tables
    assert _head(database).number == head.number + 1
    assert _thin(database) == Thinning(0, 0, 0)
    assert _head(database).number == head.number + 1


def _head(database: Database) -> journal.Head:
    with database.read() as session:
        return journal.read_head(session, ID)


def test_a_spool_that_comes_home_afterwards_changes_nothing_but_its_evidence(
    database: Database,
) -> None:
    _recorded(database)
    closed(database)
    _thin(database)
    tables = _tables(database)
    again = recorded(database, *_history())
    assert {result.duplicate for result in again.results} == {True}
    assert _tables(database) == tables
    late = [event(n, at=_at(5 * n), note="from the box") for n in range(BEATS + 1, BEATS + 4)]
    told = recorded(database, *late)
    assert [(one.duplicate, one.refusal) for one in told.results] == [(False, None)] * len(late)
    assert _tables(database) == tables
    assert verify_database(database.write_engine).findings == ()
    rebuild_database(database.write_engine)
    assert _tables(database) == tables
    assert _thin(database) == Thinning(0, 0, 0)


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE run_events SET payload = '{}' WHERE kind = 'beat' AND seq = 1",
        "UPDATE run_events SET at_us = at_us + 1 WHERE kind = 'checkpoint'",
        "UPDATE run_events SET payload = replace(payload, '1', '2') WHERE kind = 'fail'",
        "DELETE FROM run_events WHERE source = 'rank-1' AND seq = 11",
        "INSERT INTO run_events (attempt_key, source, seq, kind, at_us, received_us, payload)"
        " SELECT attempt_key, source, 2, kind, at_us, received_us, payload FROM run_events"
        " WHERE source = 'rank-1' AND seq = 1",
        "UPDATE thinned SET streams = replace(streams, '\"0.01\"', '\"0.02\"')",
        "UPDATE thinned SET streams = 'nothing'",
        "UPDATE thinned SET removed = removed + 1",
        "UPDATE thinned SET kept_sha256 = attempt_key",
        "UPDATE thinned SET number = 1",
        "DELETE FROM thinned",
    ],
)
def test_an_edit_after_it_is_found(database: Database, edit: str) -> None:
    _recorded(database)
    closed(database)
    _thin(database)
    assert verify_database(database.write_engine).findings == ()
    with database.write_engine.begin() as connection:
        unguard(connection)
        assert connection.execute(text(edit)).rowcount > 0
        guard(connection)
    rebuilt = "streams" in edit and "nothing" not in edit
    if rebuilt:
        # An owner who makes the tables agree with the edit is found all the same.
        rebuild_database(database.write_engine)
    assert verify_database(database.write_engine).findings != ()


@pytest.mark.parametrize(
    "statement", ["DELETE FROM run_events", "UPDATE run_events SET seq = 9", "DELETE FROM thinned"]
)
def test_the_guards_stand_again(database: Database, statement: str) -> None:
    _recorded(database)
    closed(database)
    _thin(database)
    with pytest.raises(Exception, match="appended only"):
        database.write(ID, lambda tx: tx.execute(statement))


def test_the_guards_stand_where_it_failed(database: Database) -> None:
    _recorded(database)

    def fails(tx: WriteSession) -> None:
        with deletable(tx.connection, "run_events"):
            tx.execute("DELETE FROM run_events")
            raise ZeroDivisionError

    before = _numbers(database)
    with pytest.raises(ZeroDivisionError):
        database.write(ID, fails)
    assert _numbers(database) == before
    with pytest.raises(Exception, match="appended only"):
        database.write(ID, lambda tx: tx.execute("DELETE FROM run_events"))


@pytest.mark.parametrize(("campaign", "refusal"), [(ID, Conflict), ("none", NotFound)])
def test_only_a_closed_campaign_is_thinned(
    database: Database, campaign: str, refusal: type[AppError]
) -> None:
    _recorded(database)
    before = _numbers(database)
    with pytest.raises(refusal):
        database.write(campaign, lambda tx: commands.thin(tx, campaign, actor=PERSON, now=NOW))
    assert _numbers(database) == before


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["beat", "beat", "beat", "checkpoint", "start", "clock"]),
            st.integers(0, 5 * HOUR_US),
            st.sampled_from([{}, {"progress": 1}, {"note": "x"}, {"metrics": {"note": 1}}]),
            st.sampled_from([False, False, False, True]),
        )
    )
)
def test_what_may_go_is_never_first_nor_last_nor_telling(
    history: Sequence[tuple[str, int, dict[str, Any], bool]],
) -> None:
    lines = [
        Line(number, kind, at_us, json.dumps(fields), has_context)
        for number, (kind, at_us, fields, has_context) in enumerate(history)
    ]
    gone = set(removable(lines))
    hours: dict[int, list[Line]] = {}
    for line in lines:
        if line.kind == "beat":
            hours.setdefault(line.at_us // HOUR_US, []).append(line)
    wanted = {
        line.number
        for beats in hours.values()
        for line in beats[1:-1]
        if not line.has_context and "note" not in json.loads(line.payload)
    }
    assert gone == wanted
