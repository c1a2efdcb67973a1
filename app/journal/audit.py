"""Proving the record: the chain of hashes, and that the projections say what the journal says.

`rebuild` makes every projection again from the journal (and runs from their events) in one
transaction with the guards taken off and put back. `audit` does the same on a copy, or in a
transaction that is rolled back, and compares row by row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Table, TextClause, inspect, select, text
from sqlmodel import col
from sqlmodel import select as pick

from app import rooms
from app.db.guards import guard, unguard
from app.db.writer import WriteSession
from app.journal.chain import (
    FIRST,
    Head,
    JournalEntry,
    agreements,
    as_entry,
    entry_hash,
    project,
    projected_tables,
    refolds,
)
from app.schema import metadata

_ENTRY_OF = {"order_lots": "order_number", "closes": "number"}
"""Tables that name their entry otherwise than by a key of campaign and number."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold, with the entry or row where it was first seen."""

    campaign_id: str
    entry: int | None
    what: str


def check_chain(
    connection: Connection, anchors: dict[str, Head] | None = None
) -> Iterator[Finding]:
    """The first broken entry of each campaign, and anchors that the chain no longer contains.

    A cut tail leaves a sound chain; only a head that someone outside kept can show it.
    """
    wanted = dict(anchors or {})
    for campaign_id in connection.execute(text("SELECT id FROM campaigns ORDER BY id")).scalars():
        yield from _check_one(connection, str(campaign_id), wanted.pop(str(campaign_id), None))
    for campaign_id in wanted:
        yield Finding(campaign_id, None, "the campaign of this anchor is not in the database")


def _check_one(connection: Connection, campaign_id: str, anchor: Head | None) -> Iterator[Finding]:
    previous, number, anchored = FIRST, 0, anchor is None
    rows = connection.execute(
        select(*inspect(JournalEntry).columns)
        .where(col(JournalEntry.campaign_id) == campaign_id)
        .order_by(col(JournalEntry.number))
    )
    for row in rows:
        number += 1
        if row.number != number:
            yield Finding(campaign_id, number, f"entry {number} is missing")
            return
        entry = as_entry(JournalEntry(**row._mapping))
        digest = entry_hash(
            previous, campaign_id, number, entry.at, entry.actor, entry.kind, row.payload
        )
        if row.previous_sha256 != previous or row.sha256 != digest:
            yield Finding(
                campaign_id,
                number,
                "the entry does not carry the hash of its content and its predecessor",
            )
            return
        previous = digest
        if anchor is not None and anchor == Head(number, digest):
            anchored = True
    if not anchored and anchor is not None:
        what = f"the chain ends at entry {number}, the anchor saw {anchor.number}"
        if number >= anchor.number:
            what = f"entry {anchor.number} is not the one the anchor saw"
        yield Finding(campaign_id, min(number + 1, anchor.number), what)


def load_projectors() -> None:
    """Import what registers projectors and refolds: every room's commands."""
    rooms.register_projectors()


def rebuild(tx: WriteSession) -> None:
    """Make every projection again from the journal, and runs from their events."""
    load_projectors()
    connection = tx.connection
    unguard(connection)
    derived = projected_tables()
    for table in reversed(metadata().sorted_tables):
        if table.name in derived:
            connection.execute(table.delete())
    campaigns = [
        str(found)
        for found in connection.execute(text("SELECT id FROM campaigns ORDER BY id")).scalars()
    ]
    for campaign_id in campaigns:
        for row in tx.orm.exec(
            pick(JournalEntry)
            .where(JournalEntry.campaign_id == campaign_id)
            .order_by(col(JournalEntry.number))
        ).all():
            project(tx, as_entry(row))
        for refold in refolds():
            refold(tx, campaign_id)
    tx.orm.flush()
    guard(connection)


def disagreements(tx: WriteSession) -> Iterator[Finding]:
    """Where run events say otherwise than the journal, after `rebuild` folded them anew."""
    for campaign_id in tx.connection.execute(
        text("SELECT id FROM campaigns ORDER BY id")
    ).scalars():
        for agreement in agreements():
            for entry, what in agreement(tx, str(campaign_id)):
                yield Finding(str(campaign_id), entry, what)


def contents(connection: Connection, tables: frozenset[str]) -> dict[str, list[str]]:
    """Every row of the tables as sorted text: what must be equal before and after `rebuild`.

    Values are read as they lie there, so that what no type can read is compared too.
    """
    return {
        table.name: sorted(_line(row) for row in connection.execute(_as_it_lies(table)))
        for table in metadata().sorted_tables
        if table.name in tables
    }


def _as_it_lies(table: Table) -> TextClause:
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    return text(f'SELECT {names} FROM "{table.name}"')


def _line(row: Sequence[object]) -> str:
    return json.dumps([str(value) for value in row], ensure_ascii=False)


def differences(before: dict[str, list[str]], after: dict[str, list[str]]) -> Iterator[Finding]:
    """The first row of each table that the journal does not account for, or that is missing."""
    for table, rows in before.items():
        extra, lacking = set(rows) - set(after[table]), set(after[table]) - set(rows)
        if not (extra or lacking or len(rows) != len(after[table])):
            continue
        if not (extra or lacking):
            yield Finding("", None, f"{table} has a row twice")
            continue
        word = "has a row that the journal does not say"
        if not extra:
            word = "lacks a row that the journal says"
        places = {row: _place(table, row) for row in extra or lacking}
        first = min(places, key=lambda row: (places[row][0], places[row][1] or 0, row))
        yield Finding(*places[first], f"{table} {word}: {first[:300]}")


def _place(table: str, line: str) -> tuple[str, int | None]:
    """The campaign of a row, and the journal's entry where the row is known by its number."""
    kind = metadata().tables[table]
    values = dict(zip((column.name for column in kind.columns), json.loads(line), strict=True))
    number = values.get(_ENTRY_OF.get(table, "number"))
    of_entry = table in _ENTRY_OF or {"campaign_id", "number"} == set(
        kind.primary_key.columns.keys()
    )
    entry = int(str(number)) if of_entry and str(number).isdigit() else None
    return str(values.get("campaign_id", "")), entry
