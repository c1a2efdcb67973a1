"""The versions of an offer: what changed and since when, and what a file would change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

from app.offers.rules.offer import Offer
from app.texts import Text, text
from app.units import HOUR_S, Duration, Money

PACKAGED, TYPED, FROM_FILE = "packaged", "typed", "file"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an offer; the one that came with the program has neither instant nor name."""

    offer: Offer
    number: int
    origin: str = PACKAGED  # packaged | typed | file
    written_at: datetime | None = None
    written_by: str | None = None

    @property
    def since(self) -> date | None:
        """The day from which it holds: as its source says, else the day it was written."""
        if self.offer.valid_on is not None:
            return self.offer.valid_on
        return self.written_at.date() if self.written_at is not None else None


@dataclass(frozen=True, slots=True)
class Change:
    """One key that two versions state differently; None is not stated."""

    key: str
    before: object
    after: object


class Act(StrEnum):
    """What taking a row of a file would do."""

    ADD = "add"
    CHANGE = "change"
    WITHDRAW = "withdraw"
    OFFER_AGAIN = "offer_again"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Planned:
    """One row of a file beside the catalogue."""

    line: int
    act: Act
    offer: Offer
    changes: tuple[Change, ...] = ()


def price_of(offer: Offer) -> Money | None:
    """The price of the whole lot; None is not known."""
    if offer.price_minor is None or offer.currency is None:
        return None
    return Money(offer.price_minor, offer.currency)


def duration_of(offer: Offer) -> Duration | None:
    """How long the lot lasts; None is not stated."""
    return None if offer.hours is None else Duration(offer.hours * HOUR_S)


def changes(before: Offer, after: Offer) -> tuple[Change, ...]:
    """What differs between two versions but the withdrawal, price and currency as one."""
    pairs = (
        ("provider", before.provider, after.provider),
        ("gpu", before.gpu, after.gpu),
        ("gpus", before.gpus, after.gpus),
        ("memory_gb", before.memory_gb, after.memory_gb),
        ("hours", duration_of(before), duration_of(after)),
        ("price", price_of(before), price_of(after)),
        ("source", before.source, after.source),
        ("valid_on", before.valid_on, after.valid_on),
    )
    return tuple(Change(key, old, new) for key, old, new in pairs if old != new)


def since(versions: Sequence[Version]) -> Text | None:
    """The price that holds and the one before it, from the oldest to the newest version; None
    where the price never changed."""
    for older, newer in zip(reversed(versions[:-1]), reversed(versions), strict=False):
        now, before = price_of(newer.offer), price_of(older.offer)
        if now != before:
            return text(
                "Since {day}: {price}, before: {before}.",
                day=newer.since,
                price=now or text("price not known"),
                before=before or text("price not known"),
            )
    return None


def plan_import(rows: Iterable[tuple[int, Offer]], known: Iterable[Offer]) -> tuple[Planned, ...]:
    """What taking these offers would do to the catalogue, row by row, each with its line.

    Offers that the file does not name stay as they are.
    """
    by_id = {offer.id: offer for offer in known}
    return tuple(_planned(line, offer, by_id.get(offer.id)) for line, offer in rows)


def _planned(line: int, offer: Offer, before: Offer | None) -> Planned:
    if before is None:
        return Planned(line, Act.ADD, offer)
    differing = changes(before, offer)
    if offer.withdrawn and not before.withdrawn:
        return Planned(line, Act.WITHDRAW, offer, differing)
    if before.withdrawn and not offer.withdrawn:
        return Planned(line, Act.OFFER_AGAIN, offer, differing)
    return Planned(line, Act.CHANGE if differing else Act.KEEP, offer, differing)


def withdrawn(offer: Offer) -> Offer:
    """The same offer, not offered any more."""
    return replace(offer, withdrawn=True)
