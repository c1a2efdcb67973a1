"""Rows of deliverables as what rules read: submissions, verdicts, retrievals, places, losses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy
from sqlmodel import Session, col, select

from app.deliverables.rules.evidence import Result, Status
from app.deliverables.rules.notes import Note
from app.deliverables.rules.retrieval import reloaded
from app.deliverables.rules.standing import Loss, Place, Retrieval, SubmissionLine, Verdict
from app.deliverables.tables import LossRow, PlaceRow, RetrievalRow, SubmissionRow, VerdictRow

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


def lines_of(
    session: Session, campaign_id: str, deliverable: str | None = None
) -> list[SubmissionLine]:
    """Submissions without what is large, oldest first; of one deliverable or of all."""
    query = (
        sqlalchemy.select(*_LINE)
        .where(col(SubmissionRow.campaign_id) == campaign_id)
        .order_by(col(SubmissionRow.number))
    )
    if deliverable is not None:
        query = query.where(col(SubmissionRow.deliverable) == deliverable)
    return [line_of(row) for row in session.connection().execute(query)]


def line_of(row: Any) -> SubmissionLine:
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


def verdicts_of(
    session: Session, campaign_id: str, deliverable: str | None = None
) -> list[Verdict]:
    """Verdicts, oldest first."""
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


def retrievals_of(
    session: Session, campaign_id: str, deliverable: str | None = None
) -> list[Retrieval]:
    """Proofs of retrieval, oldest first."""
    query = select(RetrievalRow).where(RetrievalRow.campaign_id == campaign_id)
    if deliverable is not None:
        query = query.where(RetrievalRow.deliverable == deliverable)
    return [
        Retrieval(
            row.number, row.deliverable, row.submission, row.at, row.host, row.machine_id,
            reloaded(results_of(json.loads(row.checks))),
        )
        for row in session.exec(query.order_by(col(RetrievalRow.number)))
    ]  # fmt: skip


def places_of(session: Session, campaign_id: str, deliverable: str | None = None) -> list[Place]:
    """Where persons said that files lie, oldest first."""
    query = select(PlaceRow).where(PlaceRow.campaign_id == campaign_id)
    if deliverable is not None:
        query = query.where(PlaceRow.deliverable == deliverable)
    return [
        Place(row.number, row.deliverable, row.place, row.seen_on, row.at, row.actor_name)
        for row in session.exec(query.order_by(col(PlaceRow.number)))
    ]


def losses_of(session: Session, campaign_id: str, deliverable: str | None = None) -> list[Loss]:
    """What persons said is lost, oldest first."""
    query = select(LossRow).where(LossRow.campaign_id == campaign_id)
    if deliverable is not None:
        query = query.where(LossRow.deliverable == deliverable)
    return [
        Loss(row.number, row.deliverable, row.submission, row.at, row.actor_name, row.reason)
        for row in session.exec(query.order_by(col(LossRow.number)))
    ]
