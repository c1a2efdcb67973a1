"""Which numbers of a source have come: the greatest, how many, and the gaps between them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain, islice
from typing import NamedTuple


class Numbers(NamedTuple):
    """The numbers seen so far; `gaps` are closed ranges below `last`, in order."""

    last: int = 0
    size: int = 0
    gaps: tuple[tuple[int, int], ...] = ()

    def has(self, seq: int) -> bool:
        """Whether this number came already."""
        return seq <= self.last and self._gap(seq) is None

    def including(self, seq: int) -> Numbers:
        """The numbers with a new one; raises ValueError for one that came already."""
        if seq == self.last + 1:
            return Numbers(seq, self.size + 1, self.gaps)
        if seq > self.last:
            return Numbers(seq, self.size + 1, (*self.gaps, (self.last + 1, seq - 1)))
        at = self._gap(seq)
        if at is None:
            raise ValueError(f"number {seq} came already")
        low, high = self.gaps[at]
        left = ((low, seq - 1),) if low < seq else ()
        right = ((seq + 1, high),) if seq < high else ()
        gaps = (*self.gaps[:at], *left, *right, *self.gaps[at + 1 :])
        return Numbers(self.last, self.size + 1, gaps)

    def missing(self, most: int) -> list[int]:
        """The first numbers that have not come, at most so many."""
        ranges = (range(low, high + 1) for low, high in self.gaps)
        return list(islice(chain.from_iterable(ranges), most))

    @property
    def missing_count(self) -> int:
        """How many numbers below the greatest have not come."""
        return sum(high - low + 1 for low, high in self.gaps)

    def _gap(self, seq: int) -> int | None:
        at = bisect_right(self.gaps, (seq, 1 << 63)) - 1
        if at >= 0 and self.gaps[at][0] <= seq <= self.gaps[at][1]:
            return at
        return None
