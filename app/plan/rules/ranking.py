"""In which order pieces are taken for a pass: the plan's own, and several priority rules.

Whatever the rule, a piece is taken after all that it may have to wait for.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from app.plan.rules.model import Step, StepKind
from app.plan.rules.pieces import CLASSES, Layout
from app.plan.rules.placing import closes


class Field:
    """The pieces of some steps with the edges among them, in the plan's own order."""

    __slots__ = ("_behind", "_layout", "_steps", "_waits", "numbers")

    def __init__(self, layout: Layout, steps: Sequence[Step], ranks: Iterable[int]) -> None:
        self._layout, self._steps = layout, steps
        self.numbers = tuple(layout.active(ranks))
        active = set(self.numbers)
        self._waits: dict[int, int] = {}
        self._behind: dict[int, list[int]] = {n: [] for n in self.numbers}
        for number in self.numbers:
            earlier = [one for one in dict.fromkeys(layout.edges[number]) if one in active]
            self._waits[number] = len(earlier)
            for one in earlier:
                self._behind[one].append(number)

    def sorted_by(self, key: Sequence[float]) -> tuple[int, ...]:
        """The pieces with the least key first, each after all it may have to wait for.

        `key` is by number of the piece; what has begun comes before all others.
        """
        waits, behind, begun = self._waits.copy(), self._behind, self._layout.begun
        ready = [(-1.0 if n in begun else key[n], n) for n in self.numbers if not waits[n]]
        heapq.heapify(ready)
        found: list[int] = []
        while ready:
            _, number = heapq.heappop(ready)
            found.append(number)
            for later in behind[number]:
                waits[later] -= 1
                if not waits[later]:
                    heapq.heappush(ready, (-1.0 if later in begun else key[later], later))
        return tuple(found)

    def by_rules(self) -> Iterator[tuple[int, ...]]:
        """By class and latest finish, latest finish, latest start, largest work, greatest work
        with all behind it, most pieces behind, widest, and longest."""
        pieces, held = self._layout.pieces, self._layout.held
        late, behind = self._latest_finish(), self._all_behind()
        klass = [CLASSES.index(self._steps[piece.rank].klass) for piece in pieces]
        work = {n: held(n) * max(1, pieces[n].gpus) for n in self.numbers}
        rules: tuple[Callable[[int], tuple[int, ...]], ...] = (
            lambda n: (klass[n], late[n]),
            lambda n: (late[n],),
            lambda n: (late[n] - pieces[n].minutes,),
            lambda n: (-work[n],),
            lambda n: (-work[n] - sum(work[one] for one in behind[n]),),
            lambda n: (-len(behind[n]),),
            lambda n: (-pieces[n].gpus, late[n]),
            lambda n: (-held(n),),
        )
        for rule in rules:
            yield self.sorted_by(self._places(sorted(self.numbers, key=rule)))

    def moved(self, order: Sequence[int], place: int, by: int) -> tuple[int, ...]:
        """An order in which the piece at a place is taken `by` places earlier."""
        key = self._places(order)
        key[order[place]] = place - by - 0.5
        return self.sorted_by(key)

    def shaken(self, order: Sequence[int], random: Random, by: float) -> tuple[int, ...]:
        """An order in which each piece is moved by up to `by` places."""
        key = self._places(order)
        for number in order:
            key[number] += by * random.random()
        return self.sorted_by(key)

    def _places(self, order: Sequence[int]) -> list[float]:
        key = [0.0] * len(self._layout.pieces)
        for place, number in enumerate(order):
            key[number] = float(place)
        return key

    def _all_behind(self) -> dict[int, set[int]]:
        """For each piece everything that comes after it, directly or not."""
        found: dict[int, set[int]] = {}
        for number in reversed(self.numbers):
            found[number] = set(self._behind[number])
            for one in self._behind[number]:
                found[number] |= found[one]
        return found

    def _latest_finish(self) -> dict[int, int]:
        """By when each piece must end so that all after it can end in its window."""
        layout = self._layout
        last = max((lot.end_min for lot in layout.lots), default=0)
        late: dict[int, int] = {}
        for number in reversed(self.numbers):
            piece = layout.pieces[number]
            until = last
            if piece.kind is StepKind.MACHINE:
                until = max(layout.lots[at].usable_min for at in piece.lots)
            elif piece.bound is not None:
                until = closes(layout.lots[piece.bound])
            begins = (late[one] - layout.pieces[one].minutes for one in self._behind[number])
            late[number] = min(until, min(begins, default=until))
        return late
