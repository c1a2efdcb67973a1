"""Keeping a quote, before anything was ordered."""

from __future__ import annotations

from datetime import datetime

from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.errors import AppError
from app.journal import Actor, append
from app.orders.commands.refusals import Logged, refuse
from app.orders.queries import quotes_of
from app.orders.rules import NewQuote, quote_problems, same_quote
from app.units import instant_text


def log_quote(
    tx: WriteSession, campaign_id: str, new: NewQuote, *, actor: Actor, now: datetime
) -> Logged | AppError:
    """Log a quote; the identical one again is the same one."""
    refuse_closed(tx, campaign_id)
    if found := quote_problems(new):
        return refuse(found)
    same = same_quote(quotes_of(tx.orm, campaign_id), new)
    if same is not None:
        return Logged(same.number, False)
    payload = {
        "provider": new.provider,
        "price_minor": new.price_minor,
        "currency": new.currency,
        "gpu": new.gpu,
        "gpus": new.gpus,
        "starts_at": instant_text(new.starts_at) if new.starts_at else None,
        "ends_at": instant_text(new.ends_at) if new.ends_at else None,
        "hours": new.hours,
        "valid_until": new.valid_until.isoformat() if new.valid_until else None,
        "note": new.note,
        "link": new.link,
    }
    return Logged(append(tx, campaign_id, "order.quoted", actor, payload, now).number, True)
