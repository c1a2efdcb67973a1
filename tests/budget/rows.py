"""Orders, expenses and acceptances for tests of the budget."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from app.budget.rules import Expense, Terms
from app.deliverables.rules.standing import Acceptance, Rejection
from app.orders.rules import REFUND, REVERSAL, Order, OrderChange
from app.texts import text
from tests.conftest import NOW
from tests.orders.campaigns import order

ON = date(2026, 12, 1)
COUNTED = Terms("USD", research_decision=False, announced=3, announced_units=2)
RESEARCH = Terms("USD", research_decision=True, announced=4, announced_units=0)


def accepted(units: int, *rejected: str) -> Acceptance:
    """So many accepted units, and deliverables that were not accepted."""
    rejections = tuple(
        Rejection(deliverable=id_, title=id_.title(), state="rejected", reason=text("ids missing"))
        for id_ in rejected
    )
    return Acceptance(
        announced=3, accepted=units, announced_units=2, accepted_units=units, rejections=rejections
    )


def priced(number: int, minor: int | None, currency: str = "USD", **more: Any) -> Order:
    """An order at a price."""
    base = order(number, reference=f"IG-{number}", price_minor=minor, currency=currency)
    return replace(base, **more)


def refund(number: int, minor: int) -> OrderChange:
    """What came back."""
    return OrderChange(number, NOW, "local", REFUND, -minor, ON, "late")


def reversal(number: int, minor: int | None) -> OrderChange:
    """An order taken back."""
    return OrderChange(number, NOW, "local", REVERSAL, minor, None, "typed twice")


def expense(number: int, kind: str, minor: int, currency: str = "USD", **more: Any) -> Expense:
    """A row of the expenses."""
    base = Expense(number, NOW, "local", kind, minor, currency, ON, None, None, None)
    return replace(base, **more)
