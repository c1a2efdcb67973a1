"""After a stop was asked for: which signal is due when. Pure; times by the monotonic clock."""

from __future__ import annotations

import signal
from typing import Final

NEVER: Final = float("inf")


class Pressure:
    """A grace for code inside that listens, then TERM, a grace, and KILL; each once."""

    def __init__(self, now: float, grace_s: float, listens: bool) -> None:
        self._grace_s = grace_s
        self._at = now + (grace_s if listens else 0.0)
        self._next: int = signal.SIGTERM

    def due(self, now: float) -> int | None:
        """The signal to send now, None when none is due."""
        if now < self._at:
            return None
        number = self._next
        self._at = now + self._grace_s if number == signal.SIGTERM else NEVER
        self._next = signal.SIGKILL
        return int(number)
