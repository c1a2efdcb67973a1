"""Reading plans: the draft, and each sealed version as it stood when it was sealed."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from app.journal import Entry, JournalEntry, canonical, entries
from app.offers.queries import catalogue, newest_number, seen
from app.offers.rules import Offer
from app.plan.rules.document import from_document, to_document
from app.plan.rules.facts import from_record
from app.plan.rules.lots import LotWindow, ResolvedLots, resolve_lots, zero_at
from app.plan.rules.model import Plan, Step
from app.plan.rules.schedule import keep_plan
from app.plan.rules.scheduled import Schedule
from app.plan.rules.sealing import Knowledge, knowledge_of, offer_of, used_offers
from app.plan.tables import Draft, PlanVersion
from app.texts import Text, sentence_of
from app.units import instant_text

MOST_VERSIONS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class PlanView:
    """One version of a plan with its schedule; version 0 is the draft.

    A sealed version is read with the offers and the schedule that were sealed with it; a
    draft with today's catalogue, its schedule made now. `offers` are those: the sealed ones, or
    the whole catalogue.
    """

    campaign_id: str
    version: int
    plan: Plan
    windows: tuple[LotWindow, ...]
    schedule: Schedule
    lot_problems: tuple[Text, ...]
    document: str
    sha256: str | None = None
    sealed_at: datetime | None = None
    sealed_by: str | None = None
    reason: str | None = None
    knowledge: Knowledge | None = None
    warnings: tuple[Text, ...] = ()
    revision: int | None = None
    updated_at: datetime | None = None
    updated_by: str | None = None
    offers: tuple[Offer, ...] = ()

    @property
    def zero_at(self) -> datetime | None:
        """The instant of hour 0 by plan, in UTC; None while no lot has a start."""
        return zero_at(self.windows)

    def step(self, step_id: str) -> Step | None:
        """A step by its id."""
        return next((step for step in self.plan.steps if step.id == step_id), None)


def sealed(session: Session, campaign_id: str, version: int | None = None) -> PlanView | None:
    """A sealed version, the newest where none is named; None while there is none."""
    query = select(PlanVersion).where(PlanVersion.campaign_id == campaign_id)
    if version is not None:
        if not 0 < version <= MOST_VERSIONS:  # more than a database's integer can hold
            return None
        query = query.where(PlanVersion.version == version)
    row = session.exec(query.order_by(col(PlanVersion.version).desc()).limit(1)).first()
    return _sealed_view(row) if row else None


def first_sealed(session: Session, campaign_id: str) -> PlanView | None:
    """Version 1: *the* plan, which everything later is compared with."""
    return sealed(session, campaign_id, 1)


def all_sealed(session: Session, campaign_id: str) -> tuple[PlanView, ...]:
    """Every sealed version from the first on, in one statement."""
    rows = session.exec(
        select(PlanVersion)
        .where(PlanVersion.campaign_id == campaign_id)
        .order_by(col(PlanVersion.version))
    )
    return tuple(_sealed_view(row) for row in rows)


def draft(session: Session, campaign_id: str) -> PlanView | None:
    """The draft with its schedule as it would be now; None for an unknown campaign."""
    query = select(Draft, newest_number()).where(Draft.campaign_id == campaign_id)
    row = session.exec(query).first()
    return _draft_view(session, *row) if row else None


def current(session: Session, campaign_id: str) -> PlanView | None:
    """What holds now: the newest sealed version, else the draft."""
    return sealed(session, campaign_id) or draft(session, campaign_id)


def sealed_or_draft(session: Session, campaign_id: str) -> Plan | None:
    """The plan that holds now, without its schedule."""
    view = current(session, campaign_id)
    return view.plan if view else None


def known_now(session: Session, campaign_id: str) -> Knowledge:
    """What the record holds now: the least that a seal made now would have known."""
    rows = session.exec(
        select(JournalEntry.kind, func.count())
        .where(
            JournalEntry.campaign_id == campaign_id,
            col(JournalEntry.kind).in_(("run.started", "run.ended")),
        )
        .group_by(col(JournalEntry.kind))
    )
    counts = dict(rows.all())
    return knowledge_of(counts.get("run.started", 0), counts.get("run.ended", 0))


def seal_sha256(document: Mapping[str, object], schedule: Mapping[str, object]) -> str:
    """SHA-256 in hex over the canonical JSON (RFC 8785) of a document and its schedule."""
    content = canonical({"document": document, "schedule": schedule})
    return hashlib.sha256(content).hexdigest()


def sealed_record(session: Session, campaign_id: str, version: int) -> dict[str, Any] | None:
    """Everything that a seal fixed, and the entry of the journal that says it; None without one."""
    for entry in entries(session, campaign_id, kind="plan.sealed"):
        if entry.payload["version"] == version:
            return {"campaign": campaign_id, **entry.payload, "entry": entry_record(entry)}
    return None


def entry_record(entry: Entry) -> dict[str, Any]:
    """An entry without its payload: with it, the hash can be computed again."""
    return {
        "number": entry.number,
        "at": instant_text(entry.at),
        "actor": {"kind": entry.actor.kind, "name": entry.actor.name},
        "kind": entry.kind,
        "previous_sha256": entry.previous_sha256,
        "sha256": entry.sha256,
    }


def read_plan(document: str) -> Plan:
    """The plan of a stored document; raises ValueError where it is none."""
    return _plan(document)


def placed(session: Session, plan: Plan) -> tuple[ResolvedLots, Schedule]:
    """A plan's lots and schedule by today's catalogue, for one that is not stored yet."""
    return placed_with(plan, catalogue(session))


def placed_as_stored(session: Session, plan: Plan) -> tuple[ResolvedLots, Schedule]:
    """The same for one that is about to be stored; read again, it is found placed."""
    return _placed(canonical(to_document(plan)).decode(), used_offers(plan, catalogue(session)))


def placed_with(plan: Plan, offers: Iterable[Offer]) -> tuple[ResolvedLots, Schedule]:
    """The same with offers that were read already, as those of a view."""
    lots = resolve_lots(plan, offers)
    return lots, keep_plan(plan, lots.windows).schedule


def _draft_view(session: Session, row: Draft, number: int | None) -> PlanView:
    seen(session, number)
    offers = catalogue(session)
    lots, placed = _placed(row.document, used_offers(_plan(row.document), offers))
    return PlanView(
        row.campaign_id,
        0,
        _plan(row.document),
        lots.windows,
        placed,
        lots.problems,
        row.document,
        revision=row.revision,
        updated_at=row.updated_at,
        updated_by=row.updated_by,
        offers=offers,
    )


def _sealed_view(row: PlanVersion) -> PlanView:
    plan = _plan(row.document)
    lots = _sealed_lots(row.document, row.offers)
    return PlanView(
        row.campaign_id,
        row.version,
        plan,
        lots.windows,
        _sealed_schedule(row.schedule),
        lots.problems,
        row.document,
        sha256=row.sha256,
        sealed_at=row.sealed_at,
        sealed_by=row.sealed_by,
        reason=row.reason,
        knowledge=Knowledge(row.knowledge, row.started, row.ended),
        warnings=tuple(sentence_of(one) for one in json.loads(row.warnings)),
        offers=_sealed_offers(row.offers),
    )


# Stored documents never change under their text, so each is parsed and placed once.


@functools.lru_cache(maxsize=512)
def _plan(document: str) -> Plan:
    plan = from_document(json.loads(document))
    if not isinstance(plan, Plan):
        raise ValueError(f"a stored plan cannot be read: {plan[0]}")
    return plan


@functools.lru_cache(maxsize=128)
def _placed(document: str, offers: tuple[Offer, ...]) -> tuple[ResolvedLots, Schedule]:
    plan = _plan(document)
    lots = resolve_lots(plan, offers)
    return lots, keep_plan(plan, lots.windows).schedule


@functools.lru_cache(maxsize=512)
def _sealed_lots(document: str, offers: str) -> ResolvedLots:
    return resolve_lots(_plan(document), _sealed_offers(offers))


@functools.lru_cache(maxsize=512)
def _sealed_offers(record: str) -> tuple[Offer, ...]:
    return tuple(offer_of(one) for one in json.loads(record))


@functools.lru_cache(maxsize=512)
def _sealed_schedule(record: str) -> Schedule:
    return from_record(json.loads(record))


def _mapping(document: str) -> dict[str, Any]:
    found: Mapping[str, Any] = json.loads(document)
    return dict(found)
