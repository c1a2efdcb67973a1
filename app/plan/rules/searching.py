"""Looks for a good order of the pieces of some steps: the one whose pass fits, then ends first.

The plan's own order is tried first and kept where nothing is better, so that a simple plan
looks as it was typed. Then come the priority rules, each improved by pushing it late and early
again; then single pieces are taken earlier while that helps. A bounded number of random passes
from a fixed seed is made only where nothing fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from app.plan.rules.bounds import chains, lower_bound, proof_of_overrun
from app.plan.rules.improving import pushed_late
from app.plan.rules.model import Step
from app.plan.rules.pieces import Layout
from app.plan.rules.placing import Placed, place
from app.plan.rules.ranking import Field

RANDOM_PASSES = 100
"""Random passes for one question at most."""

RANDOM_PIECES = 6_000
"""Pieces placed by random passes for one plan at most: it must be answered while one types."""

MOVES = 60
"""Times that one piece is taken earlier, to end a plan earlier, at most."""

MOVED_PIECES = 3_600
"""Pieces in all these passes at most."""

SEED = 1
_EARLIER = (2, 4, 1, 8)
_SHAKES = (2.0, 4.0, 8.0, 16.0)


@dataclass(frozen=True, slots=True)
class Found:
    """A pass with the order that makes it; `end` is 0 where all of it lies before hour 0."""

    order: tuple[int, ...]
    placed: Placed
    end: int

    @property
    def fits(self) -> bool:
        """Whether all of it lies inside the lots."""
        return not self.placed.overrun

    def beats(self, other: Found) -> bool:
        """Whether it fits better, or as well and ends earlier."""
        return (self.placed.overrun, self.end) < (other.placed.overrun, other.end)


class Search:
    """The search for one plan; its random passes are counted over all that it is asked."""

    def __init__(self, layout: Layout, steps: Sequence[Step]) -> None:
        self.layout, self.steps = layout, steps
        self.minutes = layout.minutes()
        self._left = RANDOM_PIECES

    def typed(self, ranks: Iterable[int]) -> Found:
        """The pass in the plan's own order."""
        return self._pass(tuple(self.layout.active(ranks)))

    def room(self, ranks: Iterable[int]) -> tuple[Found, bool]:
        """A pass in which some steps fit, else the one that overruns least; and whether a bound
        proves that they never fit."""
        ranks = tuple(ranks)
        best = self.typed(ranks)
        if best.fits:
            return best, False
        field = Field(self.layout, self.steps, ranks)
        for order in field.by_rules():
            best = self._better(best, self._pass(order))
            if best.fits:
                return best, False
        if self.proof(best) is not None:
            return best, True
        best = self._improved(field, best)
        return (best if best.fits else self._at_random(field, best)), False

    def best(self, ranks: Iterable[int], first: Found) -> Found:
        """The pass that ends first of all that are tried, beginning from one of these steps."""
        bound = lower_bound(self.layout, chains(self.layout, first.order))
        if first.fits and first.end <= bound:
            return first
        field = Field(self.layout, self.steps, ranks)
        best = self._improved(field, first)
        for order in field.by_rules():
            if best.fits and best.end <= bound:
                break
            best = self._better(best, self._improved(field, self._pass(order)))
        return self._moved(field, best, bound)

    def proof(self, found: Found) -> object | None:
        """The sentence that proves that the pieces of a pass cannot fit, if there is one."""
        chained = chains(self.layout, found.order)
        bound = lower_bound(self.layout, chained)
        return proof_of_overrun(self.layout, chained, bound, self.steps)

    def _pass(self, order: tuple[int, ...]) -> Found:
        placed = place(self.layout, order, self.minutes)
        return Found(order, placed, max((placed.end[n] for n in order), default=0))

    def _improved(self, field: Field, found: Found) -> Found:
        """Push late and early again as long as that makes it better."""
        while True:
            late = pushed_late(self.layout, found.order, found.placed)
            again = self._pass(field.sorted_by(late))
            if not again.beats(found):
                return found
            found = again

    def _moved(self, field: Field, best: Found, bound: int) -> Found:
        """Take single pieces earlier, from the last one on, as long as that makes it better."""
        left = min(MOVES, MOVED_PIECES // max(1, len(field.numbers)))
        better: Found | None = best
        while better is not None:
            best, better = better, None
            if best.fits and best.end <= bound:
                break
            start, end = best.placed.start, best.placed.end
            order = sorted(best.order, key=lambda n: (start[n], end[n]))
            for by, at in _moves(len(order)):
                if left == 0:
                    return best
                left -= 1
                found = self._improved(field, self._pass(field.moved(order, at, by)))
                if found.beats(best):
                    better = found
                    break
        return best

    def _at_random(self, field: Field, best: Found) -> Found:
        """Shake the best orders until one fits, a bounded number of times."""
        random = Random(SEED)
        orders = [*field.by_rules(), field.numbers]
        for turn in range(RANDOM_PASSES):
            if self._left < len(field.numbers):
                break
            self._left -= len(field.numbers)
            base = best.order if turn % 2 else orders[turn // 2 % len(orders)]
            found = self._pass(field.shaken(base, random, _SHAKES[turn % len(_SHAKES)]))
            best = self._better(best, found)
            if best.fits:
                break
        return best

    @staticmethod
    def _better(best: Found, found: Found) -> Found:
        return found if found.beats(best) else best


def _moves(count: int) -> Iterator[tuple[int, int]]:
    """By how many places which piece is taken earlier, in the order in which it is tried."""
    for by in _EARLIER:
        for at in range(count - 1, by - 1, -1):
            yield by, at
