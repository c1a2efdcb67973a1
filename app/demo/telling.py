"""Telling an invented run to the server: in one go up to now, and from then on post by post."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from app.db import Database
from app.demo.invented import CHECKPOINT_BYTES, STATES, Invented, hours
from app.journal import Actor
from app.runs.commands import record_one
from app.runs.rules.reading import read_event
from app.units import instant_text

BETWEEN: Final = timedelta(minutes=10)
"""Between two beats of the past; what lies between them is not needed for any page."""
LATELY: Final = timedelta(seconds=15)
"""How long before now the run that goes on has last reported."""
SAVED_EVERY_S: Final = 3600

Post = Callable[[str, Mapping[str, object], datetime], None]
"""Takes a kind of event, its body, and when it comes."""


@dataclass(slots=True)
class Told:
    """A run as far as it was told: which one, since when, and the number of its last event."""

    run: Invented
    started_at: datetime
    seq: int = 0

    def event(self, at: datetime, **said: object) -> dict[str, object]:
        """The next event's body at an instant."""
        self.seq += 1
        return {
            "attempt_id": self.run.attempt_id,
            "source": "main",
            "seq": self.seq,
            "at": instant_text(at),
            "elapsed_s": self.elapsed_s(at),
            **said,
        }

    def beat(self, at: datetime, expect_next_s: int) -> dict[str, object]:
        """A sign of life with what is measured at that instant."""
        elapsed_s = self.elapsed_s(at)
        return self.event(
            at,
            progress=self.run.progress(elapsed_s),
            total=self.run.total,
            metrics=self.run.metrics(elapsed_s),
            inputs={"invoices": {"expected": 1200, "truncated": 0}},
            expect_next_s=expect_next_s,
        )

    def checkpoint(self, at: datetime) -> dict[str, object]:
        """A save with everything that a restore needs."""
        done = self.run.progress(self.elapsed_s(at))
        return self.event(
            at,
            path=f"checkpoints/{self.run.id}/step-{done}",
            size=CHECKPOINT_BYTES,
            states=list(STATES),
            write_s=118.0,
            progress=done,
            total=self.run.total,
        )

    def elapsed_s(self, at: datetime) -> int:
        """Whole seconds since its start."""
        return int((at - self.started_at).total_seconds())


def tell(
    database: Database,
    campaign: str,
    run: Invented,
    zero_at: datetime,
    now: datetime,
    job: Actor,
) -> Told:
    """Record a run from its start to its end, or to a moment ago where it goes on."""
    told = Told(run, zero_at + hours(run.begins))
    until = now - LATELY if run.ends is None else zero_at + hours(run.ends)

    def post(kind: str, body: Mapping[str, object], at: datetime) -> None:
        event = read_event(body, run=run.id, kind=kind)
        database.write(campaign, lambda tx: record_one(tx, campaign, event, job, at))

    post("start", told.event(told.started_at, **run.start(), expect_next_s=900), told.started_at)
    _past(told, until, post)
    if run.ends is None:
        post("beat", told.beat(until, 60), until)
    else:
        _end(told, zero_at, until, post)
    return told


def _past(told: Told, until: datetime, post: Post) -> None:
    """Beats, and a checkpoint each hour, up to shortly before an instant."""
    at, saved_s = told.started_at + timedelta(minutes=1), 0
    while at < until - timedelta(minutes=2):
        post("beat", told.beat(at, 900), at)
        if told.run.saves and told.elapsed_s(at) - saved_s >= SAVED_EVERY_S:
            saved_s = told.elapsed_s(at)
            saved_at = at + timedelta(minutes=1)
            post("checkpoint", told.checkpoint(saved_at), saved_at)
        at += BETWEEN


def _end(told: Told, zero_at: datetime, ended_at: datetime, post: Post) -> None:
    run = told.run
    if run.breaks is not None:
        broke_at = zero_at + hours(run.breaks)
        seen = {**run.metrics(told.elapsed_s(broke_at)), "loss": "nan"}
        done = run.progress(told.elapsed_s(broke_at))
        beat = told.event(broke_at, progress=done, total=run.total, metrics=seen)
        post("beat", {**beat, "expect_next_s": 60}, broke_at)
        stopped: dict[str, Any] = {
            "reason_code": "rule:loss-not-finite",
            "reason_text": "loss is nan",
            "exit_code": 1,
        }
        post("stop", told.event(ended_at, progress=done, **stopped), ended_at)
        return
    last = {**run.metrics(told.elapsed_s(ended_at)), "eval_f1": run.f1(1.0)}
    said: dict[str, Any] = {"progress": run.total, "total": run.total, "exit_code": 0}
    if run.restored is not None:
        said["restore"] = run.restored
    post("finish", told.event(ended_at, metrics=last, **said), ended_at)
