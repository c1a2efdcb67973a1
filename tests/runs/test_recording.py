"""Recording posts in one transaction, on both databases."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app import journal
from app.db import Database, WriteSession
from app.errors import Conflict, Malformed, NotFound
from app.plan.rules.model import PlannedStopRule
from app.runs import commands, queries
from tests.conftest import NOW
from tests.runs.campaigns import (
    FIRST,
    ID,
    SECOND,
    event,
    opened,
    plan,
    posted,
    read,
    recorded,
    refusals,
    run,
)

LATER = NOW + timedelta(hours=3)


def _kinds(database: Database) -> list[str]:
    with database.read() as session:
        return [
            entry.kind for entry in journal.entries(session, ID) if entry.kind.startswith("run.")
        ]


def test_a_run_from_start_to_finish(database: Database) -> None:
    opened(database)
    start = posted(database, event(1, "start", expect_next_s=60))
    assert (start.status, start.attempt, start.results[0].duplicate) == ("running", 1, False)
    assert start.rules is not None
    assert "loss-not-finite" in start.rules
    assert start.names == '{"f1":"eval_f1"}'
    assert start.window_ends_at == datetime(2026, 12, 3, 7, tzinfo=UTC)
    beat = posted(database, event(2, progress=5, total=10, metrics={"loss": 0.5}))
    assert beat.rules is None
    assert beat.head == start.head
    end = posted(database, event(3, "finish", metrics={"eval_f1": 0.83}, exit_code=0))
    assert end.status == "completed"
    assert end.head is not None
    assert start.head is not None
    assert end.head.number == start.head.number + 1
    found = run(database)
    assert (found.status, found.step, found.progress, found.machine_s) == (
        "completed",
        "control",
        5,
        2,
    )
    assert [(m.name, m.final) for m in found.metrics] == [
        ("eval_f1", "0.83"),
        ("f1", "0.83"),
        ("loss", None),
    ]
    assert _kinds(database) == ["run.started", "run.ended"]


def test_beats_leave_the_journal_alone(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start"))
    recorded(database, *(event(seq, progress=seq) for seq in range(2, 60)))
    assert _kinds(database) == ["run.started"]


def test_the_first_start_makes_the_campaign_running(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start"))
    with database.read() as session:
        (entry,) = journal.entries(session, ID, kind="run.started")
    assert entry.actor == journal.Actor("job", "box")
    assert entry.payload["run"] == "a-01"
    assert entry.payload["at"] == "2026-12-01T08:00:01Z"


def test_a_rule_asks_for_the_stop_in_this_and_all_later_answers(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start"))
    for seq in (2, 3):
        told = posted(database, event(seq, metrics={"loss": "nan"}, progress=seq))
        assert told.stop is not None
        assert (told.stop.rule, told.stop.text, told.status) == (
            "loss-not-finite",
            "loss is nan",
            "running",
        )
    ended = posted(database, event(4, "finish", exit_code=0))
    assert (ended.status, ended.stop is not None) == ("stopped", True)
    with database.read() as session:
        (record,) = queries.stop_records(session, ID)
    assert (record.rule, record.value, record.metric, record.actor_kind) == (
        "loss-not-finite",
        "nan",
        "loss",
        "rule",
    )
    assert (record.run, record.config_sha256) == ("a-01", "a" * 64)
    found = run(database)
    assert (found.reason_code, found.exit_code, found.rule) == (
        "rule:loss-not-finite",
        0,
        "loss-not-finite",
    )
    assert _kinds(database) == ["run.started", "run.stop_recorded", "run.ended"]


def test_a_rule_fired_on_the_box_is_recorded_with_the_job_as_actor(database: Database) -> None:
    opened(database)
    fired = [
        {
            "rule": "loss-not-finite",
            "metric": "loss",
            "value": "inf",
            "act": "stop",
            "text": "loss is inf",
        }
    ]
    recorded(database, event(1, "start"), event(2, metrics={"loss": "inf"}, fired=fired))
    with database.read() as session:
        (record,) = queries.stop_records(session, ID)
    assert (record.actor_kind, record.fired_on_box, record.confirmed) == ("job", True, True)


def test_a_rule_for_another_step_is_not_judged(database: Database) -> None:
    opened(database, plan(PlannedStopRule("only-a", "non_finite", "loss", steps=("variant-a",))))
    posted(database, event(1, "start"))
    assert posted(database, event(2, metrics={"loss": "nan"})).stop is None
    assert run(database).rules == ()


def test_events_that_come_before_their_start_are_judged_when_it_comes(database: Database) -> None:
    opened(
        database, plan(PlannedStopRule("only-control", "non_finite", "loss", steps=("control",)))
    )
    early = posted(database, event(2, metrics={"loss": "nan"}))
    assert (early.status, early.stop, early.missing) == ("planned", None, [1])
    late = posted(database, event(1, "start"))
    assert (late.status, late.missing) == ("running", ())
    assert late.stop is not None
    assert _kinds(database) == ["run.started", "run.stop_recorded"]


def test_a_second_post_of_the_same_event_changes_nothing(database: Database) -> None:
    opened(database)
    bodies = [event(1, "start"), event(2, progress=1), event(3, "fail", exit_code=1)]
    recorded(database, *bodies)
    before, kinds = run(database), _kinds(database)
    again = recorded(database, *bodies, now=LATER)
    assert [result.duplicate for result in again.results] == [True, True, True]
    assert again.status == "failed"
    assert run(database) == before
    assert _kinds(database) == kinds


def test_gaps_are_named_until_they_are_filled(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start"))
    assert posted(database, event(5)).missing == [2, 3, 4]
    assert posted(database, event(3, metrics={"loss": 0.4})).missing == [2, 4]
    assert recorded(database, event(2), event(4)).missing == ()
    assert posted(database, event(1, source="rank-1")).missing == ()
    assert run(database).gaps == 0


def test_an_unknown_step_is_kept_with_a_warning(database: Database) -> None:
    opened(database)
    told = posted(database, event(1, "start", step="contorl"))
    (warning,) = told.warnings
    assert "did you mean “control”" in str(warning)
    assert run(database).step == "contorl"


def test_a_run_before_the_seal_is_marked(database: Database) -> None:
    opened(database, sealed=False)
    told = posted(database, event(1, "start"))
    assert (told.status, told.window_ends_at) == ("running", None)
    assert run(database).before_seal is True


def test_another_configuration_needs_a_new_id(database: Database) -> None:
    opened(database)
    config = {"params": {"lr": "0.1"}}
    posted(database, event(1, "start", config=config))
    posted(database, event(1, "start", run="a-02", attempt_id="3" * 32))
    other = event(
        1, "start", attempt_id=SECOND, config_sha256="b" * 64, config={"params": {"lr": "0.2"}}
    )
    with pytest.raises(Conflict) as caught:
        posted(database, other)
    problem = caught.value.problem()
    assert problem["type"] == "/problems/new-id-needed"
    assert (problem["changed"], problem["parent"], problem["next_id"]) == (
        ["params.lr"],
        "a-01",
        "a-03",
    )
    assert run(database).attempt == 1


def test_another_attempt_that_is_alive_is_in_the_way(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start", expect_next_s=60))
    second = event(1, "start", attempt_id=SECOND, host="box-2")
    with pytest.raises(Conflict) as caught:
        posted(database, second)
    problem = caught.value.problem()
    assert (problem["type"], problem["host"], problem["attempt_id"]) == (
        "/problems/attempt-alive", "box-1", FIRST,
    )  # fmt: skip
    told = posted(database, second, now=LATER)
    assert (told.attempt, told.status) == (2, "running")
    found = run(database, now=LATER)
    assert [attempt.status for attempt in found.attempts] == ["superseded", "running"]
    with database.read() as session:
        entries = journal.entries(session, ID, kind="run.started")
    assert [entry.payload["supersedes"] for entry in entries] == [None, 1]


def test_the_old_attempt_goes_on_being_recorded(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start"))
    posted(database, event(1, "start", attempt_id=SECOND, takeover=True))
    late = posted(database, event(2, "fail", exit_code=3))
    assert (late.attempt, late.status) == (1, "running")
    found = run(database)
    assert (found.status, [one.status for one in found.attempts]) == (
        "running",
        ["failed", "running"],
    )


def _taken_over(database: Database, *, by_takeover: bool) -> None:
    """A second attempt starts: beside the first one, or after that one failed."""
    opened(database)
    posted(database, event(1, "start"))
    if not by_takeover:
        posted(database, event(2, "fail", exit_code=1))
    posted(database, event(1, "start", attempt_id=SECOND, takeover=by_takeover))


@pytest.mark.parametrize(
    ("posts", "told"),
    [
        ([event(2)], 2),
        ([event(2, "finish")], 2),
        ([event(2), event(3, "fail", exit_code=1)], 2),
        ([event(1, "start")], 2),
        ([event(2), event(2, attempt_id=SECOND)], None),
        ([event(2, attempt_id=SECOND), event(2)], 2),
        ([event(2), event(1, "start", config_sha256="e" * 64, attempt_id="3" * 32)], 2),
        ([event(None, attempt_id=None)], None),
    ],
)
def test_who_was_taken_over_from_is_told_by_whom(
    database: Database, posts: list[dict[str, Any]], told: int | None
) -> None:
    _taken_over(database, by_takeover=True)
    assert recorded(database, *posts).superseded_by == told
    assert run(database).attempt == 2


def test_whoever_ended_before_the_next_attempt_was_not_taken_over_from(database: Database) -> None:
    _taken_over(database, by_takeover=False)
    assert posted(database, event(2, "fail", exit_code=1)).superseded_by is None
    assert posted(database, event(3)).superseded_by is None
    assert posted(database, event(2, attempt_id=SECOND)).superseded_by is None


def test_after_a_failure_the_same_configuration_goes_on(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(2, "fail", exit_code=1))
    assert posted(database, event(1, "start", attempt_id=SECOND)).attempt == 2
    with pytest.raises(Conflict):
        posted(database, event(1, "start", attempt_id="3" * 32))


def test_a_completed_run_is_over(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(2, "finish"))
    again = event(1, "start", attempt_id=SECOND)
    again["at"] = "2026-12-01T09:00:00Z"
    with pytest.raises(Conflict) as caught:
        posted(database, again)
    assert caught.value.problem()["next_id"] == "a-02"


def test_late_evidence_is_kept_and_said(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(2, "finish", exit_code=0))
    told = recorded(database, event(3, metrics={"loss": "nan"}), event(4, "fail", exit_code=1))
    assert refusals(told) == [None, None]
    assert (told.status, told.stop) == ("completed", None)
    assert [str(one) for one in told.warnings] == [
        "a-01 is completed; this is kept as late evidence"
    ]
    assert _kinds(database) == ["run.started", "run.ended"]


def test_a_shell_posts_without_numbers(database: Database) -> None:
    opened(database)
    start = event(None, "start", attempt_id=None)
    assert posted(database, start).results[0].duplicate is False
    assert posted(database, start).results[0].duplicate is True
    for _ in range(2):
        assert posted(database, event(None, attempt_id=None)).results[0].duplicate is False
    marked = event(None, attempt_id=None, event_id="tick-1")
    assert [posted(database, marked).results[0].duplicate for _ in range(2)] == [False, True]
    end = event(None, "fail", attempt_id=None, exit_code=3)
    assert [posted(database, end).results[0].duplicate for _ in range(2)] == [False, True]
    with pytest.raises(Conflict) as caught:
        posted(database, event(None, "finish", attempt_id=None))
    assert "failed" in str(caught.value)
    assert "finish" in str(caught.value)
    again = posted(database, start)
    assert (again.attempt, again.status) == (2, "running")
    assert [one.id for one in run(database).attempts] == ["shell", "shell-2"]


def test_a_shell_beside_the_client_shares_its_attempt(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start"))
    told = posted(database, event(None, attempt_id=None, note="evaluation begins"))
    assert told.attempt == 1
    assert posted(database, event(2)).missing == ()


def test_an_end_before_its_start_is_refused(database: Database) -> None:
    opened(database)
    posted(database, event(None, "start", attempt_id=None, at="2026-12-01T08:00:00Z"))
    with pytest.raises(Malformed) as caught:
        posted(database, event(None, "finish", attempt_id=None, at="2026-12-01T07:59:00Z"))
    assert caught.value.field == "at"


def test_a_batch_is_judged_event_by_event(database: Database) -> None:
    opened(database)
    told = recorded(
        database,
        event(1, "start"),
        event(1, "start", attempt_id=SECOND),
        event(2, progress=2),
        event(1, "start", run="b-01", attempt_id=SECOND),
        event(2, run="b-01", attempt_id=SECOND, progress=7),
    )
    first, second, *others = refusals(told)
    assert (first, [one is None for one in others]) == (None, [True, True, True])
    assert isinstance(second, Conflict)
    assert (told.run, told.status, told.attempt) == ("b-01", "running", 1)
    assert run(database).progress == 2
    assert run(database, "b-01").progress == 7


def test_an_unknown_campaign_is_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        posted(database, event(1, "start"))


class Counting(WriteSession):
    """Notes the first word of each statement."""

    __slots__ = ("taken",)

    def __init__(self, tx: WriteSession) -> None:
        super().__init__(tx.connection)
        self.taken: list[str] = []

    def _run(self, statement: str, values: Mapping[str, object] | None) -> Any:
        self.taken.append(statement.split()[0])
        return super()._run(statement, values)


def test_a_beat_takes_three_statements(sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, metrics={"loss": 0.5}))
    beat = read(event(3, progress=3, metrics={"loss": 0.4}))

    def command(tx: WriteSession) -> list[str]:
        counting = Counting(tx)
        commands.record_one(counting, ID, beat, journal.Actor("job", "box"), NOW)
        return counting.taken

    assert sqlite.write(ID, command) == ["SELECT", "INSERT", "UPDATE"]
