"""One serial pass: pieces taken in a given order, each placed as early as all before it allow.

What may be done before the window is placed backwards from hour 0 first. The ends of the
windows only choose between lots; how far the plan overruns them is counted, not prevented.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import StepKind
from app.plan.rules.occupancy import Occupancy
from app.plan.rules.pieces import Layout, Piece

NOWHERE = -1
_NEVER = -(1 << 40)


class Placed:
    """The outcome of a pass by number of the piece: start, end, lot, the lots it stands on.

    `overrun` is the most by which any lot is overrun, in minutes; 0 means that all of it fits.
    Pieces that were not in the pass keep an end long before everything.
    """

    __slots__ = ("end", "lot", "overrun", "stands_on", "start")

    def __init__(self, count: int) -> None:
        self.start = [_NEVER] * count
        self.end = [_NEVER] * count
        self.lot = [NOWHERE] * count
        self.stands_on = [0] * count  # bit sets of lots, carried through work done by people
        self.overrun = 0


def place(layout: Layout, order: Sequence[int], minutes: Sequence[int]) -> Placed:
    """Place the pieces in an order that respects their edges.

    `minutes` is given apart, so that a draw of durations is one more pass.
    """
    return _Pass(layout, minutes).run(order)


class _Pass:
    def __init__(self, layout: Layout, minutes: Sequence[int]) -> None:
        self.pieces, self.lots, self.minutes = layout.pieces, layout.lots, minutes
        self.people = Occupancy(layout.people)
        self.gpus = [Occupancy(lot.gpus) for lot in layout.lots]
        self.last_end = max((lot.end_min for lot in layout.lots), default=None)
        self.placed = Placed(len(layout.pieces))
        self.layout = layout

    def run(self, order: Sequence[int]) -> Placed:
        self._before_the_window([n for n in order if self.pieces[n].early])
        for number in order:
            piece = self.pieces[number]
            if piece.early or piece.is_reserve:  # a reserve is placed with its step
                continue
            if piece.kind is StepKind.MACHINE:
                overrun = self._machine(number, piece)
            else:
                overrun = self._elsewhere(number, piece)
            self.placed.overrun = max(self.placed.overrun, overrun)
        return self.placed

    def _before_the_window(self, order: list[int]) -> None:
        """Place early pieces so that each ends as late as it can, the last ones at hour 0."""
        if not order:
            return
        # Time runs backwards here: minute m stands for hour 0 less m minutes.
        people = Occupancy(self.layout.people)
        since = dict.fromkeys(order, 0)
        for number in reversed(order):
            piece, minutes = self.pieces[number], self.minutes[number]
            begins = since[number]
            if piece.kind is not StepKind.TRANSFER:
                begins = people.earliest(begins, minutes, 1)
                people.take(begins, minutes, 1)
            self.placed.start[number] = -(begins + minutes)
            self.placed.end[number] = -begins
            self.placed.lot[number] = self._lane_lot(piece, 0)
            if piece.bound is not None:
                self.placed.stands_on[number] = 1 << piece.bound
            for earlier in piece.before:
                if earlier in since:
                    since[earlier] = max(since[earlier], begins + minutes)

    def _since(self, piece: Piece) -> int:
        """The first minute at which everything before a piece has ended, its own lot apart."""
        end = self.placed.end
        since = 0
        for number in piece.before:
            if end[number] > since:
                since = end[number]
        if piece.bound is not None:
            since = max(since, self.lots[piece.bound].start_min)
            for number in piece.same_lot:
                if self.placed.lot[number] == piece.bound and end[number] > since:
                    since = end[number]
        return since

    def _machine(self, number: int, piece: Piece) -> int:
        """Place a machine piece on the lot it overruns least, then where it begins first.

        It holds its GPUs until its reserve, where it has one, is over.
        """
        minutes, end = self.minutes[number], self.placed.end
        if piece.reserve is not None:
            minutes += self.minutes[piece.reserve]
        since = self._since(piece)
        best: tuple[int, int, int] | None = None
        for at in piece.lots:
            lot = self.lots[at]
            begins = max(since, lot.start_min)
            for row in piece.by_lot:
                one = row[at]
                if one is not None and end[one] > begins:
                    begins = end[one]
            begins = self.gpus[at].earliest(begins, minutes, piece.gpus)
            found = (max(0, begins + minutes - lot.usable_min), begins, at)
            if best is None or found < best:
                best = found
        if best is None:
            raise ValueError(f"{piece.id}: no lot holds it, so it is not in a pass")
        overrun, begins, at = best
        self.gpus[at].take(begins, minutes, piece.gpus)
        self._set(number, begins, self.minutes[number], at, 1 << at)
        if piece.reserve is not None:
            kept = self.minutes[piece.reserve]
            self._set(piece.reserve, begins + minutes - kept, kept, at, 1 << at)
        return overrun

    def _elsewhere(self, number: int, piece: Piece) -> int:
        """Place work of people or a transfer, and say by how much it comes too late."""
        minutes = self.minutes[number]
        begins = self._since(piece)
        stands_on = 0
        if piece.bound is not None:
            stands_on = 1 << piece.bound
        else:
            for earlier in piece.before:
                stands_on |= self.placed.stands_on[earlier]
        if piece.kind is not StepKind.TRANSFER:
            begins = self.people.earliest(begins, minutes, 1)
            self.people.take(begins, minutes, 1)
        self._set(number, begins, minutes, self._lane_lot(piece, stands_on), stands_on)
        deadline = self._deadline(piece, stands_on)
        return max(0, begins + minutes - deadline) if deadline is not None else 0

    def _set(self, number: int, begins: int, minutes: int, lot: int, stands_on: int) -> None:
        placed = self.placed
        placed.start[number], placed.end[number] = begins, begins + minutes
        placed.lot[number], placed.stands_on[number] = lot, stands_on

    def _deadline(self, piece: Piece, stands_on: int) -> int | None:
        """A transfer ends before the end of every lot its files lie on, a piece of one lot
        before that lot's, everything else before the last lot's end."""
        if stands_on and (piece.bound is not None or piece.kind is StepKind.TRANSFER):
            return min(closes(lot) for at, lot in enumerate(self.lots) if stands_on >> at & 1)
        return self.last_end

    def _lane_lot(self, piece: Piece, stands_on: int) -> int:
        """The lot whose lane shows a piece: its own, or for a transfer the first to close."""
        if piece.bound is not None:
            return piece.bound
        if piece.kind is not StepKind.TRANSFER or not self.lots:
            return NOWHERE
        if not stands_on:
            return min(range(len(self.lots)), key=lambda at: self.lots[at].start_min)
        sources = [at for at in range(len(self.lots)) if stands_on >> at & 1]
        return min(sources, key=lambda at: closes(self.lots[at]))


def closes(lot: LotWindow) -> int:
    """The minute from which nothing can be fetched from a lot."""
    return min(lot.end_min, lot.usable_min)
