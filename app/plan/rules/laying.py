"""Makes the pieces of a plan from its steps.

A `per_lot` step is one piece for each lot that can hold it, every other step is one piece. Where
time is kept for interruptions, the piece of a machine is followed by a reserve of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from app.plan.rules.checkpoints import reserve_min
from app.plan.rules.holding import holds, why_no_lot, why_not_together
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepKind
from app.plan.rules.pieces import (
    CLASSES,
    Blocked,
    Cause,
    Layout,
    Piece,
    gpus_of,
    planned_minutes,
    tied,
)
from app.plan.rules.precedence import Precedence, in_order
from app.plan.rules.spans import named
from app.texts import Text, text


def lay_out(
    steps: Sequence[Step],
    precedence: Precedence,
    lots: Sequence[LotWindow],
    people: int,
    *,
    together: int | None = None,
    reserves: Mapping[str, int] | None = None,
    begun: Collection[str] = (),
) -> Layout:
    """The pieces of all steps, whether or not they will be in the plan.

    `together` is the one lot for control and variants, if they must share one. `reserves` are
    minutes by step where they are not those it asks for; `begun` names steps being worked on.
    """
    made = _Making(steps, precedence, tuple(lots), together, reserves or {})
    for rank in precedence.order:
        made.add(rank)
    edges = tuple(
        (*p.before, *p.same_lot, *(n for row in p.by_lot for n in row if n is not None))
        for p in made.pieces
    )
    known = frozenset(n for n, p in enumerate(made.pieces) if steps[p.rank].id in begun)
    key = [
        (n not in known, CLASSES.index(steps[p.rank].klass), p.rank, p.bound or 0, p.is_reserve)
        for n, p in enumerate(made.pieces)
    ]
    return Layout(
        pieces=tuple(made.pieces),
        lots=tuple(lots),
        people=people,
        edges=edges,
        order=tuple(in_order(edges, key)),
        by_step=tuple(made.by_step[rank] for rank in range(len(steps))),
        blocked=made.blocked,
        begun=known,
    )


class _Making:
    """Makes the pieces step by step; what a step comes after has been made before it."""

    def __init__(
        self,
        steps: Sequence[Step],
        precedence: Precedence,
        lots: tuple[LotWindow, ...],
        together: int | None,
        reserves: Mapping[str, int],
    ) -> None:
        self.steps, self.precedence, self.lots = steps, precedence, lots
        self.together, self.reserves = together, reserves
        self.pieces: list[Piece] = []
        self.by_step: dict[int, tuple[int, ...]] = {}
        self.ends: dict[int, tuple[int, ...]] = {}  # what waits for a step waits for these
        self.blocked: dict[int, Blocked] = {}

    def add(self, rank: int) -> None:
        step = self.steps[rank]
        minutes = planned_minutes(step)
        lots = self._lots(rank, minutes or 0, self.together)
        reason = self._why_blocked(rank, minutes, lots)
        if reason is not None:
            self.blocked[rank] = reason
        many = step.per_lot and len(self.lots) > 1
        first = len(self.pieces)
        ends: list[int] = []
        for bound in lots if many else (None,):
            self._append(self._piece(rank, minutes or 0, lots, bound), step)
            ends.append(len(self.pieces) - 1)
        self.by_step[rank] = tuple(range(first, len(self.pieces)))
        self.ends[rank] = tuple(ends)

    def _append(self, piece: Piece, step: Step) -> None:
        """Add a piece, and the one that keeps time for its interruptions."""
        number = len(self.pieces)
        kept = 0
        if step.kind is StepKind.MACHINE:
            stated = self.reserves.get(step.id)
            kept = reserve_min(step) if stated is None else stated
        if not kept:
            self.pieces.append(piece)
            return
        reserve = replace(
            piece,
            id=f"{piece.id}/reserve",
            minutes=kept,
            before=(number,),
            by_lot=(),
            same_lot=(),
            is_reserve=True,
        )
        self.pieces += [replace(piece, reserve=number + 1), reserve]

    def _piece(self, rank: int, minutes: int, lots: tuple[int, ...], bound: int | None) -> Piece:
        step = self.steps[rank]
        before: list[int] = []
        by_lot: list[tuple[int | None, ...]] = []
        same_lot: list[int] = []
        for earlier in self._earlier(rank):
            numbers = self.ends[earlier]
            other = self.steps[earlier]
            spread = other.per_lot and len(self.lots) > 1
            if spread and bound is not None:
                before += [n for n in numbers if self.pieces[n].bound == bound]
            elif spread and step.kind is StepKind.MACHINE:
                by_lot.append(self._row(numbers))
            elif (
                bound is not None
                and other.kind is StepKind.MACHINE
                and earlier not in self.precedence.after[rank]
            ):
                same_lot += numbers
            else:
                before += numbers
        machine = step.kind is StepKind.MACHINE
        return Piece(
            id=step.id if bound is None else f"{step.id}@{self.lots[bound].id}",
            rank=rank,
            kind=step.kind,
            minutes=minutes,
            gpus=gpus_of(step),
            lots=(bound,) if bound is not None and machine else lots if machine else (),
            bound=bound if bound is not None else 0 if step.per_lot and self.lots else None,
            early=self._early(rank),
            before=tuple(before),
            by_lot=tuple(by_lot),
            same_lot=tuple(same_lot),
        )

    def _earlier(self, rank: int) -> list[int]:
        both = (*self.precedence.after[rank], *self.precedence.follows[rank])
        return list(dict.fromkeys(both))

    def _row(self, numbers: Iterable[int]) -> tuple[int | None, ...]:
        """One piece for each lot, where the lot has one."""
        on = {self.pieces[number].bound: number for number in numbers}
        return tuple(on.get(lot) for lot in range(len(self.lots)))

    def _lots(self, rank: int, minutes: int, together: int | None) -> tuple[int, ...]:
        """The lots that can hold a step, and that everything per lot it is after is on."""
        step = self.steps[rank]
        every = range(len(self.lots))
        fitting: Iterable[int] = every
        if step.kind is StepKind.MACHINE:
            own = every if together is None or not tied(step) else (together,)
            fitting = (n for n in own if holds(self.lots[n], gpus_of(step), minutes))
        if step.kind is not StepKind.MACHINE and not step.per_lot:
            return tuple(every)
        ready = [
            {self.pieces[number].bound for number in self.by_step[earlier]}
            for earlier in self.precedence.after[rank]
            if self.steps[earlier].per_lot
        ]
        return tuple(n for n in fitting if all(n in bounds for bounds in ready))

    def _early(self, rank: int) -> bool:
        """Whether a step ends before hour 0: it may, and so may all that it comes after."""
        step = self.steps[rank]
        return (
            step.before_window
            and step.kind is not StepKind.MACHINE
            and all(self.pieces[n].early for e in self._earlier(rank) for n in self.by_step[e])
        )

    def _why_blocked(self, rank: int, minutes: int | None, lots: tuple[int, ...]) -> Blocked | None:
        step = self.steps[rank]
        if minutes is None:
            return Blocked(Cause.NO_ESTIMATE, text("{step} has no estimate", step=named(step)))
        for earlier in self.precedence.after[rank]:
            if earlier in self.blocked:
                needed = named(self.steps[earlier])
                why = text(
                    "{step} needs {needed}, which has no place", step=named(step), needed=needed
                )
                return Blocked(Cause.NEEDS_BLOCKED, why)
        if (step.kind is StepKind.MACHINE or (step.per_lot and self.lots)) and not lots:
            if not self.lots:
                why = text("{step} needs a lot, and none is planned", step=named(step))
                return Blocked(Cause.NO_LOT, why)
            return Blocked(Cause.IMPOSSIBLE, self._why_no_lot(rank, step, minutes))
        return None

    def _why_no_lot(self, rank: int, step: Step, minutes: int) -> Text:
        if self.together is not None and tied(step) and self._lots(rank, minutes, None):
            return why_not_together(step, self.lots[self.together])
        return why_no_lot(step, self.lots, gpus_of(step), minutes)
