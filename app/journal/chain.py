"""The journal: what binds, appended and chained by hashes, one chain for each campaign.

An entry's hash covers the previous hash and the entry's own canonical JSON (RFC 8785). Rooms
register projectors: functions that write their tables from an entry and nothing else, so that
all of them can be made again from the journal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import rfc8785
from sqlalchemy import BigInteger, CheckConstraint, Column, Integer, UniqueConstraint
from sqlmodel import Field, Session, col, select

from app.db import Table, WriteSession
from app.units import instant_text

FIRST = "0" * 64
"""The hash before the first entry."""


class JournalEntry(Table, table=True):
    """One row of the journal; rows are only ever appended."""

    __tablename__ = "journal"
    __table_args__ = (
        UniqueConstraint("campaign_id", "number"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("actor_kind IN ('person', 'job', 'rule', 'clock')", name="actor_kind"),
    )

    id: int | None = Field(
        default=None,
        sa_column=Column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    )
    campaign_id: str = Field(foreign_key="campaigns.id", max_length=64)
    number: int
    at: datetime
    actor_kind: str
    actor_name: str
    kind: str
    payload: str
    previous_sha256: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did it: a person, a job, a rule or the clock, and which."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a chain: what an outside witness keeps."""

    number: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as projectors see it."""

    campaign_id: str
    number: int
    at: datetime
    actor: Actor
    kind: str
    payload: Mapping[str, object]
    previous_sha256: str
    sha256: str


Projector = Callable[[WriteSession, Entry], None]
Refold = Callable[[WriteSession, str], None]
Agreement = Callable[[WriteSession, str], Iterator[tuple[int | None, str]]]
_projectors: dict[str, list[Projector]] = {}
_refolds: list[Refold] = []
_agreements: list[Agreement] = []
_projected: set[str] = set()


def projector(*kinds: str, writes: tuple[str, ...]) -> Callable[[Projector], Projector]:
    """Register a function that writes the tables `writes` from entries of these kinds."""

    def register(function: Projector) -> Projector:
        for kind in kinds:
            _projectors.setdefault(kind, []).append(function)
        _projected.update(writes)
        return function

    return register


def refold(*, writes: tuple[str, ...]) -> Callable[[Refold], Refold]:
    """Register a function that makes the tables `writes` of one campaign again from run events."""

    def register(function: Refold) -> Refold:
        _refolds.append(function)
        _projected.update(writes)
        return function

    return register


def refolds() -> tuple[Refold, ...]:
    """What makes the tables that are folded from run events."""
    return tuple(_refolds)


def agreement(function: Agreement) -> Agreement:
    """Register a comparison of what was folded from run events with what the journal says.

    It yields the entry's number (None where one is missing) and what contradicts it.
    """
    _agreements.append(function)
    return function


def agreements() -> tuple[Agreement, ...]:
    """The comparisons that `audit` makes after the tables were made again."""
    return tuple(_agreements)


def projected_tables() -> frozenset[str]:
    """The tables that can be made again: from the journal, or from run events."""
    return frozenset(_projected)


def canonical(value: object) -> bytes:
    """RFC 8785 canonical JSON bytes; raises ValueError for what JSON cannot say (NaN)."""
    return bytes(rfc8785.dumps(cast("Any", value)))


def entry_hash(
    previous: str,
    campaign_id: str,
    number: int,
    at: datetime,
    actor: Actor,
    kind: str,
    payload: str,
) -> str:
    """SHA-256 over the previous hash and the entry, as hexadecimal."""
    content = canonical(
        {
            "actor": {"kind": actor.kind, "name": actor.name},
            "at": instant_text(at),
            "campaign": campaign_id,
            "kind": kind,
            "number": number,
            "payload": payload,
        }
    )
    return hashlib.sha256(bytes.fromhex(previous) + content).hexdigest()


def append(
    tx: WriteSession,
    campaign_id: str,
    kind: str,
    actor: Actor,
    payload: Mapping[str, object],
    now: datetime,
) -> Entry:
    """Append an entry and write the projections of its kind, in the command's transaction."""
    before = head(tx, campaign_id)
    number = before.number + 1
    text = canonical(payload).decode()
    digest = entry_hash(before.sha256, campaign_id, number, now, actor, kind, text)
    tx.execute(
        "INSERT INTO journal (campaign_id, number, at, actor_kind, actor_name, kind, payload,"
        " previous_sha256, sha256) VALUES (:campaign_id, :number, :at, :actor_kind, :actor_name,"
        " :kind, :payload, :previous, :sha256)",
        {
            "campaign_id": campaign_id, "number": number, "at": now, "actor_kind": actor.kind,
            "actor_name": actor.name, "kind": kind, "payload": text, "previous": before.sha256,
            "sha256": digest,
        },
    )  # fmt: skip
    entry = Entry(campaign_id, number, now, actor, kind, json.loads(text), before.sha256, digest)
    project(tx, entry)
    return entry


def project(tx: WriteSession, entry: Entry) -> None:
    """Write what the rooms derive from one entry."""
    for function in _projectors.get(entry.kind, ()):
        function(tx, entry)


def head(tx: WriteSession, campaign_id: str) -> Head:
    """The last entry's number and hash inside a write transaction; number 0 when there is none."""
    row = tx.row(
        "SELECT number, sha256 FROM journal WHERE campaign_id = :id ORDER BY number DESC LIMIT 1",
        {"id": campaign_id},
    )
    return Head(int(row[0]), str(row[1])) if row else Head(0, FIRST)


def read_head(session: Session, campaign_id: str) -> Head:
    """`head` for a read session."""
    row = session.exec(
        select(JournalEntry.number, JournalEntry.sha256)
        .where(JournalEntry.campaign_id == campaign_id)
        .order_by(col(JournalEntry.number).desc())
        .limit(1)
    ).first()
    return Head(*row) if row else Head(0, FIRST)


def entries(
    session: Session,
    campaign_id: str,
    *,
    kind: str | None = None,
    after: int = 0,
    limit: int | None = None,
) -> list[Entry]:
    """Entries of one campaign in their order, optionally of one kind and after a number."""
    query = select(JournalEntry).where(
        JournalEntry.campaign_id == campaign_id, JournalEntry.number > after
    )
    if kind is not None:
        query = query.where(JournalEntry.kind == kind)
    query = query.order_by(col(JournalEntry.number))
    if limit is not None:
        query = query.limit(limit)
    return [as_entry(row) for row in session.exec(query)]


def as_entry(row: JournalEntry) -> Entry:
    """A stored row as an entry."""
    return Entry(
        row.campaign_id, row.number, row.at, Actor(row.actor_kind, row.actor_name),
        row.kind, json.loads(row.payload), row.previous_sha256, row.sha256,
    )  # fmt: skip
