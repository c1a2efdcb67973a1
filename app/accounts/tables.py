"""Job tokens: write-only, one campaign, kept as a hash."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from app.db import Table


class JobToken(Table, table=True):
    """A credential of jobs; the token itself is shown once and never stored."""

    __tablename__ = "job_tokens"

    id: str = Field(primary_key=True, max_length=32)
    campaign_id: str = Field(foreign_key="campaigns.id", max_length=64, index=True)
    name: str = Field(max_length=100)
    sha256: str = Field(unique=True, max_length=64)
    created_at: datetime
    created_by: str
    expires_at: datetime
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
