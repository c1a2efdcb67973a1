"""Two boxes that were offline propose the same id for the same work: whichever spool is replayed
first, the record holds the same two executions, each by itself."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest

from app.db import Database
from app.journal.verify import verify_database
from app.runs import queries
from app.runs.pages.handing import hand_in
from app.runs.rules.uploading import Handed, read_spool
from tests.conftest import NOW, PERSON
from tests.runs.campaigns import FIRST, ID, SECOND, event, opened

COMPLETED: Sequence[dict[str, Any]] = [{"kind": "finish", "exit_code": 0}]
BY_RULE: Sequence[dict[str, Any]] = [
    {"metrics": {"loss": "nan"}},
    {"kind": "stop", "rule": "loss-not-finite"},
]
BROKEN = [{"kind": "fail", "exit_code": 3}]
IS_OVER: dict[str, Sequence[dict[str, Any]]] = {"completed": COMPLETED, "by rule": BY_RULE}


def _box(attempt_id: str, began: int, end: Sequence[dict[str, Any]], **start: Any) -> list[Handed]:
    """The spool of a box that proposed its run's id, and began at a second of its clock."""
    told: list[dict[str, Any]] = [{"kind": "start", **start}, {"progress": 7}, *end]
    events = [
        {**event(began + n, attempt_id=attempt_id, **one), "seq": n, "elapsed_s": n}
        for n, one in enumerate(told, 1)
    ]
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in events)
    proposed = json.dumps({"source": "main"}).encode()
    return [
        Handed(f"a-01--{attempt_id}--main.jsonl", lines),
        Handed(f"a-01--{attempt_id}.proposed.json", proposed),
    ]


def _replayed(database: Database, *boxes: list[Handed]) -> list[list[tuple[str, str, bool, int]]]:
    """What each run of the record holds, whatever the runs are called."""
    opened(database)
    for box in (*boxes, *boxes):
        hand_in(database, ID, read_spool(box), PERSON)
    assert verify_database(database.write_engine).findings == ()
    with database.read() as session:
        runs = queries.runs_of(session, ID, NOW)
    return sorted(
        sorted((one.id, one.status, one.late, one.missing) for one in run.attempts) for run in runs
    )


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("ends", itertools.product(IS_OVER, repeat=2))
def test_two_executions_stay_apart_whichever_is_replayed_first(
    database: Database, ends: tuple[str, str], is_reversed: bool
) -> None:
    boxes = [_box(FIRST, 0, IS_OVER[ends[0]]), _box(SECOND, 5000, IS_OVER[ends[1]])]
    found = _replayed(database, *(reversed(boxes) if is_reversed else boxes))
    how = {"completed": "completed", "by rule": "stopped"}
    assert found == [
        [(FIRST, how[ends[0]], False, 0)],
        [(SECOND, how[ends[1]], False, 0)],
    ]


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("ends", itertools.product([COMPLETED, BY_RULE, BROKEN, []], repeat=2))
def test_no_run_holds_two_executions_of_which_the_counting_one_was_over(
    database: Database, ends: tuple[Any, Any], is_reversed: bool
) -> None:
    boxes = [_box(FIRST, 0, ends[0]), _box(SECOND, 5000, ends[1])]
    if is_reversed:
        boxes.reverse()
    for run in _replayed(database, *boxes):
        assert [one[1] for one in run].count("completed") <= 1
        assert [one[2] for one in run] == [False] * len(run)


def test_an_attempt_that_its_own_box_saw_gone_comes_home_late(database: Database) -> None:
    later = _box(SECOND, 5000, COMPLETED, gone_attempts=[FIRST])
    found = _replayed(database, later, _box(FIRST, 0, []))
    assert found == [[(FIRST, "superseded", True, 0), (SECOND, "completed", False, 0)]]
