"""The sample campaign, laid so that it stands at hour 31 of its 72 hours now.

Every fact goes through the same command that a person or a job would have used, one after the
other with the time at which it would have come; nothing is written past them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from app.db import Database, WriteSession
from app.decisions.commands import record as decide
from app.decisions.rules.entering import NewDecision
from app.deliverables.commands import submit
from app.deliverables.rules.evidence import Posted
from app.deliverables.rules.manifest import File
from app.deliverables.rules.objection import Objection
from app.deliverables.rules.submission import Submission, prepared
from app.demo.invented import BOX, Invented, digest, hours, runs
from app.demo.telling import Told, tell
from app.errors import AppError
from app.exchange.commands import import_sample
from app.journal import Actor
from app.orders.commands import log_order
from app.orders.rules import NewLot, NewOrder
from app.plan.commands import prepare, seal
from app.plan.queries import draft
from app.runs.commands import log_time

T = TypeVar("T")
HOUR = 31
"""How many whole hours of the lot have passed."""
LOT_HOURS = 72
JOB = Actor("job", "invoice box")


@dataclass(frozen=True, slots=True)
class Laid:
    """What the sample left standing: its id, hour 0, and the run that goes on."""

    campaign: str
    zero_at: datetime
    going: Told


def lay_sample(database: Database, person: Actor, now: datetime) -> Laid:
    """Lay the sample into a database that does not have it. Raises `AppError` where it does."""
    zero_at = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOUR)
    return _Laying(database, person, zero_at, now).all()


class _Laying:
    """One laying; `at` counts hours from the start of the lot."""

    def __init__(self, database: Database, person: Actor, zero_at: datetime, now: datetime) -> None:
        self._database = database
        self._person = person
        self._zero_at = zero_at
        self._now = now
        self._campaign = ""

    def all(self) -> Laid:
        """Everything in the order in which it happened."""
        corpus = self._plan()
        self._order()
        pilot, restored, control, broken, going = runs(corpus)
        self._time("prepare", 0, 5.1, "The driver of the image was too old.")
        self._run(pilot)
        self._time("data-check", 5.2, 6.1, "1,200 ids, hashes right, 12 inputs are long.")
        self._run(restored)
        self._time("pilot-decision", 10.2, 10.7, "")
        self._decide(10.7)
        self._run(control)
        self._submit(22.3)
        self._run(broken)
        return Laid(self._campaign, self._zero_at, self._run(going))

    def at(self, hour: float) -> datetime:
        """The instant of an hour of the lot."""
        return self._zero_at + hours(hour)

    def _plan(self) -> str:
        """Import and seal, an hour and a half before the lot begins; the corpus's hash."""
        imported = import_sample(self._database, self._person, self.at(-2))
        self._campaign = imported.campaign_id
        with self._database.read() as session:
            view = draft(session, self._campaign)
        assert view is not None
        ready, now = prepare(view, self.at(-1.5)), self.at(-1.5)
        self._write(lambda tx: seal(tx, ready, reason=None, actor=self._person, now=now))
        return view.plan.corpora[0].sha256 or digest("corpus")

    def _order(self) -> None:
        lot = NewLot(self._zero_at, self.at(LOT_HOURS), lot="lot-1")
        order = NewOrder.one("IteraGPU", "IG-20931", 4714, "USD", lot, price_typed="47.14")
        now = self.at(-0.75)
        self._write(lambda tx: log_order(tx, self._campaign, order, actor=self._person, now=now))

    def _time(self, step: str, begins: float, ends: float, note: str) -> None:
        """A person's time, logged when it was spent."""
        started_at, ended_at = self.at(begins), self.at(ends)
        self._write(
            lambda tx: log_time(
                tx, self._campaign, step, started_at, ended_at, note,
                actor=self._person, now=ended_at,
            )
        )  # fmt: skip

    def _decide(self, hour: float) -> None:
        decision = NewDecision(
            "continue",
            "The pilot took 1.05 times its estimate, the restored training went on with the same"
            " loss, and no rule fired.",
            "pilot-decision",
        )
        now = self.at(hour)
        self._write(lambda tx: decide(tx, self._campaign, decision, actor=self._person, now=now))

    def _run(self, run: Invented) -> Told:
        return tell(self._database, self._campaign, run, self._zero_at, self._now, JOB)

    def _submit(self, hour: float) -> None:
        """The control's predictions: twelve of them are missing, and nothing reloads them yet."""
        now = self.at(hour)
        submission = prepared(_predictions(now))
        assert not isinstance(submission, Objection)
        self._write(lambda tx: submit(tx, self._campaign, submission, actor=JOB, now=now))

    def _write(self, command: Callable[[WriteSession], T | AppError]) -> T:
        return self._database.write(self._campaign, command)


def _predictions(now: datetime) -> Submission:
    missing = [f"invoice-{number:04d}" for number in range(1189, 1201)]
    files = (
        File("logs/evaluate.log", 18_204, digest("evaluate.log")),
        File("predictions.csv", 96_412, digest("predictions.csv")),
    )
    checks = (
        Posted("non_empty", True, detail="2 files, none empty"),
        Posted(
            "expected_ids",
            False,
            detail=f"12 missing: {', '.join(missing[:5])} and 7 more",
            evidence={"expected": 1200, "found": 1188, "missing": missing},
        ),
        Posted("no_temporary_paths", True, detail="none in 1 file"),
        Posted("reload", False, not_run=True, detail="reload_predictions.py is not there yet"),
    )
    return Submission(
        deliverable="predictions",
        submission_id=digest("submission")[:32],
        files=files,
        runs=("control-01",),
        reload_command="python reload_predictions.py",
        checks=checks,
        machine_id=digest(BOX),
        host=BOX,
        made_at=now,
        tool="punktum/0.1.0",
    )
