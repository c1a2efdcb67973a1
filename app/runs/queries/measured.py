"""What runs have measured of saving and restoring, step by step."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from sqlalchemy import select as pick
from sqlmodel import Session, col, select

from app.plan.rules.measured import Measured
from app.runs.rules.attempts import step_of
from app.runs.rules.parts import Saved
from app.runs.rules.records import read_streams_once
from app.runs.rules.resuming import saved_of
from app.runs.tables import AttemptState, RestoreCheck

LATELY: Final = 200
"""So many of the attempts that reported last are asked for their checkpoint."""


def measured(session: Session, campaign_id: str) -> dict[str, Measured]:
    """Step → what its newest checkpoint and its newest passed restore check took; two statements.

    A check that saved tells of the writing and the size where no checkpoint does.
    """
    saves, checks = _saves(session, campaign_id), _checks(session, campaign_id)
    found = {
        step: Measured(
            write_s=_first(saves.get(step, {}), checks.get(step, {}), "write_s", "save_s"),
            restore_s=_whole(checks.get(step, {}).get("restore_s")),
            size_bytes=saves.get(step, {}).get("size") or checks.get(step, {}).get("size"),
        )
        for step in saves.keys() | checks.keys()
    }
    return {step: one for step, one in found.items() if not one.is_empty}


def _saves(session: Session, campaign_id: str) -> dict[str, dict[str, Any]]:
    """Of each step the newest figures that a checkpoint named."""
    newest = (
        pick(col(AttemptState.streams))
        .where(col(AttemptState.campaign_id) == campaign_id)
        .order_by(col(AttemptState.last_event).desc())
        .limit(LATELY)
    )
    saved: list[tuple[str, Saved]] = []
    for (said,) in session.connection().execute(newest):
        streams = read_streams_once(said)
        step, one = step_of(streams), saved_of(streams)
        if step is not None and one is not None:
            saved.append((step, one))
    found: dict[str, dict[str, Any]] = {}
    for step, one in sorted(saved, key=lambda item: item[1].at_us):
        said_of = {"write_s": one.write_s, "size": one.size}
        known = {name: value for name, value in said_of.items() if value is not None}
        found.setdefault(step, {}).update(known)
    return found


def _checks(session: Session, campaign_id: str) -> dict[str, dict[str, Any]]:
    """Of each step its newest passed restore check."""
    rows = session.exec(
        select(RestoreCheck)
        .where(RestoreCheck.campaign_id == campaign_id, col(RestoreCheck.passed))
        .order_by(col(RestoreCheck.number))
    )
    return {row.step: json.loads(row.found) for row in rows if row.step is not None}


def _first(saved: dict[str, Any], check: dict[str, Any], of_save: str, of_check: str) -> int | None:
    value = saved.get(of_save)
    return _whole(value if value is not None else check.get(of_check))


def _whole(seconds: float | str | None) -> int | None:
    """Seconds rounded up; the journal keeps them as text."""
    return None if seconds is None else math.ceil(float(seconds))
