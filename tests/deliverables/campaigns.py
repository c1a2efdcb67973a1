"""Sealed and closed campaigns with deliverables in a database, for tests of commands and pages."""

from __future__ import annotations

from typing import Any

from app.db import Database, WriteSession
from app.deliverables import queries
from app.deliverables.commands import Answer, retrieve, submit
from app.deliverables.rules.standing import DeliverableStanding
from app.deliverables.rules.submission import Submission
from app.errors import AppError
from app.journal import Actor, append
from app.plan.rules.model import Plan
from tests.conftest import NOW
from tests.decisions.runs import completed
from tests.deliverables.plans import ID, MAKER, plan
from tests.plan.drafts import saved, sealed

JOB = Actor("job", "box")


def opened(database: Database, kept: Plan | None = None) -> str:
    """A sealed campaign with the plan of these tests, and the run that made their files."""
    saved(database, kept or plan())
    sealed(database, ID)
    completed(database, MAKER, "control")
    return ID


def resealed(database: Database, kept: Plan) -> None:
    """Seal a later version."""
    saved(database, kept, replace=True)
    sealed(database, ID, "the checks changed")


def closed(database: Database) -> None:
    """Close the campaign, by its entry alone."""
    said = {"outcome": "positive", "conclusion": "It passes.", "open_points": 0, "report": {}}
    database.write(ID, lambda tx: append(tx, ID, "closing.closed", JOB, said, NOW))


def sent(database: Database, submission: Submission, **more: Any) -> Answer:
    """Submit (or prove the retrieval) as the job does; raises what is refused."""
    act = retrieve if submission.retrieved else submit

    def command(tx: WriteSession) -> Answer | AppError:
        return act(tx, ID, submission, actor=more.get("actor", JOB), now=NOW)

    answer = database.write(ID, command)
    assert isinstance(answer, Answer)
    return answer


def standing(database: Database, deliverable: str = "predictions") -> DeliverableStanding:
    """Where one deliverable stands."""
    with database.read() as session:
        found = queries.standing_of(session, ID)
    return next(one for one in found if one.id == deliverable)
