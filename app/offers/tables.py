"""The versions of the offers that people of this installation wrote; rows are only appended."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, UniqueConstraint
from sqlmodel import Field

from app.db import Table


class OfferVersion(Table, table=True):
    """One version of an offer. `number` counts the versions of all offers, so that its maximum
    says whether the catalogue changed; NULL is not stated."""

    __tablename__ = "offers"
    __table_args__ = (
        UniqueConstraint("offer_id", "version"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("version >= 1", name="version"),
        CheckConstraint("length(offer_id) BETWEEN 1 AND 200", name="offer_id"),
        CheckConstraint("gpus >= 1", name="gpus"),
        CheckConstraint("memory_gb IS NULL OR memory_gb >= 1", name="memory_gb"),
        CheckConstraint("hours IS NULL OR hours >= 1", name="hours"),
        CheckConstraint("price_minor IS NULL OR price_minor >= 0", name="price_minor"),
        CheckConstraint("(price_minor IS NULL) = (currency IS NULL)", name="currency"),
        CheckConstraint("length(source) > 0", name="source"),
        CheckConstraint("origin IN ('packaged', 'typed', 'file')", name="origin"),
    )

    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    offer_id: str = Field(max_length=200)
    version: int
    withdrawn: bool
    provider: str
    gpu: str
    gpus: int
    memory_gb: int | None = None
    hours: int | None = None
    price_minor: int | None = Field(default=None, sa_type=BigInteger)
    currency: str | None = Field(default=None, max_length=3)
    source: str
    valid_on: date | None = None
    origin: str = Field(max_length=16)
    written_at: datetime
    written_by: str
