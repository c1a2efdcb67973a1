"""Setting the budget of a currency; it speaks before an order and never stops a job."""

from __future__ import annotations

from datetime import datetime

from app.budget.commands.outcome import Charged
from app.budget.queries import limits_of
from app.budget.rules import limit_problems
from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.journal import Actor, append
from app.orders.commands import refuse
from app.orders.rules import tidy
from app.texts import text


def set_limit(
    tx: WriteSession,
    campaign_id: str,
    currency: str,
    amount_minor: int | None,
    reason: str,
    *,
    actor: Actor,
    now: datetime,
) -> Charged | AppError:
    """Set the budget of a currency in minor units, or withdraw it with None.

    The same amount again is the budget there is.
    """
    refuse_closed(tx, campaign_id)
    if found := limit_problems(currency, amount_minor, reason):
        return refuse(found)
    known = next((one for one in limits_of(tx.orm, campaign_id) if one.currency == currency), None)
    if amount_minor is None and known is None:
        said = text("There is no budget in {currency} to withdraw.", currency=currency)
        return Conflict(said, field="amount")
    if known is not None and known.number is not None and known.amount_minor == amount_minor:
        return Charged(known.number, False)
    payload = {"currency": currency, "amount_minor": amount_minor, "reason": tidy(reason)}
    return Charged(append(tx, campaign_id, "budget.set", actor, payload, now).number, True)
