"""How fast files come, measured by what came over the wire, and how that is written down."""

from __future__ import annotations

import sys
import time
from typing import Final

from punktum import talk
from punktum.rsync import Ended

LEAST_BYTES: Final = 1 << 20
"""Less than this tells of the connection's beginning alone."""


def rate_line(bits_per_s: int) -> str:
    """The line of a campaign file: ``transfer_rate = "93.4 Mbit/s"``, as exact as is honest."""
    for power, unit in ((9, "Gbit/s"), (6, "Mbit/s"), (3, "kbit/s")):
        if bits_per_s >= 10**power:
            return f'transfer_rate = "{bits_per_s / 10**power:.1f} {unit}"'
    return f'transfer_rate = "{max(1, bits_per_s)} bit/s"'


class Speed:
    """Counts over all calls; speaks now and then of the group that comes."""

    def __init__(self) -> None:
        self.received = 0
        self.took_s = 0.0
        self._name, self._size, self._later = "", 0, 0
        self._began = self._said_at = time.monotonic()
        on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._every_s = 5.0 if on_terminal else 60.0

    @property
    def bits_per_s(self) -> int | None:
        """Bits a second over the wire; None while too little came."""
        if self.received < LEAST_BYTES or self.took_s <= 0:
            return None
        return max(1, round(self.received * 8 / self.took_s))

    def begin(self, name: str, size: int, later: int) -> None:
        """A group of ``size`` bytes comes, ``later`` bytes after it."""
        self._name, self._size, self._later = name, size, later
        self._began = self._said_at = time.monotonic()

    def see(self, length: int) -> None:
        """So many bytes of the group are here, by this call."""
        now = time.monotonic()
        if now - self._said_at >= self._every_s:
            self._said_at = now
            talk.say(self.line(length, now - self._began))

    def end(self, ended: Ended, grown: int) -> None:
        """One call has ended, and the files here have grown by so many bytes: that counts where it
        broke off, for then it does not say what it received."""
        self.received += max(0, grown) if ended.received is None else ended.received
        self.took_s += ended.took_s

    def line(self, length: int, elapsed_s: float) -> str:
        """``essential deliverables: 1.2 GiB of 4.0 GiB, 11.7 MB/s, all of it in about 12 min``."""
        rate = length / elapsed_s if elapsed_s > 0 else 0.0
        left = max(0, self._size - length) + self._later
        rest = f", all of it in about {talk.duration(left / rate)}" if rate > 0 else ""
        done = f"{talk.size(length)} of {talk.size(self._size)}"
        return f"{self._name}: {done}, {rate / 1e6:.1f} MB/s{rest}"
