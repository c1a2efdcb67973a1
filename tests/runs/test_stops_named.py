"""What a job names when it stops: a rule of the plan, one that the plan does not have, or another
than the one that had asked for the stop. And ends and starts that come in the wrong order."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from app.db import Database
from app.errors import Malformed
from app.journal.verify import verify_database
from app.plan.rules.model import PlannedStopRule
from tests.conftest import NOW
from tests.runs.campaigns import event, opened, plan, posted, recorded, run

LOSS = PlannedStopRule("loss-not-finite", "non_finite", "loss")
MINE = PlannedStopRule("mine", "custom")
HOUR = timedelta(hours=1)


def agrees(database: Database) -> None:
    assert verify_database(database.write_engine).findings == ()


def test_a_custom_rule_that_an_end_names_has_fired(database: Database) -> None:
    opened(database, plan(LOSS, MINE))
    recorded(database, event(1, "start"), event(2, "stop", rule="mine", reason_text="it smells"))
    found = run(database)
    assert (found.status, found.rule, found.reason_text) == ("stopped", "mine", "it smells")
    rules = {one.rule: one for one in found.rules}
    assert (rules["mine"].fired, rules["mine"].evaluated) == (True, 1)
    assert [(one.rule, one.fired_on_box) for one in found.fired] == [("mine", True)]
    agrees(database)


@pytest.mark.parametrize("named", [{"rule": "nope"}, {"reason_code": "rule:nope"}])
def test_a_rule_that_the_plan_does_not_have_is_words(
    database: Database, named: dict[str, str]
) -> None:
    opened(database)
    told = recorded(database, event(1, "start"), event(2, "stop", reason_text="so", **named))
    assert [str(one) for one in told.warnings] == [
        "there is no stop rule “nope” for this step; kept as a warning"
    ]
    found = run(database)
    assert (found.status, found.rule) == ("stopped", None)
    assert (found.reason_code, found.reason_text) == ("operator", "nope: so")
    again = posted(database, event(1, "start", attempt_id="3" * 32))
    assert again.status == "running"
    agrees(database)


def test_the_rule_that_asked_counts_before_the_one_that_is_named(database: Database) -> None:
    opened(database, plan(LOSS, MINE))
    recorded(
        database,
        event(1, "start"),
        event(2, metrics={"loss": "nan"}),
        event(3, "stop", rule="mine"),
    )
    found = run(database)
    assert (found.rule, found.reason_text) == ("loss-not-finite", "loss is nan")
    agrees(database)


def test_a_value_that_a_job_says_of_its_rule_is_kept(database: Database) -> None:
    opened(database, plan(MINE))
    said = [{"rule": "mine", "text": "smells", "value": "7"}]
    recorded(database, event(1, "start"), event(2, fired=said))
    (rule,) = run(database).rules
    assert (rule.fired, rule.last) == (True, "7")


def test_a_start_that_comes_after_the_end_completes_what_was_written(database: Database) -> None:
    opened(database)
    first = posted(database, event(2, "finish"))
    assert first.status == "completed"
    told = posted(database, event(1, "start"))
    assert told.warnings == []
    found = run(database)
    assert (found.step, found.status) == ("control", "completed")
    agrees(database)


def test_an_end_that_came_in_the_wrong_order_is_no_late_evidence(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(5, "finish"))
    told = posted(database, event(4, "fail", exit_code=3))
    assert (told.status, told.warnings) == ("failed", [])
    late = posted(database, event(6))
    assert [str(one) for one in late.warnings] == ["a-01 is failed; this is kept as late evidence"]
    agrees(database)


def test_a_post_without_a_number_happens_when_it_comes(database: Database) -> None:
    """Whatever a shell's clock says: kept as said, and no figure is reckoned by it."""
    opened(database)
    said: dict[str, Any] = {"attempt_id": None, "elapsed_s": None}
    ahead, behind = (NOW + 5 * HOUR).isoformat(), (NOW - 13 * HOUR).isoformat()
    posted(database, event(None, "start", at=behind, **said))
    posted(database, event(None, at=ahead, **said), NOW + timedelta(minutes=1))
    posted(database, event(None, "finish", **said), NOW + timedelta(minutes=2))
    found = run(database, now=NOW + HOUR)
    assert (found.machine_s, found.started_at) == (120, NOW)
    assert found.ended_at == NOW + timedelta(minutes=2)


def test_an_end_without_a_number_is_measured_by_what_both_said(database: Database) -> None:
    opened(database)
    said: dict[str, Any] = {"attempt_id": None, "elapsed_s": None}
    posted(database, event(None, "start", **said))
    earlier = (NOW - 5 * HOUR).isoformat()
    assert posted(database, event(None, "finish", at=earlier, **said)).status == "completed"
    posted(database, event(None, "start", run="a-02", at=NOW.isoformat(), **said))
    with pytest.raises(Malformed):
        posted(database, event(None, "finish", run="a-02", at=earlier, **said))


def test_time_is_judged_without_the_jobs_own_measure(database: Database) -> None:
    opened(database, plan(PlannedStopRule("long", "overtime", after_hours=Decimal(2))))
    said: dict[str, Any] = {"attempt_id": None, "elapsed_s": None}
    posted(database, event(None, "start", **said))
    assert posted(database, event(None, **said), NOW + HOUR).stop is None
    told = posted(database, event(None, **said), NOW + 3 * HOUR)
    assert told.stop is not None
    assert told.stop.text == "3 h is over 2 h"
    done: dict[str, Any] = {"run": "a-02", **said}
    posted(database, event(None, "start", **done))
    posted(database, event(None, "finish", **done), NOW + HOUR)
    (rule,) = run(database, "a-02", NOW + HOUR).rules
    assert (rule.evaluated, rule.last, rule.fired) == (1, "1 h", False)


def test_a_checkpoint_told_late_takes_no_progress_back(database: Database) -> None:
    opened(database)
    recorded(
        database,
        event(1, "start"),
        event(2, progress=112),
        event(3, "checkpoint", progress=100),
        event(4, "fail", exit_code=1),
    )
    again = {"attempt_id": "3" * 32}
    recorded(database, event(1, "start", progress=100, **again), event(2, progress=115, **again))
    found = run(database)
    assert [one.redone for one in found.attempts] == [0, 12]


def test_a_clock_that_is_ahead_ends_nothing_in_the_future(database: Database) -> None:
    opened(database)
    ahead = NOW + 5 * HOUR
    recorded(
        database,
        event(1, "start", at=ahead.isoformat()),
        event(2, "finish", at=(ahead + 2 * HOUR).isoformat(), elapsed_s=7200),
    )
    found = run(database, now=NOW)
    assert (found.started_at, found.ended_at) == (NOW - 2 * HOUR, NOW)
