"""When a campaign's lots can be used: those that were ordered, and planned ones until filled."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from app.orders.queries import lots_of
from app.plan.queries import PlanView


@dataclass(frozen=True, slots=True)
class Window:
    """One lot's window [starts_at, ends_at), machines usable until `usable_until`; UTC."""

    lot: str
    starts_at: datetime
    ends_at: datetime
    usable_until: datetime


def windows_of(session: Session, campaign_id: str, plan: PlanView | None) -> tuple[Window, ...]:
    """The windows of a campaign by their start; planned lots count where they have a date."""
    ordered = lots_of(session, campaign_id)
    filled = {lot.planned_lot for lot in ordered}
    found = [Window(lot.id, lot.starts_at, lot.ends_at, lot.usable_until) for lot in ordered]
    zero = plan.zero_at if plan is not None else None
    if plan is not None and zero is not None:
        found += [
            Window(lot.id, lot.starts_at, lot.ends_at, zero + timedelta(minutes=lot.usable_min))
            for lot in plan.windows
            if lot.id not in filled and lot.starts_at is not None and lot.ends_at is not None
        ]
    return tuple(sorted(found, key=lambda window: (window.starts_at, window.lot)))
