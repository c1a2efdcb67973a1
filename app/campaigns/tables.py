"""Campaigns, and where each one stands by the journal."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint
from sqlmodel import Field

from app.db import Table


class Campaign(Table, table=True):
    """What the newest draft or seal says of a campaign, for lists; the id is for ever."""

    __tablename__ = "campaigns"
    __table_args__ = (CheckConstraint("length(id) BETWEEN 1 AND 64", name="id"),)

    id: str = Field(primary_key=True, max_length=64)
    question: str
    zone: str
    currency: str = Field(max_length=3)
    created_at: datetime
    created_by: str


class CampaignStanding(Table, table=True):
    """Where a campaign stands; made from its journal, no row means draft."""

    __tablename__ = "campaign_standings"
    __table_args__ = (CheckConstraint("state IN ('sealed', 'running', 'closed')", name="state"),)

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    state: str
    version: int
    sealed_at: datetime
    running_at: datetime | None = None
    closed_at: datetime | None = None
    outcome: str | None = None
