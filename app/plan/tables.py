"""Drafts of plans, and the sealed versions made from the journal."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint
from sqlmodel import Field

from app.db import Table


class Draft(Table, table=True):
    """The plan as it is being written; `revision` counts its changes, so that two editors meet."""

    __tablename__ = "drafts"
    __table_args__ = (CheckConstraint("revision >= 1", name="revision"),)

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    document: str
    revision: int
    updated_at: datetime
    updated_by: str


class PlanVersion(Table, table=True):
    """One sealed version: document, schedule and offers as canonical JSON, never changed.

    `started` and `ended` count the runs that the journal knew of at the seal.
    """

    __tablename__ = "plan_versions"
    __table_args__ = (
        CheckConstraint("version >= 1", name="version"),
        CheckConstraint("length(sha256) = 64", name="sha256"),
        CheckConstraint("version = 1 OR length(reason) > 0", name="reason"),
        CheckConstraint(
            "knowledge IN ('nothing_run', 'runs_started', 'results_seen')", name="knowledge"
        ),
        CheckConstraint("started >= 0 AND ended >= 0", name="counts"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    version: int = Field(primary_key=True)
    document: str
    schedule: str
    offers: str
    sha256: str = Field(max_length=64)
    reason: str | None = None
    knowledge: str
    started: int
    ended: int
    warnings: str
    sealed_at: datetime
    sealed_by: str
