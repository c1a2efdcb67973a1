"""How long ago a run reported is told by our clock, whatever the job's clock says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.db import Database
from app.timeline.queries import timeline
from app.units import Duration
from tests.conftest import NOW
from tests.runs.campaigns import ID, event, opened, recorded


@pytest.mark.parametrize("off", [timedelta(0), timedelta(days=-1095), timedelta(hours=-5)])
def test_a_slow_clock_does_not_make_a_run_long_unheard(database: Database, off: timedelta) -> None:
    opened(database)
    began = NOW + off
    recorded(database, event(1, "start", at=began.isoformat()), event(2, at=began.isoformat()))
    now = NOW + timedelta(minutes=1)
    with database.read() as session:
        view = timeline(session, ID, now)
    assert view is not None
    said = [one for one in view.answer.next if one.msgid == "{run} reported {ago} ago."]
    assert [one.values for one in said] == [{"run": "a-01", "ago": Duration(60)}]
