"""What time alone changes: rules that a clock judges, and silence that is noticed, on both
databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlmodel import col, select

from app import journal
from app.db import Database
from app.journal.verify import verify_database
from app.plan.rules.model import Checkpoint, Plan, PlannedStopRule
from app.rooms import watchers
from app.runs import queries
from app.runs.tables import Flip, RunEvent, Watch
from app.watch import look
from tests.conftest import NOW
from tests.runs.campaigns import FIRST, ID, SECOND, event, opened, plan, posted, recorded, run

HOUR = timedelta(hours=1)


def hours(number: str) -> Decimal:
    return Decimal(number)


def watched(database: Database, now: datetime) -> int:
    return look(database, watchers(), now)


def beat(database: Database, seq: int, after: timedelta, **fields: Any) -> Any:
    """A beat that comes so long after the start as it says itself."""
    elapsed_s = int(after.total_seconds())
    said = {"elapsed_s": elapsed_s, "at": (NOW + after).isoformat(), "expect_next_s": 600}
    return posted(database, event(seq, **{**said, **fields}), NOW + after)


def began(database: Database, rule: PlannedStopRule, **fields: Any) -> None:
    opened(database, plan(rule))
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=600, **fields))


def flips(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.exec(select(Flip.became).order_by(col(Flip.id))))


def clock_events(database: Database) -> list[RunEvent]:
    with database.read() as session:
        return list(session.exec(select(RunEvent).where(RunEvent.source == "clock")))


def agrees(database: Database) -> None:
    """The tables are what the events and the journal say."""
    assert verify_database(database.write_engine).findings == ()


NO_RESTORE = PlannedStopRule("no-restore", "no_restore", after_hours=hours("2"))
QUIET = PlannedStopRule("quiet", "silent", after_hours=hours("1"))
LONG = PlannedStopRule("long", "overtime", after_hours=hours("3"))
BEHIND = PlannedStopRule(
    "behind", "not_better", "f1", Decimal("0.02"), after_hours=hours("1"), steps=("variant-a",)
)


def test_without_a_restore_in_time_the_rule_fires_once(database: Database) -> None:
    began(database, NO_RESTORE)
    early = beat(database, 2, HOUR)
    assert early.stop is None
    told = beat(database, 3, 2 * HOUR)
    assert told.stop is not None
    assert (told.stop.rule, told.stop.text) == (
        "no-restore",
        "no restore check had passed after 2 h",
    )
    beat(database, 4, 3 * HOUR)
    assert watched(database, NOW + 4 * HOUR) == 1  # it fell silent meanwhile
    assert len(clock_events(database)) == 1
    found = run(database, now=NOW + 3 * HOUR)
    assert [(one.rule, one.fired_on_box, one.confirmed) for one in found.fired] == [
        ("no-restore", False, True)
    ]
    assert found.status == "running"
    agrees(database)


def test_the_watcher_fires_it_where_no_event_comes(database: Database) -> None:
    began(database, NO_RESTORE)
    beat(database, 2, 2 * HOUR - timedelta(minutes=1))
    assert watched(database, NOW + 2 * HOUR - timedelta(seconds=30)) == 0
    assert watched(database, NOW + 2 * HOUR + timedelta(seconds=5)) == 1
    told = beat(database, 3, 2 * HOUR + timedelta(minutes=2))
    assert told.stop is not None
    assert told.stop.rule == "no-restore"
    assert flips(database) == []
    agrees(database)


def test_a_passed_restore_check_is_what_the_rule_waits_for(database: Database) -> None:
    began(database, NO_RESTORE)
    found = {"passed": True, "restore_s": 250.4, "save_s": 61.25, "size": 1 << 30, "steps": 20}
    check = {"run": "restore-01", "attempt_id": SECOND}
    recorded(
        database,
        event(1, "start", step="variant-a", at=NOW.isoformat(), **check),
        event(2, "finish", restore=found, at=NOW.isoformat(), **check),
        now=NOW + HOUR / 2,
    )
    told = beat(database, 2, 2 * HOUR)
    assert told.stop is None
    (rule,) = run(database, now=NOW + 2 * HOUR).rules
    assert (rule.evaluated, rule.last, rule.fired) == (1, "a restore check passed", False)
    with database.read() as session:
        said = list(journal.entries(session, ID, kind="run.restore_checked"))
    assert [one.payload["restore_s"] for one in said] == ["250.400"]
    agrees(database)


def test_a_failed_restore_check_does_not_count(database: Database) -> None:
    began(database, NO_RESTORE)
    posted(database, event(2, restore={"passed": False, "reason": "loss 0.4 instead of 0.3"}))
    assert beat(database, 3, 2 * HOUR).stop is not None


@pytest.mark.parametrize(("value", "fires"), [("0.81", True), ("0.82", False), ("0.9", False)])
def test_a_variant_is_compared_with_the_control_once(
    database: Database, value: str, fires: bool
) -> None:
    opened(database, plan(BEHIND))
    control = {"run": "control-01", "attempt_id": SECOND}
    recorded(
        database,
        event(1, "start", at=NOW.isoformat(), **control),
        event(2, "finish", metrics={"eval_f1": 0.80}, at=NOW.isoformat(), **control),
    )
    posted(database, event(1, "start", step="variant-a", at=NOW.isoformat(), expect_next_s=7200))
    early = beat(database, 2, HOUR / 2, metrics={"eval_f1": 0.1}, expect_next_s=7200)
    assert early.stop is None
    told = beat(database, 3, HOUR, metrics={"eval_f1": value}, expect_next_s=7200)
    assert (told.stop is not None) is fires
    if told.stop is not None:
        assert told.stop.text == (
            f"not better than the control: f1 {value} against the control's 0.8"
        )
    later = beat(database, 4, 2 * HOUR, metrics={"eval_f1": 0.0}, expect_next_s=7200)
    assert (later.stop is not None) is fires
    (rule,) = run(database, now=NOW + 2 * HOUR).rules
    assert (rule.evaluated, rule.last) == (1, value)
    agrees(database)


def test_without_a_control_nothing_is_compared(database: Database) -> None:
    opened(database, plan(BEHIND))
    posted(database, event(1, "start", step="variant-a", at=NOW.isoformat()))
    assert beat(database, 2, 2 * HOUR, metrics={"eval_f1": 0.0}).stop is None
    assert clock_events(database) == []


def test_silence_fires_a_rule_and_ends_nothing(database: Database) -> None:
    began(database, QUIET)
    beat(database, 2, timedelta(minutes=5))
    assert watched(database, NOW + HOUR) == 1
    assert flips(database) == ["silent"]
    assert run(database, now=NOW + HOUR).stop_asked is None
    assert watched(database, NOW + HOUR + timedelta(minutes=6)) == 1
    found = run(database, now=NOW + HOUR + timedelta(minutes=6))
    assert found.stop_asked is not None
    assert found.stop_asked.text == "no sign of life for 1 h 1 min"
    assert (found.status, found.silent, found.ended_at) == ("running", True, None)
    told = beat(database, 3, 2 * HOUR)
    assert told.stop is not None
    assert watched(database, NOW + 2 * HOUR + timedelta(seconds=2)) == 1
    assert flips(database) == ["silent", "alive"]
    agrees(database)


def test_standing_still_counts_as_well(database: Database) -> None:
    began(database, QUIET)
    for minute in range(5, 75, 5):
        told = beat(database, 1 + minute // 5, timedelta(minutes=minute), progress=10, total=90)
        watched(database, NOW + timedelta(minutes=minute, seconds=3))
        if told.stop is not None:
            break
    assert flips(database) == ["stalled"]
    found = run(database, now=NOW + timedelta(minutes=66))
    assert found.stop_asked is not None
    assert found.stop_asked.text.startswith("no progress for 1 h")


def test_over_its_time_by_its_own_measure(database: Database) -> None:
    began(database, LONG)
    assert beat(database, 2, 3 * HOUR).stop is None
    told = beat(database, 3, 3 * HOUR + timedelta(minutes=1))
    assert told.stop is not None
    assert told.stop.text == "3 h 1 min is over 3 h"


def test_an_end_is_not_stopped_for_the_time_it_took(database: Database) -> None:
    began(database, LONG)
    late = {"elapsed_s": 4 * 3600, "at": (NOW + 4 * HOUR).isoformat()}
    told = posted(database, event(2, "finish", **late), NOW + 4 * HOUR)
    assert (told.status, told.stop) == ("completed", None)


def _saving() -> Plan:
    """Saves of 40 GiB over 200 Mbit/s: the last one begins 42 min 57 s before the lot's end."""
    found = plan(PlannedStopRule("last-save", "overtime", after_hours=hours("500")))
    saves = Checkpoint(write_s=0, size_bytes=40 << 30)
    steps = tuple(replace(one, checkpoint=saves) if one.gpus else one for one in found.steps)
    return replace(found, steps=steps, transfer_rate_bps=200_000_000)


def test_past_the_last_save_that_can_be_fetched(database: Database) -> None:
    opened(database, _saving())
    told = posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=600_000))
    assert told.window_ends_at is not None
    last = told.window_ends_at - timedelta(seconds=2577)
    before = last - timedelta(seconds=5)
    elapsed_s = int((before - NOW).total_seconds())
    posted(
        database,
        event(2, elapsed_s=elapsed_s, at=before.isoformat(), expect_next_s=600_000),
        before,
    )
    assert watched(database, before) == 0
    assert watched(database, last + timedelta(minutes=1)) == 1
    found = run(database, now=last + timedelta(minutes=1))
    assert found.stop_asked is not None
    assert found.stop_asked.text.startswith("past the last save that can still be fetched, by 1")


def test_what_a_replay_tells_of_long_ago_is_not_judged_by_the_clock(database: Database) -> None:
    opened(database, plan(NO_RESTORE, QUIET))
    long_ago = NOW - timedelta(days=9)
    told = recorded(
        database,
        event(1, "start", at=long_ago.isoformat(), expect_next_s=60),
        event(2, elapsed_s=9 * 3600, at=(long_ago + 9 * HOUR).isoformat(), expect_next_s=60),
    )
    assert told.stop is None
    assert clock_events(database) == []
    watched(database, NOW + timedelta(minutes=1))
    assert clock_events(database) == []


def test_two_looks_at_once_find_a_thing_once(database: Database) -> None:
    began(database, QUIET)
    due = NOW + 3 * HOUR
    with database.read() as session:
        first = queries.attention(session, due)
    (watcher,) = watchers()
    for _ in range(3):
        database.write(ID, lambda tx: watcher.act(tx, ID, first[ID], due))
    assert flips(database) == ["silent"]
    assert len(clock_events(database)) == 1
    assert watched(database, due) == 0
    agrees(database)


def test_an_ended_run_needs_no_look(database: Database) -> None:
    began(database, QUIET)
    posted(database, event(2, "finish", at=NOW.isoformat()))
    assert watched(database, NOW + 90 * HOUR) == 0
    with database.read() as session:
        assert session.exec(select(Watch)).all() == []


def test_the_plan_says_what_a_rule_leads_to_not_the_job(database: Database) -> None:
    opened(database, plan(PlannedStopRule("mine", "custom", act="warn")))
    said = [{"rule": "mine", "act": "stop", "text": "I do not like it"}]
    told = recorded(database, event(1, "start"), event(2, fired=said))
    assert told.stop is None
    assert [one.act for one in run(database).fired] == ["warn"]


def test_a_rule_that_the_plan_does_not_have_stops_nothing(database: Database) -> None:
    opened(database)
    said = [{"rule": "made-up", "act": "stop", "text": "out of thin air"}]
    told = recorded(database, event(1, "start"), event(2, fired=said))
    assert told.stop is None
    assert [str(one) for one in told.warnings] == [
        "there is no stop rule “made-up” for this step; kept as a warning"
    ]
    done = posted(database, event(3, "finish"))
    assert done.status == "completed"


def test_a_cut_input_stops_the_run(database: Database) -> None:
    opened(database, plan(PlannedStopRule("whole", "input_truncated", "invoices")))
    counts = {
        "invoices": {"expected": 1200, "truncated": 0},
        "labels": {"expected": 3, "truncated": 3},
    }
    told = recorded(database, event(1, "start"), event(2, inputs=counts))
    assert told.stop is None
    counts["invoices"]["truncated"] = 3
    told = posted(database, event(3, inputs=counts))
    assert told.stop is not None
    assert told.stop.text == "3 of 1200 invoices are truncated"
    (rule,) = run(database).rules
    assert (rule.evaluated, rule.last) == (2, "3 of 1200")


def test_with_no_rule_a_silent_attempt_is_noticed_once(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=60))
    for minute in (3, 4, 90):
        watched(database, NOW + timedelta(minutes=minute))
    assert flips(database) == ["silent"]


def test_an_attempt_that_was_taken_over_from_is_left_alone(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=60))
    watched(database, NOW + timedelta(minutes=3))
    later = NOW + timedelta(minutes=10)
    posted(
        database,
        event(1, "start", attempt_id=SECOND, at=later.isoformat(), expect_next_s=60, host="box-2"),
        later,
    )
    watched(database, later + timedelta(seconds=5))
    assert flips(database) == ["silent"]
    watched(database, later + timedelta(minutes=3))
    assert flips(database) == ["silent", "silent"]
    assert FIRST != SECOND


def test_a_rule_about_silence_is_judged_by_each_sign(database: Database) -> None:
    began(database, QUIET)
    beat(database, 2, timedelta(minutes=5))
    beat(database, 3, timedelta(minutes=9))
    (rule,) = run(database, now=NOW + timedelta(minutes=9)).rules
    assert (rule.evaluated, rule.fired) == (3, False)


def test_the_watcher_finds_who_is_over_its_time_without_a_word(database: Database) -> None:
    opened(database, plan(LONG))
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=86_400))
    assert watched(database, NOW + 2 * HOUR) == 0
    assert watched(database, NOW + 3 * HOUR + timedelta(minutes=2)) == 1
    found = run(database, now=NOW + 3 * HOUR + timedelta(minutes=2))
    assert found.stop_asked is not None
    assert found.stop_asked.text == "3 h 2 min is over 3 h"
    agrees(database)


def test_silence_is_as_long_as_the_rule_says_whatever_was_promised(database: Database) -> None:
    brief = PlannedStopRule("quiet", "silent", after_hours=hours("0.01"))
    began(database, brief)
    beat(database, 2, timedelta(minutes=5), expect_next_s=3600)
    assert watched(database, NOW + timedelta(minutes=5, seconds=30)) == 0
    assert watched(database, NOW + timedelta(minutes=5, seconds=37)) == 1
    found = run(database, now=NOW + timedelta(minutes=5, seconds=37))
    assert found.stop_asked is not None
    assert found.stop_asked.text == "no sign of life for 37 s"
    assert (found.silent, flips(database)) == (False, [])
