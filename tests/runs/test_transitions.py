"""The transition table: every pair of status and kind, and what may never happen."""

from __future__ import annotations

import itertools

import pytest

from app.runs.rules.events import CLOSINGS, ENDS, Kind, Status
from app.runs.rules.transitions import TRANSITIONS, after

TERMINAL = {Status.COMPLETED, Status.FAILED, Status.STOPPED, Status.LOST}
LIVING = {Status.PLANNED, Status.RUNNING}
SIGNS = {Kind.START, Kind.BEAT, Kind.CHECKPOINT}


def test_every_pair_is_there_once() -> None:
    assert set(TRANSITIONS) == set(itertools.product(Status, Kind))


@pytest.mark.parametrize(("status", "kind"), sorted(TRANSITIONS), ids=str)
def test_how_agrees_with_where_it_leads(status: Status, kind: Kind) -> None:
    move = TRANSITIONS[status, kind]
    assert (move.to is not status) == (move.how in {"moves", "corrects"})
    assert move.how in {"moves", "stays", "late", "corrects", "refused"}


@pytest.mark.parametrize(
    ("status", "kind", "to", "how"),
    [
        ("planned", "start", "running", "moves"),
        ("planned", "beat", "planned", "stays"),
        ("planned", "finish", "completed", "moves"),
        ("running", "start", "running", "stays"),
        ("running", "beat", "running", "stays"),
        ("running", "checkpoint", "running", "stays"),
        ("running", "finish", "completed", "moves"),
        ("running", "fail", "failed", "moves"),
        ("running", "stop", "stopped", "moves"),
        ("running", "lost", "lost", "moves"),
        ("running", "close", "stopped", "moves"),
        ("running", "ask", "running", "stays"),
        ("completed", "beat", "completed", "late"),
        ("completed", "fail", "completed", "refused"),
        ("completed", "lost", "completed", "refused"),
        ("stopped", "finish", "stopped", "refused"),
        ("lost", "finish", "completed", "corrects"),
        ("lost", "fail", "failed", "corrects"),
        ("lost", "stop", "stopped", "corrects"),
        ("lost", "beat", "lost", "late"),
        ("lost", "lost", "lost", "refused"),
    ],
)
def test_the_table_says(status: str, kind: str, to: str, how: str) -> None:
    move = TRANSITIONS[Status(status), Kind(kind)]
    assert (move.to.value, move.how) == (to, how)


def test_nothing_leads_back_from_an_end() -> None:
    for status, kind in itertools.product(TERMINAL, Kind):
        assert after(status, kind) in TERMINAL


def test_only_a_person_makes_a_run_lost() -> None:
    leads = {
        kind
        for (status, kind), move in TRANSITIONS.items()
        if move.to is Status.LOST and status in LIVING
    }
    assert leads == {Kind.LOST}


def test_a_sign_of_life_never_ends_a_run() -> None:
    for status, kind in itertools.product(LIVING, SIGNS | {Kind.ASK}):
        assert after(status, kind) in LIVING
    for status, kind in itertools.product(LIVING, ENDS | CLOSINGS):
        assert after(status, kind) in TERMINAL
