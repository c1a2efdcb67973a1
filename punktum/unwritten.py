"""Events that the disk did not take: they wait in memory for the sender."""

from __future__ import annotations

import json
from collections import deque
from typing import Final

from punktum import reading
from punktum.events import LASTING
from punktum.limits import BINDING
from punktum.reserve import RESERVE_BYTES

IN_MEMORY: Final = 10_000
"""So many are kept; beyond it the oldest beats are dropped."""


class Unwritten:
    """Lines without their line end, oldest first. Used under the writer's lock."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, line: bytes) -> None:
        """Keep one more; where there are too many the oldest beat goes."""
        self._lines.append(line.rstrip(b"\n"))
        if len(self._lines) > IN_MEMORY:
            beats = (line for line in self._lines if b'"kind":"beat"' in line)
            self._lines.remove(next(beats, self._lines[0]))

    def first(self, most: int) -> list[bytes]:
        """The oldest ones."""
        return list(self._lines)[:most]

    def remove(self, lines: list[bytes]) -> None:
        """Forget lines that are in safety."""
        gone = set(lines)
        self._lines = deque(line for line in self._lines if line not in gone)

    def binding(self) -> list[bytes]:
        """Those that must not be lost, and that leave room in the reserve for the end."""
        return [line for line in self._lines if _binds(line) and len(line) < RESERVE_BYTES // 4]


def _binds(line: bytes) -> bool:
    event = reading.record(json.loads(line))
    return event.get("kind") in LASTING or any(name in event for name in BINDING)
