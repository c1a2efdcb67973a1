"""Runs that really went through the runs room, for tests of what depends on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.db import Database
from app.journal import Actor
from app.runs.commands import record_one
from app.runs.rules.reading import read_event
from punktum.configuration import configuration
from tests.conftest import NOW
from tests.decisions.plans import ID

JOB = Actor("job", "box")


def post(database: Database, run: str, kind: str, **fields: Any) -> None:
    """One post of a job that numbers nothing, as a shell does."""
    event = read_event(fields, run=run, kind=kind)
    database.write(ID, lambda tx: record_one(tx, ID, event, JOB, NOW))


def started(
    database: Database,
    run: str,
    step: str,
    corpora: Mapping[str, str] | None = None,
    **fields: Any,
) -> None:
    """A run that has begun; its configuration names the corpora."""
    made = configuration({"run": run}, corpora=corpora)
    post(
        database, run, "start", step=step, config=made.parts, config_sha256=made.sha256,
        elapsed_s=0, **fields,
    )  # fmt: skip


def completed(
    database: Database,
    run: str,
    step: str,
    metrics: Mapping[str, object] | None = None,
    elapsed_s: int = 3600,
    corpora: Mapping[str, str] | None = None,
) -> None:
    """A run that finished with these metrics."""
    started(database, run, step, corpora)
    post(database, run, "finish", elapsed_s=elapsed_s, metrics=dict(metrics or {}), exit_code=0)
