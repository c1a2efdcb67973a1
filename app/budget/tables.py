"""Expenses and budgets as the journal says them; rows are only ever appended."""

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
        CheckConstraint(
            "tax_state IS NULL OR (kind = 'tax' AND tax_state IN ('included', 'excluded'))",
            name="tax_state",
        ),
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
    tax_state: str | None = Field(default=None, max_length=16)
    provider: str | None = None
    after_close: bool
    logged_at: datetime
    logged_by: str


class BudgetLimitRow(Table, table=True):
    """The budget of a currency from an entry on; NULL withdraws the one there was."""

    __tablename__ = "budget_limits"
    __table_args__ = (
        CheckConstraint("amount_minor IS NULL OR amount_minor >= 0", name="amount"),
        CheckConstraint("length(currency) = 3", name="currency"),
        CheckConstraint("length(reason) > 0", name="reason"),
    )

    campaign_id: str = Field(primary_key=True, foreign_key="campaigns.id", max_length=64)
    number: int = Field(primary_key=True)
    currency: str = Field(max_length=3)
    amount_minor: int | None = Field(default=None, sa_type=BigInteger)
    reason: str
    set_at: datetime
    set_by: str
