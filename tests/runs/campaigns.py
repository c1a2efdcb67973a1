"""Campaigns with stop rules for runs to be recorded in, and posts as a job makes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from fastapi.testclient import TestClient

from app.db import Database
from app.errors import AppError
from app.journal import Actor, append
from app.plan.commands import prepare, save_draft, seal
from app.plan.queries import draft
from app.plan.rules.model import (
    DecisionRule,
    Plan,
    PlannedLot,
    PlannedStopRule,
    Role,
    Step,
    StepClass,
    StepKind,
)
from app.runs import commands, queries
from app.runs.commands import Recorded
from app.runs.queries import RunView
from app.runs.rules.events import Event
from app.runs.rules.reading import read_event
from tests.conftest import NOW, PERSON
from tests.runs.stories import SHA

ID = "rank"
JOB = Actor("job", "box")
FIRST = "1" * 32
SECOND = "2" * 32
BEGAN = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)


def plan(*rules: PlannedStopRule) -> Plan:
    """Two machine steps, one for a person, one lot, and stop rules (non-finite loss by default)."""
    machine, essential = StepKind.MACHINE, StepClass.ESSENTIAL
    control = Step("control", "Control", machine, essential, 36_000, gpus=1, role=Role.CONTROL)
    variant = Step("variant-a", "Variant A", machine, essential, 36_000, gpus=1, role=Role.VARIANT)
    return Plan(
        id=ID,
        question="Which rank do we ship?",
        zone="Europe/Berlin",
        currency="USD",
        decision_rule=DecisionRule(
            "f1",
            "higher",
            "final",
            "Ship it.",
            "Leave it.",
            threshold=Decimal("0.82"),
            metrics=(("f1", "eval_f1"),),
        ),
        lots=(
            PlannedLot("lot-1", gpus=1, hours=72, starts_at=datetime(2026, 11, 30, 7, tzinfo=UTC)),
        ),
        steps=(
            Step("prepare", "Prepare", StepKind.HUMAN, essential, p50_s=14_400),
            control,
            variant,
        ),
        stop_rules=rules or (PlannedStopRule("loss-not-finite", "non_finite", "loss"),),
    )


def opened(database: Database, kept: Plan | None = None, *, sealed: bool = True) -> str:
    """Keep a plan as a draft and seal it; returns the campaign's id."""
    kept = kept or plan()
    database.write(
        kept.id,
        lambda tx: save_draft(tx, kept, revision=None, replace=True, actor=PERSON, now=NOW),
    )
    if sealed:
        with database.read() as session:
            view = draft(session, kept.id)
        assert view is not None
        ready = prepare(view, NOW)
        database.write(kept.id, lambda tx: seal(tx, ready, reason=None, actor=PERSON, now=NOW))
    return kept.id


def closed(database: Database) -> None:
    """Close the campaign, by its entry alone."""
    said = {"outcome": "negative", "conclusion": "None passes.", "open_points": 0, "report": {}}
    database.write(ID, lambda tx: append(tx, ID, "closing.closed", PERSON, said, NOW))


def event(seq: int | None, kind: str = "beat", **fields: Any) -> dict[str, Any]:
    """One event as the client sends it: a second of its clock for each number."""
    body: dict[str, Any] = {"run": "a-01", "kind": kind, "attempt_id": FIRST}
    if seq is not None:
        at = BEGAN + timedelta(seconds=seq)
        body |= {"seq": seq, "at": at.isoformat(), "elapsed_s": seq - 1}
    if kind == "start":
        body |= {"step": "control", "config_sha256": SHA, "host": "box-1"}
    return {**body, **fields}


def read(body: dict[str, Any]) -> Event:
    """The event that the edge makes of a body; a field that is None was not sent."""
    return read_event({name: value for name, value in body.items() if value is not None})


def recorded(
    database: Database, *bodies: dict[str, Any], now: datetime = NOW, actor: Actor = JOB
) -> Recorded:
    """Record a batch."""
    events = [read(body) for body in bodies]
    told = database.write(ID, lambda tx: commands.record(tx, ID, events, actor, now))
    assert isinstance(told, Recorded)
    return told


def posted(
    database: Database, body: dict[str, Any], now: datetime = NOW, actor: Actor = JOB
) -> Recorded:
    """Record one post; raises what is refused."""
    one = read(body)
    told: Recorded = database.write(ID, lambda tx: commands.record_one(tx, ID, one, actor, now))
    return told


def refusals(told: Recorded) -> Sequence[AppError | None]:
    """What was refused of a batch, in order."""
    return [result.refusal for result in told.results]


def run(database: Database, run_id: str = "a-01", now: datetime = NOW) -> RunView:
    """One run as it stands."""
    with database.read() as session:
        found = queries.run_of(session, ID, run_id, now)
    assert found is not None
    return found


def token(client: TestClient, campaign_id: str = ID, name: str = "box") -> dict[str, str]:
    """The headers of a job with a fresh token."""
    made = client.post(f"/api/v1/campaigns/{campaign_id}/tokens", json={"name": name})
    assert made.status_code == 201
    return {"Authorization": f"Bearer {made.json()['token']}"}
