"""The decision log as rows, made from the journal; entries are only ever appended."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field

from app.db import Table


class Decision(Table, table=True):
    """One entry of the log; a correction is a row of its own that points at what it corrects."""

    __tablename__ = "decisions"
    __table_args__ = (
        UniqueConstraint("campaign_id", "corrects"),
        CheckConstraint("choice IN ('continue', 'cut', 'revise', 'stop')", name="choice"),
        CheckConstraint("length(reason) >= 1", name="reason"),
        CheckConstraint("corrects IS NULL OR corrects < number", name="corrects"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    at: datetime
    actor_kind: str
    actor_name: str
    choice: str
    reason: str
    step: str | None = Field(default=None, max_length=64)
    cut: str  # canonical JSON: a list of step ids
    version: int | None = None
    link: str | None = None
    corrects: int | None = None
