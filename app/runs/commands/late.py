"""What comes after the close: kept apart as evidence, one journal entry for each run and attempt.

No fold, no run's row and no figure reads it. The events themselves lie in `late_events`; the
entry carries their numbers and the hash of all of them, so that none can be changed unseen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from app import journal
from app.db import WriteSession
from app.errors import Malformed
from app.journal import Actor, Entry, Head
from app.runs.commands.opening import Campaign, Found, Open
from app.runs.commands.repeating import is_repeated, names_its_time
from app.runs.rules.events import SHELL, TRACKER, Event
from app.runs.rules.records import json_text
from app.runs.rules.streams import EMPTY
from app.runs.rules.times import text_of, us_of
from app.runs.rules.values import MOST_SEQ
from app.texts import text

CAME_LATE = "run.came_late"
_INSERT = """
INSERT INTO late_events (campaign_id, run_id, attempt_id, source, seq, kind, at_us, received_us,
entry, payload)
VALUES (:campaign, :run, :attempt, :source, :seq, :kind, :at, :received, :entry, :payload)
"""
_OF_SOURCE = """
SELECT seq, kind, at_us, payload FROM late_events WHERE campaign_id = :campaign
AND run_id = :run AND attempt_id = :attempt AND source = :source
"""
_OF_ENTRY = """
SELECT source, seq, kind, at_us, payload FROM late_events
WHERE campaign_id = :campaign AND entry = :entry
"""

Key = tuple[str, str]
"""A run and an attempt."""


class Late(NamedTuple):
    """An event as it is kept and hashed."""

    source: str
    seq: int
    kind: str
    at_us: int | None
    payload: str


class ComingLate:
    """The late events of one transaction, held until all are in; then written with their entry."""

    def __init__(self, tx: WriteSession, now: datetime) -> None:
        self._tx = tx
        self._now = now
        self._campaign: Campaign | None = None
        self._kept: dict[Key, list[Late]] = {}
        self._seen: dict[tuple[str, str, str], dict[int, Late]] = {}

    def keep(self, campaign: Campaign, attempt: Open, event: Event) -> bool:
        """Keep an event; True when it was there already, before the close or after it."""
        self._campaign = campaign
        key = (event.run, attempt.attempt_id)
        seen = self._of_source(campaign.id, key, event.source)
        new = Late(event.source, event.seq or 0, event.kind, event.at_us, json_text(event.fields))
        if event.seq is None:
            if is_repeated(self._tx, attempt, event):
                return True
            if _is_said_once(event) and any(one._replace(seq=0) == new for one in seen.values()):
                return True
            last = attempt.streams.get(event.source, EMPTY).numbers.last
            new = new._replace(seq=1 + max([last, *seen]))
        elif event.seq in seen:
            return True
        if new.seq > MOST_SEQ:
            said = text(
                "{field} is a whole number from {least} to {most}.",
                field="seq", least=1, most=MOST_SEQ,
            )  # fmt: skip
            raise Malformed(said, field="seq")
        seen[new.seq] = new
        self._kept.setdefault(key, []).append(new)
        return False

    def write(self, actor: Actor) -> None:
        """Append one entry for each run and attempt, and the events that it speaks of."""
        if self._campaign is None:
            return
        for (run, attempt_id), events in self._kept.items():
            said = payload_of(run, attempt_id, events)
            entry = journal.append(self._tx, self._campaign.id, CAME_LATE, actor, said, self._now)
            self._campaign.head = Head(entry.number, entry.sha256)
            for event in events:
                self._tx.execute(_INSERT, self._values(run, attempt_id, event, entry))
        self._kept.clear()

    def _of_source(self, campaign_id: str, key: Key, source: str) -> dict[int, Late]:
        """What of a source came late before, by number; read once in a transaction."""
        known = self._seen.get((*key, source))
        if known is None:
            run, attempt_id = key
            values = {"campaign": campaign_id, "run": run, "attempt": attempt_id, "source": source}
            rows = self._tx.rows(_OF_SOURCE, values)
            known = {row[0]: Late(source, *row) for row in rows}
            self._seen[(*key, source)] = known
        return known

    def _values(self, run: str, attempt_id: str, event: Late, entry: Entry) -> dict[str, object]:
        return {
            "campaign": entry.campaign_id,
            "run": run,
            "attempt": attempt_id,
            "source": event.source,
            "seq": event.seq,
            "kind": event.kind,
            "at": event.at_us,
            "received": us_of(self._now),
            "entry": entry.number,
            "payload": event.payload,
        }


def _is_said_once(event: Event) -> bool:
    """Whether the same body again is the same event: not a beat that says nothing of its time."""
    return "event_id" in event.fields or event.source == TRACKER or names_its_time(event)


def named(found: Found, event: Event, now_us: int) -> Open:
    """The attempt that a late event names: as it is known, else nothing but its name."""
    if found.attempt is not None:
        return found.attempt
    return Open(0, event.run, event.attempt_id or SHELL, 0, True, now_us, found.row)


def payload_of(run: str, attempt_id: str, events: Iterable[Late]) -> dict[str, object]:
    """What the entry says of late events: their numbers by source, and the hash of them all."""
    ordered = sorted(events)
    sources: dict[str, Any] = {}
    for event in ordered:
        first = sources.get(event.source, {}).get("first", event.seq)
        count = sources.get(event.source, {}).get("events", 0) + 1
        sources[event.source] = {"first": first, "last": event.seq, "events": count}
    lines = [[one.source, one.seq, one.kind, _at(one), one.payload] for one in ordered]
    digest = hashlib.sha256(journal.canonical(lines)).hexdigest()
    return {"run": run, "attempt_id": attempt_id, "sources": sources, "sha256": digest}


def _at(event: Late) -> str | None:
    return None if event.at_us is None else text_of(event.at_us)


@journal.agreement
def late_events_agree(tx: WriteSession, campaign_id: str) -> Iterator[tuple[int | None, str]]:
    """The events that came late, against the hashes that the journal keeps of them."""
    for entry in journal.entries(tx.orm, campaign_id, kind=CAME_LATE):
        values = {"campaign": campaign_id, "entry": entry.number}
        rows = [Late(*row) for row in tx.rows(_OF_ENTRY, values)]
        said = payload_of(str(entry.payload["run"]), str(entry.payload["attempt_id"]), rows)
        if said != entry.payload:
            yield entry.number, f"the events that came late for {entry.payload['run']} differ"
