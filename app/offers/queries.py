"""Reading the catalogue of lots: what is offered now, each offer's versions, who plans with it.

The newest version of every offer is kept in memory for each database, under the highest number
of the table. That number is read with a statement that is made anyway (a draft's), or alone;
so a version written by another process is seen by the next page, without a clock.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, ScalarSelect
from sqlmodel import Session, col, func, select

from app.campaigns.tables import Campaign, CampaignStanding
from app.offers.rules import PACKAGED, Offer, Version, read_catalogue
from app.offers.tables import OfferVersion
from app.plan.tables import Draft

_SEEN = "offers"


@dataclass(frozen=True, slots=True)
class _Kept:
    number: int
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class Naming:
    """A campaign that is not closed and whose draft names an offer."""

    campaign_id: str
    question: str
    state: str  # draft | sealed | running


_kept: WeakKeyDictionary[Engine, _Kept] = WeakKeyDictionary()


def newest_number() -> ScalarSelect[int | None]:
    """The number of the newest version of all, as a column for a statement that is made anyway;
    `seen` takes what it answered."""
    return select(func.max(OfferVersion.number)).scalar_subquery()


def seen(session: Session, number: int | None) -> None:
    """Note the newest number that this session read, so that `catalogue` need not ask."""
    session.info[_SEEN] = number or 0


def catalogue(session: Session) -> tuple[Offer, ...]:
    """The newest version of every offer, withdrawn ones too: those that come with the program
    in their order, then the others in the order in which they were added.

    A read session takes at most one statement, and one more after a version was added. A command
    reads anew inside its transaction and keeps nothing of what may be rolled back.
    """
    bind = session.get_bind()
    if not isinstance(bind, Engine):
        return _read(session)
    number = newest_seen(session)
    kept = _kept.get(bind)
    if kept is None or kept.number != number:
        kept = _Kept(number, _read(session) if number else read_catalogue())
        _kept[bind] = kept
    return kept.offers


def newest_seen(session: Session) -> int:
    """The number of the newest version, as this session knows or asks it; 0 without any."""
    if _SEEN not in session.info:
        seen(session, session.exec(select(func.max(OfferVersion.number))).one())
    number: int = session.info[_SEEN]
    return number


def history(session: Session, offer_id: str) -> tuple[Version, ...]:
    """An offer's versions from the first on; empty for an unknown one."""
    rows = session.exec(
        select(OfferVersion)
        .where(OfferVersion.offer_id == offer_id)
        .order_by(col(OfferVersion.version))
    )
    found = tuple(_version(row) for row in rows)
    if found:
        return found
    return tuple(Version(offer, 1) for offer in read_catalogue() if offer.id == offer_id)


def naming(session: Session, offer_id: str) -> tuple[Naming, ...]:
    """The campaigns that are not closed and whose drafts name an offer, by their ids."""
    written = f'"offer":{json.dumps(offer_id, ensure_ascii=False)}'  # canonical, no spaces
    rows = session.exec(
        select(Campaign.id, Campaign.question, CampaignStanding.state, Draft.document)
        .join(Draft, col(Draft.campaign_id) == col(Campaign.id))
        .join(CampaignStanding, col(CampaignStanding.campaign_id) == col(Campaign.id), isouter=True)
        .where(col(Draft.document).contains(written, autoescape=True))
        .order_by(col(Campaign.id))
    )
    return tuple(
        Naming(id_, question, state or "draft")
        for id_, question, state, document in rows
        if state != "closed" and _names(json.loads(document), offer_id)
    )


def _names(document: dict[str, Any], offer_id: str) -> bool:
    return any(lot.get("offer") == offer_id for lot in document.get("lots", ()))


def _read(session: Session) -> tuple[Offer, ...]:
    """The newest version of every offer, in one statement."""
    ends = (
        select(
            func.max(OfferVersion.number).label("newest"),
            func.min(OfferVersion.number).label("oldest"),
        )
        .group_by(col(OfferVersion.offer_id))
        .subquery()
    )
    rows = session.exec(
        select(OfferVersion)
        .join(ends, col(OfferVersion.number) == ends.c.newest)
        .order_by(ends.c.oldest)
    )
    written = {row.offer_id: _offer(row) for row in rows}
    packaged = tuple(written.pop(offer.id, offer) for offer in read_catalogue())
    return (*packaged, *written.values())


def _offer(row: OfferVersion) -> Offer:
    return Offer(
        row.offer_id, row.provider, row.gpu, row.gpus, row.memory_gb, row.hours, row.price_minor,
        row.currency, row.source, row.valid_on, row.withdrawn,
    )  # fmt: skip


def _version(row: OfferVersion) -> Version:
    if row.origin == PACKAGED:
        return Version(_offer(row), row.version)
    return Version(_offer(row), row.version, row.origin, row.written_at, row.written_by)
