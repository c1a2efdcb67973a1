"""Says now and then how far the hashing is: every 5 s on a terminal, else once a minute."""

from __future__ import annotations

import sys
import time

from punktum import talk


class HashingProgress:
    """Counts the bytes read; speaks when it takes long."""

    def __init__(self) -> None:
        self._done = self._total = 0
        self._began = self._said_at = time.monotonic()
        on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._every_s = 5.0 if on_terminal else 60.0

    def begin(self, total: int) -> None:
        """So many bytes will be read."""
        self._total = total
        self._began = self._said_at = time.monotonic()

    def add(self, length: int) -> None:
        """So many more were read."""
        self._done += length
        now = time.monotonic()
        if now - self._said_at >= self._every_s:
            self._said_at = now
            talk.say(self.line(now - self._began))

    def line(self, elapsed_s: float) -> str:
        """``hashed 3.2 of 20.0 GiB, 310 MB/s, about 54 s left``."""
        rate = self._done / elapsed_s if elapsed_s > 0 else 0.0
        left = max(0, self._total - self._done)
        rest = f", about {talk.duration(left / rate)} left" if rate > 0 else ""
        done, total = self._done / 2**30, max(self._total, self._done) / 2**30
        return f"hashed {done:.1f} of {total:.1f} GiB, {rate / 1e6:.0f} MB/s{rest}"
