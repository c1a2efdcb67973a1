"""Orders, expenses and acceptances for tests of the budget."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from datetime import date, datetime
from typing import Any

from app.budget.rules import Expense, Terms
from app.deliverables.rules.standing import Acceptance, Rejection
from app.orders.rules import Order, OrderChange, with_rows
from app.orders.rules.records import REFUND, REVERSAL
from app.runs.rules.views import AttemptView, RunView
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
    changes = more.pop("changes", ())
    base = order(number, reference=f"IG-{number}", price_minor=minor, currency=currency)
    return with_rows(replace(base, **more), changes)


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


def change(number: int, kind: str, minor: int | None = None, **more: Any) -> OrderChange:
    """A row that changes an order."""
    return replace(OrderChange(number, NOW, "local", kind, minor, ON, "as stated"), **more)


def attempt(number: int, started_at: datetime, ended_at: datetime, **more: Any) -> AttemptView:
    """One process of a run between two instants."""
    span = round((ended_at - started_at).total_seconds())
    said = {
        "id": f"{number:032x}", "number": number, "status": "completed", "late": False,
        "started_at": started_at, "ended_at": ended_at, "last_seen_at": ended_at,
        "machine_s": span, "gpus": (), "missing": 0, **more,
    }  # fmt: skip
    return AttemptView(**_unstated(AttemptView, said))


def ran(id_: str, status: str, *attempts: AttemptView) -> RunView:
    """A run of these attempts."""
    said = {
        "id": id_, "campaign_id": "rank", "status": status, "silent": False, "stalled": False,
        "attempt": len(attempts), "attempts": attempts, "metrics": (), "corpora": (),
        "machine_s": sum(one.machine_s for one in attempts), "fired": (), "rules": (),
        "before_seal": False, "gaps": 0,
    }  # fmt: skip
    return RunView(**_unstated(RunView, said))


def _unstated(kind: Any, said: dict[str, Any]) -> dict[str, Any]:
    """The fields of a view, None where nothing was said and nothing is meant by default."""
    needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    return dict.fromkeys(needed) | said
