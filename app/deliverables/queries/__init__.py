"""Reading where deliverables stand, and one deliverable with its evidence and history."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlmodel import Session, col, select

from app.deliverables.queries.rows import (
    line_of,
    lines_of,
    losses_of,
    places_of,
    results_of,
    retrievals_of,
    verdicts_of,
)
from app.deliverables.queries.standing import acceptance, standing_of, standings, still_there
from app.deliverables.rules.evidence import Result
from app.deliverables.rules.manifest import File
from app.deliverables.rules.standing import Loss, Place, Retrieval, SubmissionLine, Verdict
from app.deliverables.tables import RetrievalRow, SubmissionRow

__all__ = [
    "AtHome",
    "History",
    "Submitted",
    "acceptance",
    "at_home",
    "evidence",
    "history",
    "results_of",
    "standing_of",
    "standings",
    "still_there",
    "submitted",
]


@dataclass(frozen=True, slots=True)
class Submitted:
    """A submission with what is large about it: its files by path and its results."""

    line: SubmissionLine
    files: tuple[File, ...]
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class AtHome:
    """A proof of retrieval: the submission's line as it was verified there, and the results."""

    line: SubmissionLine
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class History:
    """All that ever happened to one deliverable, newest first."""

    submissions: tuple[SubmissionLine, ...]
    verdicts: tuple[Verdict, ...]
    retrievals: tuple[Retrieval, ...]
    places: tuple[Place, ...]
    losses: tuple[Loss, ...] = ()


def submitted(session: Session, campaign_id: str, number: int) -> Submitted | None:
    """One submission with its files and evidence."""
    row = session.exec(
        select(SubmissionRow).where(
            SubmissionRow.campaign_id == campaign_id, SubmissionRow.number == number
        )
    ).first()
    if row is None:
        return None
    files = tuple(File(one["path"], one["size"], one["sha256"]) for one in json.loads(row.files))
    return Submitted(line_of(row), files, results_of(json.loads(row.checks)))


def history(session: Session, campaign_id: str, deliverable: str) -> History:
    """One deliverable's submissions, verdicts, retrievals and places, newest first."""
    return History(
        tuple(reversed(lines_of(session, campaign_id, deliverable))),
        tuple(reversed(verdicts_of(session, campaign_id, deliverable))),
        tuple(reversed(retrievals_of(session, campaign_id, deliverable))),
        tuple(reversed(places_of(session, campaign_id, deliverable))),
        tuple(reversed(losses_of(session, campaign_id, deliverable))),
    )


def at_home(session: Session, campaign_id: str, line: SubmissionLine) -> AtHome | None:
    """What the newest proof of retrieval of a submission found on the other machine."""
    row = session.exec(
        select(RetrievalRow)
        .where(RetrievalRow.campaign_id == campaign_id, RetrievalRow.submission == line.number)
        .order_by(col(RetrievalRow.number).desc())
    ).first()
    if row is None:
        return None
    there = replace(
        line, at=row.at, actor_name=row.actor_name, host=row.host, made_at=None, tool=row.tool
    )
    return AtHome(there, results_of(json.loads(row.checks)))


def evidence(
    session: Session, campaign_id: str, numbers: Iterable[int]
) -> dict[int, tuple[Result, ...]]:
    """The results of submissions by their numbers; one statement."""
    found = session.exec(
        select(SubmissionRow.number, SubmissionRow.checks).where(
            SubmissionRow.campaign_id == campaign_id, col(SubmissionRow.number).in_(tuple(numbers))
        )
    )
    return {number: results_of(json.loads(checks)) for number, checks in found}
