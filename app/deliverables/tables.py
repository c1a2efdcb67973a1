"""Submissions, verdicts, retrievals, losses and places as rows, made from the journal; appended
only."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, Column, UniqueConstraint
from sqlmodel import Field

from app.db import Table


class SubmissionRow(Table, table=True):
    """One submission: its manifest, the results of its checks, who sent it from where."""

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("campaign_id", "submission_id"),
        CheckConstraint("size_bytes >= 0 AND files_count >= 1", name="manifest"),
        CheckConstraint("passed >= 0 AND failed >= 0 AND not_run >= 0", name="checks"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    deliverable: str = Field(max_length=64)
    submission_id: str = Field(max_length=32)
    content_sha256: str = Field(max_length=64)
    at: datetime
    actor_kind: str
    actor_name: str
    version: int
    announced_sha256: str = Field(max_length=64)
    runs: str  # canonical JSON: a list of run ids
    files_count: int
    size_bytes: int = Field(sa_column=Column(BigInteger, nullable=False))
    manifest_sha256: str = Field(max_length=64)
    files: str  # canonical JSON: a list of {path, size, sha256} by path
    base: str | None = None
    base_revision: str | None = None
    reload_command: str | None = None
    checks: str  # canonical JSON: the results, announced ones first
    passed: int
    failed: int
    not_run: int
    machine_id: str | None = Field(default=None, max_length=64)
    host: str | None = None
    made_at: datetime | None = None
    tool: str | None = None


class VerdictRow(Table, table=True):
    """One verdict on a submission, by the rule or by a person."""

    __tablename__ = "verdicts"
    __table_args__ = (
        CheckConstraint("verdict IN ('accepted', 'rejected')", name="verdict"),
        CheckConstraint("verdict = 'accepted' OR reason IS NOT NULL", name="reason"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    deliverable: str = Field(max_length=64)
    submission: int
    at: datetime
    actor_kind: str
    actor_name: str
    verdict: str
    reason: str | None = None


class RetrievalRow(Table, table=True):
    """Proof that a submission's files were verified on another machine."""

    __tablename__ = "retrievals"
    __table_args__ = (UniqueConstraint("campaign_id", "submission_id"),)

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    deliverable: str = Field(max_length=64)
    submission: int
    submission_id: str = Field(max_length=32)
    content_sha256: str = Field(max_length=64)
    at: datetime
    actor_kind: str
    actor_name: str
    machine_id: str = Field(max_length=64)
    host: str | None = None
    checks: str  # canonical JSON: what the verification found there
    tool: str | None = None


class LossRow(Table, table=True):
    """A person's word that a submission's files are lost."""

    __tablename__ = "losses"
    __table_args__ = (CheckConstraint("length(reason) >= 1", name="reason"),)

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    deliverable: str = Field(max_length=64)
    submission: int
    at: datetime
    actor_kind: str
    actor_name: str
    reason: str


class PlaceRow(Table, table=True):
    """Where a person says that a deliverable's files lie."""

    __tablename__ = "places"
    __table_args__ = (CheckConstraint("length(place) >= 1", name="place"),)

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    deliverable: str = Field(max_length=64)
    at: datetime
    actor_kind: str
    actor_name: str
    place: str
    seen_on: date
