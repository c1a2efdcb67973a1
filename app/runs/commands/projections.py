"""The tables that are made from the journal: the stop register and people's time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from app.db import WriteSession
from app.journal import Entry, projector
from app.runs.tables import RestoreCheck, StopRecord, TimeSpan
from app.units import stored_instant


@projector("run.stop_recorded", writes=("stop_records",))
def project_stop(tx: WriteSession, entry: Entry) -> None:
    """A line of the stop register."""
    said: Mapping[str, Any] = entry.payload
    tx.add(
        StopRecord(
            campaign_id=entry.campaign_id,
            number=entry.number,
            run_id=said["run"],
            attempt=said["attempt"],
            attempt_id=said["attempt_id"],
            step=said["step"],
            config_sha256=said["config_sha256"],
            key=said["key"],
            rule=said["rule"],
            reason_code=said["reason_code"],
            text=said["text"],
            metric=said["metric"],
            value=said["value"],
            act=said["act"],
            fired_on_box=said["fired_on_box"],
            confirmed=said["confirmed"],
            withdrawn=said.get("withdrawn", False),
            actor_kind=entry.actor.kind,
            actor_name=entry.actor.name,
            at=stored_instant(said["at"]),
            recorded_at=entry.at,
        )
    )


@projector("run.restore_checked", writes=("restore_checks",))
def project_restore(tx: WriteSession, entry: Entry) -> None:
    """The result of a restore check."""
    said: Mapping[str, Any] = entry.payload
    tx.add(
        RestoreCheck(
            campaign_id=entry.campaign_id,
            number=entry.number,
            run_id=said["run"],
            attempt=said["attempt"],
            step=said["step"],
            passed=said["passed"],
            at=stored_instant(said["at"]),
            found=json.dumps(said, ensure_ascii=False, sort_keys=True),
        )
    )


@projector("time.logged", writes=("spans",))
def project_time(tx: WriteSession, entry: Entry) -> None:
    """An entry about people's time."""
    said: Mapping[str, Any] = entry.payload
    ended = said["ended_at"]
    tx.add(
        TimeSpan(
            campaign_id=entry.campaign_id,
            number=entry.number,
            act=said["act"],
            span=said["span"] or entry.number,
            step=said["step"],
            started_at=stored_instant(said["started_at"]),
            ended_at=stored_instant(ended) if ended else None,
            person=entry.actor.name,
            note=said["note"],
        )
    )
