"""The pace of job tokens in this process: who posts faster than allowed is told to come later."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from app.errors import TooMany
from app.runs.rules.pace import full, take
from app.texts import text

_MOST: Final = 1000


class Paces:
    """A bucket for each token that posted lately; `clock` counts seconds and never steps back."""

    __slots__ = ("_kept", "clock")

    def __init__(self) -> None:
        self.clock: Callable[[], float] = time.monotonic
        self._kept: dict[str, tuple[float, float]] = {}

    def admit(self, token_id: str, rate: int) -> None:
        """Count one post of a token; raises TooMany with the seconds to wait. No limit for 0."""
        if not rate:
            return
        now, kept = self.clock(), self._kept
        known = kept.get(token_id)
        if known is None:
            if len(kept) >= _MOST:
                kept.clear()
            known = (full(rate), now)
        left, wait_s = take(known[0], now - known[1], rate)
        kept[token_id] = (left, now)
        if wait_s:
            raise TooMany(
                text("This token posts too fast; nothing was stored. Send batches, or come later."),
                retry_after_s=wait_s,
            )


paces: Final = Paces()
