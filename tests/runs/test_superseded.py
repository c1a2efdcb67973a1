"""An attempt that another took over from: nothing is judged of it any more."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from app import watch
from app.db import Database
from app.plan.rules.model import PlannedStopRule
from app.rooms import watchers
from app.runs import queries
from tests.conftest import NOW
from tests.runs.campaigns import ID, SECOND, event, opened, plan, posted

HOUR = timedelta(hours=1)


def test_the_clock_does_not_judge_what_was_taken_over(database: Database) -> None:
    rule = PlannedStopRule("no-restore", "no_restore", after_hours=Decimal(2))
    opened(database, plan(rule))
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=60))
    later = NOW + HOUR
    again = event(1, "start", attempt_id=SECOND, at=later.isoformat(), takeover=True)
    posted(database, again, now=later)
    posted(database, event(2, attempt_id=SECOND, at=later.isoformat(), expect_next_s=86_400), later)
    watch.look(database, watchers(), NOW + 5 * HOUR)
    with database.read() as session:
        records = queries.stop_records(session, ID)
    assert [one.attempt for one in records if one.rule is not None] == [2]
