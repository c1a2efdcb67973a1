"""Writing the catalogue: a new version of an offer, its withdrawal, the offers of a file.

Nothing is overwritten. The first edit of an offer that comes with the program also keeps what it
said as version 1, so that a later program cannot change the past.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import func, select

from app.db import WriteSession
from app.errors import AppError, Conflict, Malformed, NotFound
from app.journal import Actor
from app.offers.queries import catalogue, history, newest_seen
from app.offers.rules import FROM_FILE, PACKAGED, TYPED, Act, Offer, Planned, plan_import, wrong
from app.offers.rules.versions import withdrawn
from app.offers.tables import OfferVersion
from app.texts import text

LOCK = "/offers"
"""What a command states in place of a campaign; no campaign's id has a slash."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An offer as it now stands; `changed` is False where it stood so already."""

    offer_id: str
    version: int
    changed: bool


def save_offer(
    tx: WriteSession, offer: Offer, *, version: int | None, actor: Actor, now: datetime
) -> Kept | AppError:
    """Add an offer (`version` None) or append the next version of one; the same again changes
    nothing.

    `version` is the one that the change was made from; `Conflict` carries the one that stands.
    """
    if found := wrong(offer):
        listed = [{"field": one.field, "detail": str(one.message)} for one in found]
        return Malformed(found[0].message, field=found[0].field, problems=listed)
    known = history(tx.orm, offer.id)
    if version is None:
        if not known:
            return _append(tx, offer, 1, TYPED, actor, now)
        if known[-1].offer == offer:
            return Kept(offer.id, known[-1].number, changed=False)
        said = text("There is an offer {id} already; edit it, or choose another id.", id=offer.id)
        return Conflict(said, field="id", version=known[-1].number)
    if not known:
        return unknown(offer.id)
    newest = known[-1]
    if newest.offer == offer:
        return Kept(offer.id, newest.number, changed=False)
    if newest.number != version:
        said = text("This offer was changed meanwhile. Look at it again before you save.")
        return Conflict(said, version=newest.number)
    return _next(tx, offer, newest.number, newest.offer, newest.origin, TYPED, actor, now)


def withdraw_offer(
    tx: WriteSession, offer_id: str, *, version: int, actor: Actor, now: datetime
) -> Kept | AppError:
    """Append a version that says that the offer is not offered any more."""
    known = history(tx.orm, offer_id)
    if not known:
        return unknown(offer_id)
    return save_offer(tx, withdrawn(known[-1].offer), version=version, actor=actor, now=now)


def import_offers(
    tx: WriteSession,
    rows: Iterable[tuple[int, Offer]],
    *,
    actor: Actor,
    now: datetime,
    basis: int | None = None,
) -> tuple[Planned, ...] | AppError:
    """Take the offers of a file, each with its line: all in one transaction; what the catalogue
    says already is left as it is. The caller read them, so each is right by itself.

    `basis` is the newest number that a person saw it with; `Conflict` where that moved.
    """
    if basis is not None and newest_seen(tx.orm) != basis:
        said = text("The file or the catalogue changed since it was shown. Look at it again.")
        return Conflict(said)
    planned = plan_import(rows, catalogue(tx.orm))
    for one in planned:
        if one.act is Act.KEEP:
            continue
        known = history(tx.orm, one.offer.id)
        if known:
            last = known[-1]
            _next(tx, one.offer, last.number, last.offer, last.origin, FROM_FILE, actor, now)
        else:
            _append(tx, one.offer, 1, FROM_FILE, actor, now)
    return planned


def unknown(offer_id: str) -> NotFound:
    """There is no such offer."""
    return NotFound(text("There is no offer {offer} in the catalogue.", offer=offer_id[:200]))


def _next(
    tx: WriteSession,
    offer: Offer,
    version: int,
    before: Offer,
    before_origin: str,
    origin: str,
    actor: Actor,
    now: datetime,
) -> Kept:
    """The version after `version`; a packaged one is written down before it."""
    if version == 1 and before_origin == PACKAGED:
        _append(tx, before, 1, PACKAGED, actor, now)
    return _append(tx, offer, version + 1, origin, actor, now)


def _append(
    tx: WriteSession, offer: Offer, version: int, origin: str, actor: Actor, now: datetime
) -> Kept:
    highest = tx.orm.exec(select(func.max(OfferVersion.number))).one() or 0
    tx.add(
        OfferVersion(
            number=highest + 1,
            offer_id=offer.id,
            version=version,
            withdrawn=offer.withdrawn,
            provider=offer.provider,
            gpu=offer.gpu,
            gpus=offer.gpus,
            memory_gb=offer.memory_gb,
            hours=offer.hours,
            price_minor=offer.price_minor,
            currency=offer.currency,
            source=offer.source,
            valid_on=offer.valid_on,
            origin=origin,
            written_at=now,
            written_by=actor.name,
        )
    )
    return Kept(offer.id, version, changed=True)
