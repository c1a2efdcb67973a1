"""Which beats may go once a campaign is closed: all but the first and the last of each hour.

What binds stays as it came: starts, checkpoints, ends, what people and the clock said, and every
beat that says more than how far the work is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, NamedTuple

from app.runs.rules.events import Kind

HOUR_US: Final = 3600 * 1_000_000
TELLING: Final = frozenset({"fired", "restore", "note", "inputs"})
"""Fields that make a beat more than a sign of life."""


class Line(NamedTuple):
    """One stored event as thinning sees it; `has_context`: the plan as it stood is kept with it."""

    number: int
    kind: str
    at_us: int
    payload: str
    has_context: bool


def removable(lines: Iterable[Line]) -> list[int]:
    """The numbers of the events of one source that may go; `lines` come in the order of `seq`.

    Hours are those of the job's clock. Where it jumped back, an hour has one first and one last
    beat all the same.
    """
    found: list[int] = []
    last: dict[int, Line] = {}
    for line in lines:
        if line.kind != Kind.BEAT:
            continue
        hour = line.at_us // HOUR_US
        if hour not in last:
            last[hour] = line._replace(has_context=True)
            continue
        before, last[hour] = last[hour], line
        if not before.has_context and not _tells(before.payload):
            found.append(before.number)
    return found


def _tells(payload: str) -> bool:
    """Whether a beat says one of the telling fields; parsed only where their names occur."""
    if not any(f'"{name}"' in payload for name in TELLING):
        return False
    return not TELLING.isdisjoint(json.loads(payload))
