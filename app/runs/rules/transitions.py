"""The transition table of an attempt: what each kind of event makes of each status.

`moves` leads to another status, `stays` is an ordinary sign of life, `late` is kept as evidence
and changes nothing, `corrects` replaces what a person had assumed, `refused` contradicts the
record: a numbered event from a spool is kept all the same as late evidence, everything else is
answered with 409.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.runs.rules.events import Kind, Status

_ENDED: Final = {
    Kind.STOP: Status.STOPPED,
    Kind.FAIL: Status.FAILED,
    Kind.FINISH: Status.COMPLETED,
}
_CLOSED: Final = {Kind.LOST: Status.LOST, Kind.CLOSE: Status.STOPPED}


@dataclass(frozen=True, slots=True)
class Move:
    """Where an event leads, and how."""

    to: Status
    how: str  # moves | stays | late | corrects | refused


def _table() -> dict[tuple[Status, Kind], Move]:
    table: dict[tuple[Status, Kind], Move] = {}
    for status in (Status.PLANNED, Status.RUNNING):
        table[status, Kind.START] = Move(
            Status.RUNNING, "moves" if status is Status.PLANNED else "stays"
        )
        for kind in (Kind.BEAT, Kind.CHECKPOINT, Kind.ASK, Kind.JUDGE):
            table[status, kind] = Move(status, "stays")
        for kind, to in (_ENDED | _CLOSED).items():
            table[status, kind] = Move(to, "moves")
    for status in (Status.COMPLETED, Status.FAILED, Status.STOPPED, Status.LOST):
        for kind in (Kind.START, Kind.BEAT, Kind.CHECKPOINT, Kind.JUDGE):
            table[status, kind] = Move(status, "late")
        for kind in (Kind.ASK, *_CLOSED):
            table[status, kind] = Move(status, "refused")
        for kind, to in _ENDED.items():
            lost = status is Status.LOST
            table[status, kind] = Move(to if lost else status, "corrects" if lost else "refused")
    return table


TRANSITIONS: Final = _table()
"""(status, kind) → move, for every pair."""


def after(status: Status, kind: Kind) -> Status:
    """The status after an event of this kind."""
    return TRANSITIONS[status, kind].to
