"""A spool that a person hands in, sent by the client's own replay: what a job's replay of it would
record is what is recorded, since it is the same code up to where a connection would begin."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from app import clock
from app.db import Database
from app.errors import AppError
from app.journal import Actor
from app.runs import commands
from app.runs.queries.recorded import runs_of_attempt
from app.runs.rules.events import Event
from app.runs.rules.reading import read_event
from app.runs.rules.uploading import Spool, named_as_recorded
from app.runs.rules.values import Unreadable
from app.texts import Text
from punktum.mending import NotClear, attempts_in
from punktum.replay import Replay
from punktum.server import Reply, Server
from punktum.settings import Settings
from punktum.spool import read_lines

MOST_REASONS = 10
__all__ = ["Given", "NotClear", "hand_in"]


class Outcome(NamedTuple):
    """What became of one event."""

    run: str
    is_new: bool
    refusal: AppError | None


@dataclass(slots=True)
class Given:
    """What became of the events of one run: recorded now, there before, refused, and those that
    wait behind a refused start; `was` is the id on the box where that was taken."""

    run: str
    was: str | None = None
    new: int = 0
    known: int = 0
    refused: int = 0
    unsent: int = 0
    strange: int = 0
    reasons: list[Text] = field(default_factory=list)


def hand_in(
    database: Database,
    campaign_id: str,
    spool: Spool,
    person: Actor,
    *,
    run: str | None = None,
    step: str | None = None,
) -> tuple[list[Given], list[Text]]:
    """Record what a spool holds; the runs in the order they began, and what was warned of.

    The facts are the job's, as if it had posted them: so the actor is a job, named after who
    handed them in. `run` and `step` mean what they mean for `punktum replay`; raises `NotClear`.
    """
    desk = _Desk(database, campaign_id, Actor("job", f"spool, handed in by {person.name}"))
    with database.read() as session:
        spool = named_as_recorded(spool, partial(runs_of_attempt, session, campaign_id))
    with tempfile.TemporaryDirectory(prefix="punktum-spool-") as name:
        folder = Path(name)
        for file in (*spool.events, *spool.marks):
            (folder / file.name).write_bytes(file.content)
        Replay(desk, folder, run=run, step=step).send()
        strange = {file.name: file.strange for file in spool.events}
        return _told(desk, folder, strange), desk.warnings


class _Desk(Server):
    """The server without a connection: a batch of events goes straight to the command."""

    def __init__(self, database: Database, campaign_id: str, actor: Actor) -> None:
        super().__init__(Settings("http://desk.invalid"))
        self._database, self._campaign_id, self._actor = database, campaign_id, actor
        self.outcomes: dict[tuple[str, str, int], Outcome] = {}
        self.warnings: list[Text] = []

    def post_bytes(self, path: str, body: bytes) -> Reply:
        """Record a batch; each event has its own result, as in the API's answer."""
        items: list[dict[str, Any]] = json.loads(body)["events"]
        posts, now = [_read(item) for item in items], clock.now()
        told = self._database.write(
            self._campaign_id,
            lambda tx: commands.record(tx, self._campaign_id, posts, self._actor, now),
        )
        for item, result in zip(items, told.results, strict=True):
            self._note(item, not result.duplicate, result.refusal)
        self.warnings += [one for one in told.warnings if one not in self.warnings]
        results = [_result(one) for one in told.results]
        return Reply(200, {"results": results, "missing_seq": list(told.missing)})

    def _note(self, item: Mapping[str, Any], is_new: bool, refusal: AppError | None) -> None:
        key = str(item.get("attempt_id")), str(item.get("source", "main")), item["seq"]
        before = self.outcomes.get(key)
        if before is None or before.refusal is not None:
            self.outcomes[key] = Outcome(str(item.get("run")), is_new, refusal)


def _read(item: Mapping[str, Any]) -> Event | AppError:
    try:
        return read_event(item)
    except Unreadable as error:
        return commands.malformed(error)


def _result(result: commands.Result) -> dict[str, object]:
    if result.refusal is None:
        return {"status": 200, "duplicate": result.duplicate}
    return {"status": result.refusal.status, "problem": result.refusal.problem()}


def _told(desk: _Desk, folder: Path, strange: Mapping[str, int]) -> list[Given]:
    """The outcomes, run by run."""
    runs: dict[str, Given] = {}
    for attempt in attempts_in(folder):
        identity = attempt.identity
        keys = {
            (identity.attempt_id, str(event.get("source", "main")), line.seq)
            for path in attempt.files
            for line in read_lines(path)
            for event in [line.event()]
        }
        found = {key: desk.outcomes[key] for key in sorted(keys) if key in desk.outcomes}
        name = next((one.run for one in found.values()), identity.run)
        given = runs.setdefault(name, Given(name))
        given.was = identity.run if identity.run != name else given.was
        given.unsent += len(keys) - len(found)
        given.strange += sum(strange.get(path.name, 0) for path in attempt.files)
        for (_, _, seq), one in found.items():
            _count(given, seq, one)
    return list(runs.values())


def _count(given: Given, seq: int, outcome: Outcome) -> None:
    if outcome.refusal is None:
        given.new += outcome.is_new
        given.known += not outcome.is_new
        return
    given.refused += 1
    detail = outcome.refusal.detail
    if detail not in given.reasons and len(given.reasons) < MOST_REASONS:
        given.reasons.append(detail)
