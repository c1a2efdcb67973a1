"""Writing offers in tests as the commands do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from app.db import Database, WriteSession
from app.offers.commands import LOCK, Kept, import_offers, save_offer, withdraw_offer
from app.offers.queries import catalogue, history
from app.offers.rules import Offer, Planned, Version, read_catalogue
from tests.conftest import NOW, PERSON

LOT = read_catalogue()[0]
OWN = replace(LOT, id="cloud/h100/1d", provider="Cloud", gpu="H100", hours=24)
LATER = NOW + timedelta(days=2)


def write(database: Database, command: Callable[[WriteSession], Any]) -> Any:
    """Run a command of this room."""
    return database.write(LOCK, command)


def save(database: Database, offer: Offer, version: int | None = None) -> Kept:
    """Save an offer; raises what the command refuses."""
    kept = write(
        database, lambda tx: save_offer(tx, offer, version=version, actor=PERSON, now=LATER)
    )
    assert isinstance(kept, Kept)
    return kept


def withdraw(database: Database, offer_id: str, version: int) -> Kept:
    """Withdraw an offer."""
    kept = write(
        database, lambda tx: withdraw_offer(tx, offer_id, version=version, actor=PERSON, now=LATER)
    )
    assert isinstance(kept, Kept)
    return kept


def take(database: Database, *offers: Offer) -> tuple[Planned, ...]:
    """Take the offers of a file."""
    rows = list(enumerate(offers, 1))
    done: tuple[Planned, ...] = write(
        database, lambda tx: import_offers(tx, rows, actor=PERSON, now=LATER)
    )
    return done


def offered(database: Database) -> dict[str, Offer]:
    """The catalogue as a read session sees it, in its order."""
    with database.read() as session:
        return {offer.id: offer for offer in catalogue(session)}


def versions(database: Database, offer_id: str) -> tuple[Version, ...]:
    """An offer's history."""
    with database.read() as session:
        return history(session, offer_id)
