"""The tables of this room, made from journal entries and nothing else.

What an older entry does not say yet is read as not stated.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from app.budget.tables import BudgetLimitRow, ExpenseRow
from app.db import WriteSession
from app.journal import Entry, projector


@projector("expense.charged", writes=("expenses",))
def project_expense(tx: WriteSession, entry: Entry) -> None:
    """One row for each entry."""
    said: Mapping[str, Any] = entry.payload
    tx.add(
        ExpenseRow(
            campaign_id=entry.campaign_id,
            number=entry.number,
            kind=said["kind"],
            amount_minor=said["amount_minor"],
            currency=said["currency"],
            charged_on=date.fromisoformat(said["charged_on"]),
            note=said["note"],
            reference=said["reference"],
            corrects_number=said["corrects"],
            tax_state=said.get("tax_state"),
            provider=said.get("provider"),
            after_close=said.get("after_close", False),
            logged_at=entry.at,
            logged_by=entry.actor.name,
        )
    )


@projector("budget.set", writes=("budget_limits",))
def project_limit(tx: WriteSession, entry: Entry) -> None:
    """One row for each entry; the newest of a currency counts."""
    said: Mapping[str, Any] = entry.payload
    tx.add(
        BudgetLimitRow(
            campaign_id=entry.campaign_id,
            number=entry.number,
            currency=said["currency"],
            amount_minor=said["amount_minor"],
            reason=said["reason"],
            set_at=entry.at,
            set_by=entry.actor.name,
        )
    )
