"""Explanations of deviations, and the close with its report as it was then."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint
from sqlmodel import Field

from app.db import Table


class Explanation(Table, table=True):
    """One sentence on why a step took longer or shorter; the newest of a step counts."""

    __tablename__ = "explanations"

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    step: str = Field(max_length=64)
    category: str = Field(max_length=32)
    sentence: str
    at: datetime
    by: str


class Close(Table, table=True):
    """The end of a campaign. `report` is canonical JSON of all figures at that moment."""

    __tablename__ = "closes"
    __table_args__ = (
        CheckConstraint(
            "outcome IN ('positive', 'negative', 'inconclusive', 'abandoned')", name="outcome"
        ),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int
    outcome: str
    conclusion: str
    open_points: int
    report: str
    sha256: str
    at: datetime
    by: str
