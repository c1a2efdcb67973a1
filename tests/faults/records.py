"""What a server keeps, in a form in which two of them can be compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app import journal
from app.db import Database, open_database
from app.journal.audit import contents, load_projectors
from app.runs.rules.records import read_streams, streams_text
from app.runs.rules.streams import Stream
from app.settings import Settings
from tests.faults.servers import ID, Served

_EVENTS = """
SELECT a.run_id, a.attempt_id, e.source, e.seq, e.kind, e.at_us, e.payload, e.context
FROM run_events e JOIN attempts a ON a.id = e.attempt_key
"""
_STATES = """
SELECT a.run_id, a.attempt_id, a.number, a.late, t.plan_version, t.rules, t.names, t.start,
       t.streams
FROM attempts a JOIN attempt_states t ON t.attempt_key = a.id
"""
_RUNS = "SELECT run_id, status, attempt FROM runs"
Record = dict[str, list[Any]]


def _opened(server: Served) -> Database:
    load_projectors()
    return open_database(Settings(PUNKTUM_DATA=server.data, _env_file=None))


def everything(server: Served) -> Record:
    """Every row of the stream, of what is folded from it, and of the journal, as it lies."""
    database = _opened(server)
    try:
        with database.read() as session:
            names = journal.projected_tables() | {"run_events", "attempts", "journal"}
            return dict(contents(session.connection(), names))
    finally:
        database.close()


def timeless(server: Served) -> Record:
    """The record but for when we received it, and the journal's numbers and times."""
    database = _opened(server)
    try:
        with database.read() as session:
            connection = session.connection()
            found: Record = {
                "events": [tuple(row) for row in connection.exec_driver_sql(_EVENTS)],
                "runs": [tuple(row) for row in connection.exec_driver_sql(_RUNS)],
                "states": [
                    (*row[:-1], _unreceived(row[-1])) for row in connection.exec_driver_sql(_STATES)
                ],
                "journal": [
                    (entry.kind, entry.actor.kind, json.dumps(entry.payload, sort_keys=True))
                    for entry in journal.entries(session, ID)
                    if entry.kind.startswith("run.")
                ],
            }
            return {name: sorted(rows, key=str) for name, rows in found.items()}
    finally:
        database.close()


def _unreceived(said: str) -> str:
    streams: Mapping[str, Stream] = read_streams(said)
    return streams_text({name: _without_our_clock(one) for name, one in streams.items()})


def _without_our_clock(one: Stream) -> Stream:
    signs, progress, end = one.signs, one.progress, one.end
    return replace(
        one,
        signs=None if signs is None else signs._replace(received_us=0),
        progress=None if progress is None else progress._replace(since_us=0),
        end=None if end is None else replace(end, received_us=0),
    )
