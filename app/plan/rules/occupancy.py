"""How many of some equal things (people, the GPUs of one lot) are taken, minute by minute.

A thing taken over [a, b) and one taken over [b, c) do not meet. A piece of no length at t meets
only what began before t and ends after it, so it fits between two others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

# Each minute t is two ticks: 2t is the instant itself, where a piece of no length lies, and
# 2t + 1 the time up to the next. [a, b) takes the ticks 2a + 1 … 2b − 1.
_LONG_AGO = -(1 << 60)


class Occupancy:
    """Equal things of one kind, and over which minutes how many of them are taken."""

    __slots__ = ("_from", "_instants", "_taken", "_total")

    def __init__(self, total: int) -> None:
        self._total = total
        self._from = [_LONG_AGO]  # the first tick of each stretch; the last one never ends
        self._taken = [0]
        self._instants: dict[int, int] = {}  # minute → the most taken there for no time

    def earliest(self, since: int, minutes: int, count: int) -> int:
        """The first minute, not before `since`, from which `count` are free for `minutes`.

        `count` is at most the total, so there always is one.
        """
        begins, taken = self._from, self._taken
        most = self._total - count
        last = len(begins)
        start = since
        at = bisect_right(begins, 2 * start + 1 if minutes else 2 * start) - 1
        while True:
            until = 2 * (start + minutes) if minutes else 2 * start + 1
            if not minutes and self._instants.get(start, 0) >= count:
                return start
            while at < last and begins[at] < until and taken[at] <= most:
                at += 1
            if at == last or begins[at] >= until:
                return start
            # Taken up to the tick where the next stretch begins: the next start is no earlier.
            at += 1
            tick = begins[at]
            start = tick >> 1 if minutes else (tick + 1) >> 1

    def take(self, start: int, minutes: int, count: int) -> None:
        """Take `count` over [start, start + minutes)."""
        if minutes:
            self._add(2 * start + 1, 2 * (start + minutes), count)
        elif self._instants.get(start, 0) < count:
            self._instants[start] = count
            self._add(2 * start, 2 * start + 1, count)

    def _add(self, first: int, until: int, count: int) -> None:
        low = self._cut(first)
        high = self._cut(until)
        for at in range(low, high):
            self._taken[at] += count

    def _cut(self, tick: int) -> int:
        """The index of the stretch that begins at a tick, after splitting one if need be."""
        at = bisect_left(self._from, tick)
        if at == len(self._from) or self._from[at] != tick:
            self._from.insert(at, tick)
            self._taken.insert(at, self._taken[at - 1])
        return at


def share_out(spans: list[tuple[int, int, int]], total: int) -> list[tuple[int, ...]]:
    """Which of the numbered things each of `(start, end, count)` gets, lowest numbers first.

    The spans never take more than `total` at once, so going by start always finds enough:
    what is free at a start stays free.
    """
    free_from = [_LONG_AGO] * total
    got: list[tuple[int, ...]] = [()] * len(spans)
    # Of those that start together, first what takes no time, then in the given order.
    for at in sorted(range(len(spans)), key=lambda n: (spans[n][0], spans[n][1] > spans[n][0])):
        start, end, count = spans[at]
        free = [thing for thing in range(total) if free_from[thing] <= start]
        got[at] = tuple(free[:count])
        for thing in got[at]:
            free_from[thing] = end
    return got
