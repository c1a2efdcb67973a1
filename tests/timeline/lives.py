"""Every way in which a run may live, recorded as a job of that life would: with its own measure of
its time or without, its clock right or hours ahead."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from app.db import Database
from app.runs import commands
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import FIRST, ID, SECOND, event, opened, posted

Act = tuple[int, str, float, dict[str, Any]]
"""The number of the attempt, what it said, hours before now, and with what."""

LONG, SHORT = {"expect_next_s": 14_400}, {"expect_next_s": 60}
LIVES: dict[str, tuple[Act, ...]] = {
    "started": ((1, "start", 3, LONG),),
    "running": ((1, "start", 3, LONG), (1, "beat", 1, LONG)),
    "silent": ((1, "start", 3, LONG), (1, "beat", 2, SHORT)),
    "completed": ((1, "start", 3, LONG), (1, "finish", 1, {})),
    "failed": ((1, "start", 3, LONG), (1, "fail", 1, {"reason_code": "code_error"})),
    "stopped": ((1, "start", 3, LONG), (1, "stop", 1, {"reason_code": "infra"})),
    "lost": ((1, "start", 3, LONG), (1, "beat", 2, SHORT), (1, "lost", 0.5, {})),
    "resumed": (
        (1, "start", 5, LONG),
        (1, "fail", 4, {"reason_code": "infra"}),
        (2, "start", 3, LONG),
        (2, "beat", 0.5, LONG),
    ),
    "superseded": (
        (1, "start", 5, LONG),
        (1, "beat", 4, SHORT),
        (2, "start", 3, LONG),
        (2, "beat", 0.5, LONG),
    ),
}
NEVER_ENDED = ("started", "running", "silent", "resumed", "superseded")


def live(
    database: Database, life: str, *, measured: bool = True, ahead: timedelta = timedelta(0)
) -> None:
    """Open a campaign and let its run a-01 live so on the step of the control until now."""
    opened(database)
    began: dict[int, float] = {}
    for seq, (attempt, kind, ago, said) in enumerate(LIVES[life], start=1):
        at = NOW - timedelta(hours=ago)
        if kind == "lost":
            _lost(database, ago)
            continue
        began.setdefault(attempt, ago)
        elapsed = round((began[attempt] - ago) * 3600) if measured else None
        attempt_id = FIRST if attempt == 1 else SECOND
        body = event(seq, kind, attempt_id=attempt_id, at=(at + ahead).isoformat(), **said)
        posted(database, {**body, "elapsed_s": elapsed}, now=at)


def _lost(database: Database, ago: float) -> None:
    at = NOW - timedelta(hours=ago)
    told = database.write(
        ID,
        lambda tx: commands.mark_lost(tx, ID, "a-01", "the box is gone", actor=PERSON, now=at),
    )
    assert told is None
