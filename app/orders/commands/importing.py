"""Logging the orders of a file, all of them or none."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from app.db import WriteSession
from app.errors import AppError
from app.journal import Actor
from app.orders.commands.log import log_order
from app.orders.commands.refusals import Logged
from app.orders.rules import NewOrder


def log_orders(
    tx: WriteSession, campaign_id: str, orders: Iterable[NewOrder], *, actor: Actor, now: datetime
) -> tuple[Logged, ...]:
    """Log each order in one transaction; raises the first refusal, and then nothing is written.

    What is in the record already stays as it is, so the same file again changes nothing.
    """
    done: list[Logged] = []
    for new in orders:
        logged = log_order(tx, campaign_id, new, actor=actor, now=now)
        if isinstance(logged, AppError):
            raise logged  # a command that wrote is rolled back by what it raises
        done.append(logged)
    return tuple(done)
