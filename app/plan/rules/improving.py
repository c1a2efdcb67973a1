"""Forward-backward improvement: what a plan becomes when it is pushed late, then early again.

Every piece stays on its lot and is moved, the last ones first, as late as the pieces behind it
and the end of the plan allow (Li and Willis 1992; double justification). Taken by their new starts
the pieces then often need less time, because what was in the way without need has moved.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.plan.rules.model import StepKind
from app.plan.rules.occupancy import Occupancy
from app.plan.rules.pieces import Layout, Piece
from app.plan.rules.placing import NOWHERE, Placed, closes


def pushed_late(layout: Layout, order: Sequence[int], placed: Placed) -> list[int]:
    """When each piece begins, by its number, when all are pushed towards the end of the plan.

    Pieces before the window stay where they are.
    """
    return _Push(layout, order, placed).starts()


class _Push:
    """Time runs backwards here: minute m stands for the end of the plan less m minutes."""

    def __init__(self, layout: Layout, order: Sequence[int], placed: Placed) -> None:
        self.layout, self.order, self.placed = layout, order, placed
        self.end = max((placed.end[n] for n in order), default=0)
        self.people = Occupancy(layout.people)
        self.gpus = [Occupancy(lot.gpus) for lot in layout.lots]

    def starts(self) -> list[int]:
        pieces, end = self.layout.pieces, self.placed.end
        found = self.placed.start.copy()
        place = {number: at for at, number in enumerate(self.order)}
        movable = [n for n in self.order if not (pieces[n].early or pieces[n].is_reserve)]
        # With a reserve a piece ends where its reserve does, and is waited for there.
        ends = {n: end[pieces[n].reserve or n] for n in movable}
        since = {n: self.end - self._until(n, pieces[n], ends[n]) for n in movable}
        since |= {n: 0 for n in self.order if pieces[n].is_reserve}
        for number in sorted(movable, key=lambda n: (-ends[n], -place[n])):
            piece, held = pieces[number], self.layout.held(number)
            least = since[number]
            if piece.reserve is not None:
                least = max(least, since[piece.reserve])
            begins = self._taken(piece, number, least, held)
            found[number] = self.end - begins - held
            if piece.reserve is not None:
                found[piece.reserve] = found[number] + piece.minutes
            for earlier in self._before(number, piece):
                if earlier in since and since[earlier] < begins + held:
                    since[earlier] = begins + held
        return found

    def _taken(self, piece: Piece, number: int, since: int, held: int) -> int:
        if piece.kind is StepKind.TRANSFER:
            return since
        room = self.people
        if piece.kind is StepKind.MACHINE:
            room = self.gpus[self.placed.lot[number]]
        count = max(1, piece.gpus)
        begins = room.earliest(since, held, count)
        room.take(begins, held, count)
        return begins

    def _until(self, number: int, piece: Piece, end: int) -> int:
        """The last minute at which a piece may end: the plan's end, or that of its lot."""
        lots, at = self.layout.lots, self.placed.lot[number]
        until = self.end
        if piece.kind is StepKind.MACHINE:
            until = min(until, lots[at].usable_min)
        elif at != NOWHERE:
            until = min(until, closes(lots[at]))
        return max(until, end)

    def _before(self, number: int, piece: Piece) -> list[int]:
        """The pieces that a piece does wait for, with the lots as they are."""
        on = self.placed.lot
        found = list(piece.before)
        for row in piece.by_lot:
            one = row[on[number]]
            if one is not None:
                found.append(one)
        found += (one for one in piece.same_lot if on[one] == piece.bound)
        return found
