"""The table of expenses, made from journal entries and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from app.budget.tables import ExpenseRow
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
            logged_at=entry.at,
            logged_by=entry.actor.name,
        )
    )
