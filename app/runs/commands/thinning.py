"""Thinning a closed campaign: most of its beats go, what they came to is kept and written down.

The state of an attempt cannot be folded from its events any more once some are gone. So it is
kept beside them, with a hash of the events that stay, and an entry of the journal binds both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from app import journal
from app.campaigns.queries import header
from app.db import WriteSession
from app.db.guards import deletable
from app.errors import AppError, Conflict, NotFound
from app.journal import Actor
from app.runs.rules.records import read_streams
from app.runs.rules.thinning import Line, removable
from app.texts import text

THINNED = "run.events_thinned"
_CHUNK = 5000
_ATTEMPTS = """
SELECT a.id, a.run_id, a.attempt_id, a.number, count(*), s.streams, min(e.number), s.last_event
FROM attempts a JOIN attempt_states s ON s.attempt_key = a.id
JOIN run_events e ON e.attempt_key = a.id
WHERE a.campaign_id = :campaign AND a.id NOT IN (SELECT attempt_key FROM thinned)
GROUP BY a.id, a.run_id, a.attempt_id, a.number, s.streams, s.last_event ORDER BY a.id
"""
_LINES = """
SELECT number, kind, at_us, payload, context IS NOT NULL, seq FROM run_events
WHERE attempt_key = :key AND source = :source AND seq > :after ORDER BY seq LIMIT :most
"""
_KEPT = """
SELECT number, source, seq, kind, at_us, received_us, payload, context FROM run_events
WHERE attempt_key = :key ORDER BY number
"""
_ROW = """
INSERT INTO thinned (attempt_key, campaign_id, number, first_event, last_event, removed, kept,
kept_sha256, streams)
VALUES (:key, :campaign, :number, :first_event, :last_event, :removed, :kept, :kept_sha256,
:streams)
"""
_ROWS = """
SELECT t.attempt_key, a.run_id, a.attempt_id, a.number AS attempt, t.number, t.first_event,
       t.last_event, t.removed, t.kept, t.kept_sha256, t.streams
FROM thinned t JOIN attempts a ON a.id = t.attempt_key
WHERE t.campaign_id = :campaign ORDER BY t.attempt_key
"""


@dataclass(frozen=True, slots=True)
class Thinning:
    """What went, or would go: beats of so many attempts; `kept` events of theirs stay."""

    attempts: int
    removed: int
    kept: int


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An attempt that loses beats, as the table `thinned` keeps it."""

    key: int
    run: str
    attempt_id: str
    attempt: int
    number: int
    first_event: int
    last_event: int
    removed: int
    kept: int
    kept_sha256: str
    streams: str

    def as_line(self) -> list[object]:
        """What the journal's hash covers."""
        state = hashlib.sha256(self.streams.encode()).hexdigest()
        counts = [self.first_event, self.last_event, self.removed, self.kept]
        return [self.run, self.attempt_id, *counts, self.kept_sha256, state]


def thin(
    tx: WriteSession, campaign_id: str, *, actor: Actor, now: datetime, dry: bool = False
) -> Thinning | AppError:
    """Take the beats between the first and the last of each hour out of a closed campaign.

    With `dry` nothing is written. Doing it again finds nothing more.
    """
    about = header(tx.orm, campaign_id)
    if about is None:
        return NotFound(text("There is no campaign {id}.", id=campaign_id))
    if about.state != "closed":
        return Conflict(text("Only a closed campaign is thinned; {id} is open.", id=campaign_id))
    found: list[tuple[Any, list[int]]] = []
    for row in tx.rows(_ATTEMPTS, {"campaign": campaign_id}):
        gone = list(_removable(tx, row[0], row[5]))
        if gone:
            found.append((row, gone))
    removed = sum(len(gone) for _, gone in found)
    done = Thinning(len(found), removed, sum(row[4] for row, _ in found) - removed)
    if found and not dry:
        _write(tx, campaign_id, found, done, actor, now)
    return done


def _write(
    tx: WriteSession,
    campaign_id: str,
    found: Sequence[tuple[Any, list[int]]],
    done: Thinning,
    actor: Actor,
    now: datetime,
) -> None:
    """Remove the events, keep the states, and append the entry that binds both."""
    with deletable(tx.connection, "run_events"):
        for _, gone in found:
            _delete(tx, gone)
    number = journal.head(tx, campaign_id).number + 1
    attempts = [_of_row(tx, row, number, len(gone)) for row, gone in found]
    for one in attempts:
        tx.execute(_ROW, {**asdict(one), "campaign": campaign_id})
    said = {**asdict(done), "sha256": _digest(attempts)}
    journal.append(tx, campaign_id, THINNED, actor, said, now)


@journal.agreement
def thinned_agree(tx: WriteSession, campaign_id: str) -> Iterator[tuple[int | None, str]]:
    """Whether the states that were kept, and the events that stayed, are those written down."""
    found: dict[int, list[_Attempt]] = {}
    for row in tx.rows(_ROWS, {"campaign": campaign_id}):
        one = _Attempt(*row)
        found.setdefault(one.number, []).append(one)
        if _hash_of_kept(tx, one.key) != (one.kept, one.kept_sha256):
            what = f"the events of run {one.run}, attempt {one.attempt}, are not those that stayed"
            yield one.number, f"{what} when it was thinned"
    for entry in journal.entries(tx.orm, campaign_id, kind=THINNED):
        attempts = found.pop(entry.number, [])
        if _digest(attempts) != entry.payload["sha256"]:
            yield entry.number, "the states kept when it was thinned are not those written down"
    for number in found:
        yield number, "states were kept for events that no entry of the journal thinned"


def _removable(tx: WriteSession, key: int, streams: str) -> Iterator[int]:
    for source in read_streams(streams):
        yield from removable(_lines(tx, key, source))


def _lines(tx: WriteSession, key: int, source: str) -> Iterator[Line]:
    """The events of one source by their numbers, some thousands at a time."""
    after = 0
    while True:
        values = {"key": key, "source": source, "after": after, "most": _CHUNK}
        rows = tx.rows(_LINES, values)
        for number, kind, at_us, payload, has_context, _seq in rows:
            yield Line(number, kind, at_us, payload, bool(has_context))
        if len(rows) < _CHUNK:
            return
        after = rows[-1][5]


def _delete(tx: WriteSession, gone: Sequence[int]) -> None:
    for begin in range(0, len(gone), _CHUNK):
        numbers = ", ".join(map(str, gone[begin : begin + _CHUNK]))
        tx.execute(f"DELETE FROM run_events WHERE number IN ({numbers})")


def _of_row(tx: WriteSession, row: Any, number: int, removed: int) -> _Attempt:
    key, run, attempt_id, attempt, _, streams, first_event, last_event = row
    kept, kept_sha256 = _hash_of_kept(tx, key)
    return _Attempt(
        key, run, attempt_id, attempt, number, first_event, last_event, removed, kept,
        kept_sha256, streams,
    )  # fmt: skip


def _hash_of_kept(tx: WriteSession, key: int) -> tuple[int, str]:
    """How many events of an attempt are there, and a hash over all of each."""
    digest, count = hashlib.sha256(), 0
    for row in tx.rows(_KEPT, {"key": key}):
        digest.update(journal.canonical(list(map(str, row))))
        count += 1
    return count, digest.hexdigest()


def _digest(attempts: Sequence[_Attempt]) -> str:
    lines = [one.as_line() for one in attempts]
    return hashlib.sha256(journal.canonical(lines)).hexdigest()
