"""What a tracker's client tells of runs: taken as events of the source `tracker`, through the same
door as every other event."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.db import WriteSession
from app.errors import AppError, NotFound
from app.journal import Actor
from app.runs.commands.opening import Open, look
from app.runs.commands.recording import record
from app.runs.rules import naming
from app.runs.rules.attempts import step_of
from app.runs.rules.events import TRACKER, Event, Status
from app.runs.rules.streams import EMPTY, Stream
from app.runs.rules.times import us_of
from app.runs.rules.tracked import (
    ENDS_AS,
    GOES_ON,
    creation_event,
    end_event,
    log_events,
    note_event,
    start_event,
)
from app.runs.rules.tracker import Created, Logged, Reference, as_believed, believed
from app.texts import text

_KNOWN = "SELECT run_id FROM attempts WHERE campaign_id = :campaign AND attempt_id = :attempt"
_TAKEN = "SELECT run_id FROM runs WHERE campaign_id = :campaign AND run_id LIKE :like ESCAPE '\\'"
_TOLD = """
SELECT payload FROM run_events WHERE attempt_key = :key AND source = 'tracker' AND kind = 'beat'
AND (payload LIKE :params OR payload LIKE :tags) ORDER BY seq
"""


@dataclass(slots=True)
class Teller:
    """Who tells, in which campaign, and when by our clock."""

    tx: WriteSession
    campaign_id: str
    actor: Actor
    now: datetime

    @property
    def now_us(self) -> int:
        """Now in microseconds since 1970."""
        return us_of(self.now)

    def record(self, events: Sequence[Event]) -> AppError | None:
        """Record events in their order up to the first that is refused."""
        told = record(self.tx, self.campaign_id, events, self.actor, self.now)
        return next((one.refusal for one in told.results if one.refusal is not None), None)


def create(teller: Teller, said: Created) -> Reference | AppError:
    """Take a run that a tracker's client creates: planned, under an id that is free or its own."""
    known = teller.tx.row(_KNOWN, {"campaign": teller.campaign_id, "attempt": said.attempt_id})
    if known is not None:
        run = str(known[0])
    elif said.run is not None:
        run = said.run
    else:
        run = _free(teller, said.proposal)
    ref = Reference(said.attempt_id, run, said.attached)
    said = said._replace(started_us=believed(said.started_us, teller.now_us))
    return teller.record([creation_event(ref, said)]) or ref


def log(teller: Teller, ref: Reference, said: Logged, event_id: str) -> AppError | None:
    """Take what one call logs; its first value writes the start. Nothing for a repetition."""
    attempt, _ = _current(teller, ref)
    stream = attempt.streams.get(TRACKER, EMPTY)
    if event_id in stream.ids:
        return None
    said = as_believed(said, teller.now_us)
    started = ref.attached or attempt.facts.started
    if said.values and not started:
        refusal = _begin(teller, attempt, said)
        if refusal is not None:
            return refusal
        said = said._replace(params={}, tags={}, notes=())
    began_us = None if ref.attached else _began_us(stream)
    events = log_events(
        attempt.attempt_id,
        attempt.run,
        said,
        began_us=began_us,
        progress=stream.progress.done if stream.progress else None,
        started=started,
        event_id=event_id,
    )
    return teller.record(events) if events else None


def _begin(teller: Teller, attempt: Open, said: Logged) -> AppError | None:
    """Write the start, after the parameters that came in the same call as the first value."""
    told = log_events(
        attempt.attempt_id,
        attempt.run,
        said._replace(values=()),
        began_us=None,
        progress=None,
        started=False,
        event_id="before the start",
    )
    refusal = teller.record(told) if told else None
    return refusal or teller.record([_start(teller, attempt)])


def update(
    teller: Teller, ref: Reference, status: str | None, at_us: int | None
) -> AppError | None:
    """Take a new status: an end, or that the run goes on, which may begin another attempt.

    Where another source speaks for the attempt it is a note and no more.
    """
    attempt, number = _current(teller, ref)
    at_us = believed(at_us, teller.now_us)
    if status is not None and status in ENDS_AS:
        return _end(teller, ref, attempt, status, at_us)
    ended = attempt.facts.status in (Status.FAILED, Status.STOPPED)
    if status in GOES_ON and ended and not ref.attached:
        return teller.record([_again(attempt, ref.after(number + 1), teller.now_us)])
    return None


def _end(
    teller: Teller, ref: Reference, attempt: Open, status: str, at_us: int | None
) -> AppError | None:
    stream = attempt.streams.get(TRACKER, EMPTY)
    name = f"ended {status}"
    if ref.attached or stream.end is not None:
        if name in stream.ids:
            return None
        note = f"the tracker was told: {status}"
        return teller.record([note_event(attempt.attempt_id, attempt.run, note, name)])
    events = [] if attempt.facts.started else [_start(teller, attempt)]
    refusal = teller.record(events) if events else None
    began_us = _began_us(stream)
    if at_us is not None and began_us is not None and at_us < began_us:
        at_us = None  # a clock that was set back tells nothing
    return refusal or teller.record([end_event(attempt.attempt_id, attempt.run, status, at_us)])


def _current(teller: Teller, ref: Reference) -> tuple[Open, int]:
    """The newest attempt of the tracker's run and how many there were; raises NotFound."""
    number, newest = 1, _look(teller, ref.run, ref.attempt_id)
    if newest is None:
        raise NotFound(text("There is no run {run} here.", run=ref.run))
    while not ref.attached and _may_follow(newest):
        following = _look(teller, ref.run, ref.after(number + 1))
        if following is None:
            break
        number, newest = number + 1, following
    return newest, number


def _look(teller: Teller, run: str, attempt_id: str) -> Open | None:
    found = look(teller.tx, teller.campaign_id, run, attempt_id)
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=teller.campaign_id))
    return found.attempt


def _may_follow(attempt: Open) -> bool:
    return attempt.facts.end is not None and attempt.facts.status is not Status.COMPLETED


def _start(teller: Teller, attempt: Open) -> Event:
    """The start, with the parameters that the tracker was told until now."""
    params: dict[str, str] = {}
    tags: dict[str, str] = {}
    values = {"key": attempt.key, "params": '%"params"%', "tags": '%"tags"%'}
    for (payload,) in teller.tx.rows(_TOLD, values):
        said: dict[str, Any] = json.loads(payload)
        params.update(said.get("params", {}))
        tags.update(said.get("tags", {}))
    began_us = _began_us(attempt.streams.get(TRACKER, EMPTY))
    step = step_of(attempt.streams) or ""
    return start_event(attempt.attempt_id, attempt.run, step, params, tags, began_us)


def _began_us(stream: Stream) -> int | None:
    """When the attempt began by the tracker's clock."""
    if stream.started_at_us is not None:
        return stream.started_at_us
    return stream.signs.first_at_us if stream.signs is not None else None


def _again(attempt: Open, attempt_id: str, at_us: int) -> Event:
    """The start of another attempt of the same configuration."""
    before = attempt.start_fields
    kept = ("step", "config_sha256", "config", "not_config", "client", "event_id")
    fields = {name: before[name] for name in kept if name in before}
    template = start_event(attempt_id, attempt.run, str(before.get("step", "")), {}, {}, at_us)
    return template._replace(fields=fields or template.fields)


def _free(teller: Teller, proposal: str) -> str:
    stem = naming.stem(proposal).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = teller.tx.rows(_TAKEN, {"campaign": teller.campaign_id, "like": f"{stem}%"})
    return naming.free_id(proposal, {row[0] for row in rows})
