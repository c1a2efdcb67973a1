"""Reading where deliverables stand, and one deliverable with its evidence and history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy
from sqlmodel import Session, col, select

from app.deliverables.rules.announced import Promise, promises
from app.deliverables.rules.evidence import Result, Status
from app.deliverables.rules.manifest import File
from app.deliverables.rules.notes import Note
from app.deliverables.rules.standing import (
    Acceptance,
    DeliverableStanding,
    Place,
    Retrieval,
    SubmissionLine,
    Verdict,
    reason_of,
    state_of,
)
from app.deliverables.rules.standing import acceptance as counted
from app.deliverables.tables import PlaceRow, RetrievalRow, SubmissionRow, VerdictRow
from app.plan import queries as plans
from app.plan.rules.model import Plan
from app.runs.tables import Run

_LINE = (
    col(SubmissionRow.number),
    col(SubmissionRow.deliverable),
    col(SubmissionRow.submission_id),
    col(SubmissionRow.at),
    col(SubmissionRow.actor_kind),
    col(SubmissionRow.actor_name),
    col(SubmissionRow.announced_sha256),
    col(SubmissionRow.runs),
    col(SubmissionRow.files_count),
    col(SubmissionRow.size_bytes),
    col(SubmissionRow.manifest_sha256),
    col(SubmissionRow.base),
    col(SubmissionRow.base_revision),
    col(SubmissionRow.reload_command),
    col(SubmissionRow.passed),
    col(SubmissionRow.failed),
    col(SubmissionRow.not_run),
    col(SubmissionRow.machine_id),
    col(SubmissionRow.host),
    col(SubmissionRow.made_at),
    col(SubmissionRow.tool),
)
"""All of a submission but its files and evidence, which may be large."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A submission with what is large about it: its files by path and its results."""

    line: SubmissionLine
    files: tuple[File, ...]
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class History:
    """All that ever happened to one deliverable, newest first."""

    submissions: tuple[SubmissionLine, ...]
    verdicts: tuple[Verdict, ...]
    retrievals: tuple[Retrieval, ...]
    places: tuple[Place, ...]


def standing_of(session: Session, campaign_id: str) -> tuple[DeliverableStanding, ...]:
    """Every deliverable in the order announced, then what is announced no more."""
    view = plans.current(session, campaign_id)
    return standings(session, campaign_id, view.plan if view is not None else None)


def standings(
    session: Session, campaign_id: str, plan: Plan | None
) -> tuple[DeliverableStanding, ...]:
    """`standing_of` for a plan that the caller has read already; four statements, and one more
    where a submission names runs."""
    lines = _lines(session, campaign_id)
    newest: dict[str, SubmissionLine] = {line.deliverable: line for line in lines}
    verdicts = {found.submission: found for found in _verdicts(session, campaign_id)}
    retrieved = {found.submission: found for found in _retrievals(session, campaign_id)}
    places = {found.deliverable: found for found in _places(session, campaign_id)}
    completed = _completed(session, campaign_id, newest.values())
    announced = promises(plan) if plan is not None else ()
    known = {one.deliverable.id for one in announced}
    left = sorted(set(newest) - known)

    def stand(deliverable: str, promise: Promise | None) -> DeliverableStanding:
        line = newest.get(deliverable)
        number = line.number if line is not None else 0
        count = sum(1 for one in lines if one.deliverable == deliverable)
        named = line.runs if line is not None else ()
        return _standing(
            deliverable, promise, line, count,
            verdicts.get(number), retrieved.get(number), places.get(deliverable),
            tuple(run for run in named if run not in completed),
        )  # fmt: skip

    found = [stand(one.deliverable.id, one) for one in announced]
    return (*found, *(stand(deliverable, None) for deliverable in left))


def acceptance(session: Session, campaign_id: str) -> Acceptance:
    """How many distinct deliverables are announced and accepted, and what was not."""
    return counted(standing_of(session, campaign_id))


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
    return Submitted(_line(row), files, results_of(json.loads(row.checks)))


def history(session: Session, campaign_id: str, deliverable: str) -> History:
    """One deliverable's submissions, verdicts, retrievals and places, newest first."""
    return History(
        tuple(reversed(_lines(session, campaign_id, deliverable))),
        tuple(reversed(_verdicts(session, campaign_id, deliverable))),
        tuple(reversed(_retrievals(session, campaign_id, deliverable))),
        tuple(reversed(_places(session, campaign_id, deliverable))),
    )


def results_of(stored: Iterable[Mapping[str, Any]]) -> tuple[Result, ...]:
    """Results as they are stored in the journal and in rows."""
    return tuple(
        Result(
            one["kind"],
            Status(one["status"]),
            one["detail"],
            one["evidence"],
            Note(one["note"]["code"], one["note"]["values"]) if one["note"] else None,
            one["announced"],
        )
        for one in stored
    )


def _standing(
    deliverable: str,
    promise: Promise | None,
    newest: SubmissionLine | None,
    count: int,
    judged: Verdict | None,
    retrieved: Retrieval | None,
    place: Place | None,
    unfinished: tuple[str, ...],
) -> DeliverableStanding:
    """One deliverable's standing; checks that changed since its submission are not run."""
    announced_sha256 = promise.sha256 if promise is not None else None
    total = len(promise.checks) if promise is not None else 0
    state = state_of(newest, judged, announced_sha256, unfinished)
    passed, failed, not_run = 0, 0, total
    if newest is not None and announced_sha256 in (None, newest.announced_sha256):
        passed, failed, not_run = newest.passed, newest.failed, newest.not_run
    told = promise.deliverable if promise is not None else None
    return DeliverableStanding(
        id=deliverable,
        title=told.title if told is not None else deliverable,
        kind=str(told.kind) if told is not None else "other",
        essential=told.essential if told is not None else False,
        unit=told.unit if told is not None else False,
        state=state,
        announced=promise is not None,
        passed=passed,
        failed=failed,
        not_run=not_run,
        reason=reason_of(state, newest, judged, announced_sha256, unfinished),
        submissions=count,
        newest=newest,
        judged=judged,
        retrieved=retrieved,
        place=place,
        unfinished=unfinished,
    )


def _completed(
    session: Session, campaign_id: str, lines: Iterable[SubmissionLine]
) -> frozenset[str]:
    """Which of the runs that submissions name are recorded as completed."""
    named = {run for line in lines for run in line.runs}
    if not named:
        return frozenset()
    query = select(Run.run_id).where(
        Run.campaign_id == campaign_id,
        col(Run.run_id).in_(named),
        Run.status == "completed",
    )
    return frozenset(session.exec(query))


def _lines(
    session: Session, campaign_id: str, deliverable: str | None = None
) -> list[SubmissionLine]:
    query = (
        sqlalchemy.select(*_LINE)
        .where(col(SubmissionRow.campaign_id) == campaign_id)
        .order_by(col(SubmissionRow.number))
    )
    if deliverable is not None:
        query = query.where(col(SubmissionRow.deliverable) == deliverable)
    return [_line(row) for row in session.connection().execute(query)]


def _line(row: Any) -> SubmissionLine:
    """A row of `_LINE` or a whole record as what rules read."""
    return SubmissionLine(
        number=row.number,
        deliverable=row.deliverable,
        submission_id=row.submission_id,
        at=row.at,
        actor_kind=row.actor_kind,
        actor_name=row.actor_name,
        announced_sha256=row.announced_sha256,
        runs=tuple(json.loads(row.runs)),
        files=row.files_count,
        size_bytes=row.size_bytes,
        manifest_sha256=row.manifest_sha256,
        base=row.base,
        base_revision=row.base_revision,
        reload_command=row.reload_command,
        passed=row.passed,
        failed=row.failed,
        not_run=row.not_run,
        machine_id=row.machine_id,
        host=row.host,
        made_at=row.made_at,
        tool=row.tool,
    )


def _verdicts(session: Session, campaign_id: str, deliverable: str | None = None) -> list[Verdict]:
    query = select(VerdictRow).where(VerdictRow.campaign_id == campaign_id)
    if deliverable is not None:
        query = query.where(VerdictRow.deliverable == deliverable)
    return [
        Verdict(
            row.number, row.deliverable, row.submission, row.at,
            row.actor_kind, row.actor_name, row.verdict, row.reason,
        )
        for row in session.exec(query.order_by(col(VerdictRow.number)))
    ]  # fmt: skip


def _retrievals(
    session: Session, campaign_id: str, deliverable: str | None = None
) -> list[Retrieval]:
    query = select(RetrievalRow).where(RetrievalRow.campaign_id == campaign_id)
    if deliverable is not None:
        query = query.where(RetrievalRow.deliverable == deliverable)
    return [
        Retrieval(row.number, row.deliverable, row.submission, row.at, row.host, row.machine_id)
        for row in session.exec(query.order_by(col(RetrievalRow.number)))
    ]


def _places(session: Session, campaign_id: str, deliverable: str | None = None) -> list[Place]:
    query = select(PlaceRow).where(PlaceRow.campaign_id == campaign_id)
    if deliverable is not None:
        query = query.where(PlaceRow.deliverable == deliverable)
    return [
        Place(row.number, row.deliverable, row.place, row.seen_on, row.at, row.actor_name)
        for row in session.exec(query.order_by(col(PlaceRow.number)))
    ]
