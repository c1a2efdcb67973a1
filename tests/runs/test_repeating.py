"""Posts without a number, sent twice: the same body is the same event where it names its time."""

from __future__ import annotations

from typing import Any

import pytest

from app.db import Database
from app.errors import Conflict
from app.runs import queries
from app.runs.commands.repeating import WINDOW
from tests.runs.campaigns import ID, event, opened, posted

AT = "2026-12-01T09:00:00Z"


def _post(database: Database, kind: str, **fields: Any) -> bool:
    body = event(None, kind, attempt_id=None, **fields)
    return posted(database, body).results[0].duplicate


def _seqs(database: Database) -> int:
    with database.read() as session:
        return len(queries.events_of(session, ID, "a-01", limit=1000).items)


@pytest.mark.parametrize(
    ("kind", "fields", "is_same"),
    [
        ("beat", {}, False),
        ("beat", {"progress": 5, "metrics": {"loss": 0.5}}, False),
        ("beat", {"at": AT}, True),
        ("beat", {"elapsed_s": 60, "progress": 5}, True),
        ("checkpoint", {"path": "out/latest"}, False),
        ("checkpoint", {"path": "out/latest", "progress": 1200}, True),
        ("checkpoint", {"path": "out/latest", "at": AT}, True),
        ("finish", {"exit_code": 0}, True),
        ("fail", {"exit_code": 1, "log_tail": "boom"}, True),
        ("stop", {"reason_code": "operator"}, True),
        ("beat", {"event_id": "x"}, True),
    ],
)
def test_the_same_body_again(
    database: Database, kind: str, fields: dict[str, Any], is_same: bool
) -> None:
    opened(database)
    _post(database, "start")
    assert _post(database, kind, **fields) is False
    assert _post(database, kind, **fields) is is_same
    assert _seqs(database) == (2 if is_same else 3)


def test_a_start_again_is_the_same_start(database: Database) -> None:
    opened(database)
    assert _post(database, "start") is False
    assert _post(database, "start") is True
    named = event(None, "start", run="n-01")
    assert posted(database, named).results[0].duplicate is False
    assert posted(database, named).results[0].duplicate is True
    assert posted(database, {**named, "command": "python other.py"}).results[0].duplicate is False


def test_another_body_or_another_time_is_another_event(database: Database) -> None:
    opened(database)
    _post(database, "start")
    assert _post(database, "beat", at=AT, progress=1) is False
    assert _post(database, "beat", at=AT, progress=2) is False
    assert _post(database, "beat", at="2026-12-01T09:00:01Z", progress=1) is False
    assert _post(database, "beat", at=AT, progress=1) is True


def test_names_of_ones_own_tell_equal_bodies_apart(database: Database) -> None:
    opened(database)
    _post(database, "start")
    assert [_post(database, "beat", at=AT, event_id=name) for name in ("a", "b", "a")] == [
        False,
        False,
        True,
    ]


def test_an_end_that_says_otherwise_is_a_conflict(database: Database) -> None:
    opened(database)
    _post(database, "start")
    _post(database, "finish", exit_code=0)
    with pytest.raises(Conflict):
        _post(database, "fail", exit_code=1)


def test_posts_far_apart_are_not_compared(database: Database) -> None:
    """The window is what keeps a post of a long run as cheap as one of a short run."""
    opened(database)
    _post(database, "start")
    _post(database, "beat", at=AT)
    for n in range(WINDOW - 1):
        _post(database, "beat", at=AT, progress=n)
    assert _post(database, "beat", at=AT) is True
    _post(database, "beat", at=AT, progress=WINDOW)
    assert _post(database, "beat", at=AT) is False
