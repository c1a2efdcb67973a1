"""Expenses as the journal says them; rows are only ever appended."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKeyConstraint
from sqlmodel import Field

from app.db import Table


class ExpenseRow(Table, table=True):
    """One charge, credit or correction outside the lots; `number` is the journal entry's."""

    __tablename__ = "expenses"
    __table_args__ = (
        ForeignKeyConstraint(
            ["campaign_id", "corrects_number"], ["expenses.campaign_id", "expenses.number"]
        ),
        CheckConstraint("kind IN ('storage', 'transfer', 'tax', 'support', 'other')", name="kind"),
        CheckConstraint("amount_minor <> 0", name="amount"),
        CheckConstraint("length(currency) = 3", name="currency"),
        CheckConstraint("corrects_number < number", name="corrects"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    kind: str = Field(max_length=16)
    amount_minor: int = Field(sa_type=BigInteger)
    currency: str = Field(max_length=3)
    charged_on: date
    note: str | None = None
    reference: str | None = None
    corrects_number: int | None = None
    logged_at: datetime
    logged_by: str
