"""What people say of runs, and people's own time, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.db import Database, WriteSession
from app.errors import AppError, Closed, Conflict, Malformed, NotFound
from app.runs import commands, queries
from app.runs.commands import Logged
from app.runs.queries import SpanView
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import ID, SECOND, closed, event, opened, posted, recorded, run

LATER = NOW + timedelta(hours=3)
HOUR = timedelta(hours=1)


def _say(
    database: Database, act: commands.Act, reason: str = "the box is gone", now: datetime = LATER
) -> None:
    database.write(ID, lambda tx: act(tx, ID, "a-01", reason, actor=PERSON, now=now))


def _started(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start", expect_next_s=60), event(2, progress=3))


def test_a_silent_run_is_marked_lost_and_corrected_by_its_end(database: Database) -> None:
    _started(database)
    _say(database, commands.mark_lost)
    lost = run(database, now=LATER)
    assert (lost.status, lost.silent, lost.reason_text, lost.ended_at) == (
        "lost", False, "the box is gone", lost.last_seen_at,
    )  # fmt: skip
    assert posted(database, event(3, "finish", exit_code=0), now=LATER).status == "completed"
    assert run(database, now=LATER).status == "completed"


def test_a_silent_run_is_marked_stopped(database: Database) -> None:
    _started(database)
    _say(database, commands.mark_stopped, "ended on the console")
    assert run(database, now=LATER).status == "stopped"
    with database.read() as session:
        (line,) = queries.stop_records(session, ID)
    assert (line.actor_kind, line.actor_name, line.reason_code, line.text) == (
        "person", "local", "operator", "ended on the console",
    )  # fmt: skip


@pytest.mark.parametrize("act", [commands.mark_lost, commands.mark_stopped])
def test_a_run_that_reports_is_not_closed_by_a_person(
    database: Database, act: commands.Act
) -> None:
    _started(database)
    with pytest.raises(Conflict, match="still reports"):
        _say(database, act, now=NOW + timedelta(seconds=30))


def test_a_person_asks_a_job_to_stop(database: Database) -> None:
    _started(database)
    _say(database, commands.ask_to_stop, "wrong corpus", now=NOW)
    told = posted(database, event(3))
    assert told.stop is not None
    assert (told.stop.rule, told.stop.text, told.status) == (None, "wrong corpus", "running")
    ended = posted(database, event(4, "stop", reason_code="operator", signal=2))
    assert ended.status == "stopped"
    with database.read() as session:
        lines = queries.stop_records(session, ID)
    assert [(line.actor_kind, line.text) for line in lines] == [("person", "wrong corpus")]


def test_the_attempt_that_takes_over_is_asked_as_well(database: Database) -> None:
    """It is the run that was asked, on whichever box it goes on."""
    _started(database)
    _say(database, commands.ask_to_stop, "seen enough", now=NOW)
    for number, attempt in enumerate((SECOND, "3" * 32), start=2):
        again = event(1, "start", attempt_id=attempt, host="box-2", takeover=True)
        told = posted(database, again, now=LATER)
        assert (told.attempt, told.stop and told.stop.text) == (number, "seen enough")
        later = posted(database, event(2, attempt_id=attempt), now=LATER)
        assert later.stop is not None
        found = run(database, now=LATER)
        assert found.stop_asked is not None
        assert (found.stop_asked.text, found.status) == ("seen enough", "running")
    ended = posted(database, event(3, "stop", attempt_id="3" * 32, reason_code="operator"))
    assert ended.status == "stopped"


@pytest.mark.parametrize("numbered", [True, False])
def test_what_a_person_stopped_stays_stopped_whatever_the_job_says_later(
    database: Database, numbered: bool
) -> None:
    _started(database)
    _say(database, commands.mark_stopped, "ended on the console", now=LATER)
    end = event(3 if numbered else None, "finish", exit_code=0)
    if numbered:
        told = posted(database, end, now=LATER)
        assert [str(one) for one in told.warnings] == [
            "a-01 is stopped; this is kept as late evidence"
        ]
    else:
        with pytest.raises(Conflict):
            posted(database, {**end, "attempt_id": None}, now=LATER)
    assert run(database).status == "stopped"
    with database.read() as session:
        (line,) = queries.stop_records(session, ID)
    assert (line.actor_kind, line.text) == ("person", "ended on the console")


@pytest.mark.parametrize("act", [commands.mark_lost, commands.mark_stopped, commands.ask_to_stop])
def test_an_ended_run_takes_no_such_word(database: Database, act: commands.Act) -> None:
    _started(database)
    posted(database, event(3, "finish"))
    with pytest.raises(Conflict, match="completed"):
        _say(database, act)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_reason_is_needed(database: Database, reason: str) -> None:
    _started(database)
    with pytest.raises(Malformed) as caught:
        _say(database, commands.mark_lost, reason)
    assert caught.value.field == "reason"


def test_what_is_not_there_cannot_be_lost(database: Database) -> None:
    opened(database)
    with pytest.raises(NotFound):
        _say(database, commands.mark_lost)


def test_after_the_close_no_word_is_taken(database: Database) -> None:
    _started(database)
    closed(database)
    with pytest.raises(Closed):
        _say(database, commands.mark_lost)
    with pytest.raises(Closed):
        _log(database, NOW - HOUR, NOW)


def _do(database: Database, act: Callable[[WriteSession], Logged | AppError | None]) -> Any:
    return database.write(ID, act)


def _log(
    database: Database, start: datetime, end: datetime | None = None, step: str = "prepare"
) -> Logged:
    done = _do(
        database, lambda tx: commands.log_time(tx, ID, step, start, end, "", actor=PERSON, now=NOW)
    )
    assert isinstance(done, Logged)
    return done


def _spans(database: Database) -> tuple[SpanView, ...]:
    with database.read() as session:
        return queries.spans_of(session, ID)


def test_time_is_started_and_stopped(database: Database) -> None:
    opened(database)
    going = _log(database, NOW - 3 * HOUR)
    assert _spans(database)[0].ended_at is None
    _do(
        database,
        lambda tx: commands.stop_time(
            tx, ID, "prepare", NOW, "all ids there", actor=PERSON, now=NOW
        ),
    )
    (span,) = _spans(database)
    assert (span.number, span.ended_at, span.note, span.person) == (
        going.number,
        NOW,
        "all ids there",
        "local",
    )
    with pytest.raises(Conflict, match="No time"):
        _do(
            database,
            lambda tx: commands.stop_time(tx, ID, "prepare", NOW, "", actor=PERSON, now=NOW),
        )


def test_a_whole_span_is_logged_once(database: Database) -> None:
    opened(database)
    first = _log(database, NOW - 3 * HOUR, NOW - HOUR)
    again = _log(database, NOW - 3 * HOUR, NOW - HOUR)
    assert (first.is_new, again.is_new, again.number) == (True, False, first.number)
    with pytest.raises(Malformed, match="overlaps"):
        _log(database, NOW - 2 * HOUR, NOW)


def test_the_same_start_with_an_end_ends_what_goes_on(database: Database) -> None:
    opened(database)
    _log(database, NOW - 3 * HOUR)
    with pytest.raises(Conflict, match="running since"):
        _log(database, NOW - HOUR)
    _log(database, NOW - 3 * HOUR, NOW - HOUR)
    assert [span.ended_at for span in _spans(database)] == [NOW - HOUR]


def test_a_wrong_span_is_withdrawn(database: Database) -> None:
    opened(database)
    span = _log(database, NOW - 3 * HOUR, NOW - HOUR)
    _do(database, lambda tx: commands.withdraw_time(tx, ID, span.number, actor=PERSON, now=NOW))
    assert _spans(database) == ()
    _log(database, NOW - 2 * HOUR, NOW)
    with pytest.raises(NotFound):
        _do(database, lambda tx: commands.withdraw_time(tx, ID, span.number, actor=PERSON, now=NOW))


def test_an_unknown_step_is_named_with_the_nearest(database: Database) -> None:
    opened(database)
    with pytest.raises(NotFound, match="did you mean prepare") as caught:
        _log(database, NOW - HOUR, NOW, step="prepair")
    assert caught.value.allowed == ("prepare", "control", "variant-a")


def test_events_are_read_page_by_page_each_once(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start", source="wrapper"), event(3), event(1), event(2))
    for seq in range(2, 9):
        recorded(database, event(seq, source="wrapper"), event(seq + 2))
    recorded(
        database, event(1, "start", attempt_id=SECOND, takeover=True), event(2, attempt_id=SECOND)
    )
    found, place = [], ""
    while True:
        with database.read() as session:
            page = queries.events_of(session, ID, "a-01", before=place, limit=4)
        found += [(one.attempt, one.source, one.seq) for one in page.items]
        if page.next is None:
            break
        place = page.next
    assert len(found) == len(set(found)) == 20
    assert found[:2] == [(2, "main", 2), (2, "main", 1)]
    for source in ("wrapper", "main"):
        seqs = [seq for attempt, name, seq in found if (attempt, name) == (1, source)]
        assert seqs == sorted(seqs, reverse=True)
    with database.read() as session:
        assert queries.events_of(session, ID, "none").items == ()
        with pytest.raises(ValueError, match="place"):
            queries.events_of(session, ID, "a-01", before="x")
