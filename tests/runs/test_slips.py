"""Slips of the hand at the job API: taken, and the answer says what they look like."""

from __future__ import annotations

from typing import Any

import pytest

from app import journal
from app.db import Database
from app.errors import Closed
from app.runs import commands
from app.runs.commands import Act
from app.runs.commands.refusals import AttemptAlive, NewIdNeeded
from app.runs.rules.reading import exit_event
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import (
    FIRST,
    ID,
    JOB,
    SECOND,
    closed,
    event,
    opened,
    posted,
    recorded,
    run,
)

OTHER = "b" * 64


def _shell(run_id: str, kind: str, **said: Any) -> dict[str, Any]:
    return event(None, kind, run=run_id, attempt_id=None, **said)


def _warnings(database: Database, *bodies: dict[str, Any]) -> list[str]:
    return [str(one) for one in recorded(database, *bodies).warnings]


@pytest.mark.parametrize("code", [0, 3, 130, 255])
def test_an_exit_code_of_a_run_that_nobody_started(database: Database, code: int) -> None:
    opened(database)
    posted(database, _shell("five", "start"))
    told = database.write(
        ID, lambda tx: commands.record_one(tx, ID, exit_event("fivee", code, b""), JOB, NOW)
    )
    said = "no start of fivee was received; did you mean five?"
    assert [str(one) for one in told.warnings] == [said]
    assert run(database, "five").status == "running"
    assert run(database, "fivee").attempts


@pytest.mark.parametrize("kind", ["beat", "checkpoint", "stop", "fail", "finish"])
@pytest.mark.parametrize("numbered", [True, False])
def test_what_comes_without_a_start_is_kept_and_said(
    database: Database, kind: str, numbered: bool
) -> None:
    opened(database)
    posted(database, _shell("five", "start"))
    made = event(4, kind, run="fivee", attempt_id=SECOND) if numbered else _shell("fivee", kind)
    said = "no start of fivee was received; did you mean five?"
    assert _warnings(database, made) == [said]
    assert said not in _warnings(database, event(5, run="fivee", attempt_id=SECOND))
    far = _shell("zzzz", kind)
    assert _warnings(database, far) == ["no start of zzzz was received; kept until it comes"]


def test_a_run_that_starts_is_no_slip(database: Database) -> None:
    opened(database)
    assert _warnings(database, event(1, "start"), event(2), event(3, "fail", exit_code=1)) == []
    assert _warnings(database, event(1, attempt_id=SECOND)) == []
    assert _warnings(database, event(2, "start", attempt_id=SECOND)) == []


def test_a_run_on_a_persons_step_is_kept_and_said(database: Database) -> None:
    opened(database)
    said = "step “prepare” is a person's work; kept as a run of it all the same"
    assert _warnings(database, event(1, "start", step="prepare")) == [said]
    assert run(database).step == "prepare"
    assert _warnings(database, event(1, "start", run="b-01", step="variant-a")) == []


@pytest.mark.parametrize("named", ["variant-a", "prepare", "contorl"])
def test_an_attempt_under_another_step_stays_with_the_runs_first(
    database: Database, named: str
) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(2, "fail", exit_code=1))
    again = event(1, "start", attempt_id=SECOND, step=named)
    warnings = _warnings(database, again)
    assert f"this attempt, which names “{named}”, counts for it too" in warnings[0]
    assert len(warnings) == 1
    assert run(database).step == "control"
    recorded(database, event(2, "fail", attempt_id=SECOND, exit_code=1))
    assert _warnings(database, event(1, "start", attempt_id="3" * 32)) == []
    with database.read() as session:
        started = [one for one in journal.entries(session, ID) if one.kind == "run.started"]
    assert [one.payload["step"] for one in started] == ["control"] * 3


def test_a_shells_start_under_another_step_is_known_when_it_comes_again(database: Database) -> None:
    opened(database)
    posted(database, _shell("b-01", "start"))
    posted(database, _shell("b-01", "fail", exit_code=3))
    again = _shell("b-01", "start", step="variant-a")
    for _ in range(2):
        posted(database, again)
    assert [one.number for one in run(database, "b-01").attempts] == [1, 2]


@pytest.mark.parametrize("failed", [0, 1, 2])
def test_the_next_id_of_a_shells_run_is_one_of_its_own(database: Database, failed: int) -> None:
    opened(database)
    for name, failures in (("aaa", 3), ("b-01", failed)):
        for _ in range(failures):
            posted(database, _shell(name, "start"))
            posted(database, _shell(name, "fail", exit_code=3))
        posted(database, _shell(name, "start"))
        posted(database, _shell(name, "finish", exit_code=0))
    assert [one.id for one in run(database, "aaa").attempts][-1] == "shell-4"
    for again in ({}, {"config_sha256": OTHER}):
        with pytest.raises(NewIdNeeded) as caught:
            posted(database, _shell("b-01", "start", **again))
        assert caught.value.problem()["next_id"] == "b-02"


def test_an_attempt_with_an_id_is_led_to_where_it_is_recorded(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start", attempt_id=SECOND, run="c-07"))
    recorded(database, event(1, "start"), event(2, "finish", exit_code=0))
    with pytest.raises(NewIdNeeded) as caught:
        posted(database, event(1, "start", attempt_id=SECOND))
    said = caught.value.problem()
    assert said["next_id"] == "c-07"
    assert said["detail"] == "This attempt is there already: it is recorded as c-07."


@pytest.mark.parametrize("host", [None, "box-7"])
def test_an_attempt_that_is_alive_is_said_to_be_where_it_told(
    database: Database, host: str | None
) -> None:
    opened(database)
    posted(database, event(1, "start", host=host))
    with pytest.raises(AttemptAlive) as caught:
        posted(database, event(1, "start", attempt_id=SECOND, host=None))
    said = caught.value.problem()
    assert (said["host"], said["attempt_id"]) == (host, FIRST)
    where = "a-01 still reports; its host was not told." if host is None else "runs on box-7."
    assert where in str(said["detail"])
    assert "machine" not in str(said["detail"])


@pytest.mark.parametrize(
    "act",
    [
        commands.archive, commands.bring_back, commands.ask_to_stop, commands.mark_lost,
        commands.mark_stopped,
    ],
)  # fmt: skip
def test_a_person_is_told_of_the_record_after_the_close(database: Database, act: Act) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(2, "fail", exit_code=1))
    closed(database)
    with pytest.raises(Closed) as caught:
        database.write(ID, lambda tx: act(tx, ID, "a-01", "a slip", actor=PERSON, now=NOW))
    assert "spool" not in str(caught.value.detail)
