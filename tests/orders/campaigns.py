"""Campaigns with lots to rent, drafts and sealed ones, and orders for them."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from app.db import Database
from app.journal import append
from app.orders.rules import NewLot, NewOrder, Order, OrderChange, OrderedLot
from app.plan.commands import prepare, save_draft, seal
from app.plan.queries import draft
from app.plan.rules.model import DecisionRule, Plan, PlannedLot, Step, StepClass, StepKind
from tests.conftest import NOW, PERSON

OFFER = "iteragpu/rtx-4090/3d"
START = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
END = datetime(2026, 12, 3, 7, 0, tzinfo=UTC)
ID = "rank"


def plan(*lots: PlannedLot, id_: str = ID, research: bool = False) -> Plan:
    """A campaign of one human step that means to rent these lots (one with a start by default)."""
    return Plan(
        id=id_,
        question="Which rank do we ship?",
        zone="Europe/Berlin",
        currency="USD",
        decision_rule=DecisionRule(
            "f1", "higher", "final", "Ship it.", "Leave it.", threshold=Decimal("0.82")
        ),
        research_decision=research,
        lots=lots or (PlannedLot("lot-1", offer=OFFER, starts_at=START),),
        steps=(Step("read", "Read", StepKind.HUMAN, StepClass.ESSENTIAL, p50_s=3600),),
    )


def opened(database: Database, kept: Plan | None = None, *, sealed: bool = True) -> str:
    """Keep a plan as a draft and seal it; returns the campaign's id."""
    kept = kept or plan()
    database.write(
        kept.id,
        lambda tx: save_draft(tx, kept, revision=None, replace=True, actor=PERSON, now=NOW),
    )
    if sealed:
        with database.read() as session:
            view = draft(session, kept.id)
        assert view is not None
        ready = prepare(view, NOW)
        database.write(kept.id, lambda tx: seal(tx, ready, reason=None, actor=PERSON, now=NOW))
    return kept.id


def closed(database: Database, campaign_id: str = ID) -> None:
    """Close the campaign with a negative outcome, by its entry alone."""
    said = {
        "outcome": "negative",
        "conclusion": "No variant passes.",
        "open_points": 0,
        "report": {},
    }
    database.write(
        campaign_id, lambda tx: append(tx, campaign_id, "closing.closed", PERSON, said, NOW)
    )


_OF_A_LOT = {field.name for field in fields(NewLot)}


def new_order(reference: str = "IG-20931", **more: Any) -> NewOrder:
    """The order of a lot for three days at 47.14 USD; fields of the lot may be given too."""
    lot = NewLot(**{"starts_at": START, "ends_at": END}
                 | {name: value for name, value in more.items() if name in _OF_A_LOT})  # fmt: skip
    base = NewOrder.one("IteraGPU", reference, 4714, "USD", lot)
    return replace(base, **{n: value for n, value in more.items() if n not in _OF_A_LOT})


def order(number: int = 1, **more: Any) -> Order:
    """An order as the record holds it, for pure rules."""
    said = new_order()
    base = Order(
        number=number,
        logged_at=NOW,
        logged_by="local",
        provider=said.provider,
        account=None,
        reference=said.reference,
        price_minor=4714,
        currency="USD",
        price_typed=None,
        note=None,
        plan_version=1,
        offer=None,
        replaces=None,
        lots=(OrderedLot(number, 0, "lot-1", 1, "RTX 4090", START, END, END),),
    )
    return replace(base, **more)


def change(kind: str, amount: int | None = None, number: int = 9, **more: Any) -> OrderChange:
    """A row that changes an order, logged a day after it."""
    base = OrderChange(number, NOW + timedelta(days=1), "local", kind, amount, None, "why")
    return replace(base, **more)


def body(reference: str = "IG-20931", **more: object) -> dict[str, object]:
    """The same order as a script sends it."""
    return {
        "provider": "IteraGPU",
        "reference": reference,
        "price": "47.14",
        "currency": "USD",
        "starts_at": "2026-11-30T08:00:00+01:00",
        "ends_at": "2026-12-03T08:00:00+01:00",
        **more,
    }
