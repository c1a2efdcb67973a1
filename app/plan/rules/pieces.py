"""The steps as pieces that can be placed: whole minutes, the lots that can hold each, and the
edges between them. A `per_lot` step is one piece for each lot; every other step is one piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepClass, StepKind
from app.plan.rules.precedence import Precedence, in_order
from app.plan.rules.spans import hours_said, named
from app.texts import Text, text

CLASSES = (StepClass.ESSENTIAL, StepClass.USEFUL, StepClass.EXPLORATORY)


@dataclass(frozen=True, slots=True)
class Piece:
    """What is placed as one bar. `rank` is its step's place in the plan.

    `lots`: for a machine the lots that can hold it. `bound`: the one lot a `per_lot` piece
    belongs to. `before`: pieces that must have ended. `by_lot`: rows of one piece per lot,
    of which only the one on this piece's own lot must have ended (None: none there).
    `same_lot`: pieces that must have ended only where they ran on this piece's lot.
    """

    id: str
    rank: int
    kind: StepKind
    minutes: int
    gpus: int
    lots: tuple[int, ...]
    bound: int | None
    early: bool
    before: tuple[int, ...]
    by_lot: tuple[tuple[int | None, ...], ...]
    same_lot: tuple[int, ...]


class Cause(StrEnum):
    """Why a step has no place whatever the others do."""

    NO_ESTIMATE = "no_estimate"
    NO_LOT = "no_lot"
    IMPOSSIBLE = "impossible"
    NEEDS_BLOCKED = "needs_blocked"


@dataclass(frozen=True, slots=True)
class Blocked:
    """A step that nothing can place, with the sentence that says why."""

    cause: Cause
    why: Text


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything a pass needs: pieces, lots, people, and the order pieces are placed in.

    `by_step` names the pieces of each step by rank. `blocked` says of a rank why nothing can
    place it: it has no estimate, or no lot holds it, or it is after such a step.
    """

    pieces: tuple[Piece, ...]
    lots: tuple[LotWindow, ...]
    people: int
    order: tuple[int, ...]
    by_step: tuple[tuple[int, ...], ...]
    blocked: Mapping[int, Blocked]

    def minutes(self) -> list[int]:
        """The planned minutes of each piece."""
        return [piece.minutes for piece in self.pieces]

    def active(self, ranks: Iterable[int]) -> list[int]:
        """The pieces of some steps in the order they are placed."""
        wanted = {number for rank in ranks for number in self.by_step[rank]}
        return [number for number in self.order if number in wanted]


def planned_minutes(step: Step) -> int | None:
    """The estimate in minutes, seconds rounded up; None where nobody stated one.

    A decision point without an estimate takes no time.
    """
    summed = step.parts.total_s() if step.parts is not None else 0
    seconds = summed or step.p50_s
    if seconds is None:
        return 0 if step.kind is StepKind.DECISION_POINT else None
    return -(-seconds // 60)


def gpus_of(step: Step) -> int:
    """The GPUs a step occupies together: at least one for a machine step."""
    return max(1, step.gpus) if step.kind is StepKind.MACHINE else 0


def lay_out(
    steps: Sequence[Step], precedence: Precedence, lots: Sequence[LotWindow], people: int
) -> Layout:
    """The pieces of all steps, whether or not they will be in the plan."""
    made = _Making(steps, precedence, tuple(lots))
    for rank in precedence.order:
        made.add(rank)
    edges = [
        (*p.before, *p.same_lot, *(n for row in p.by_lot for n in row if n is not None))
        for p in made.pieces
    ]
    key = [(CLASSES.index(steps[p.rank].klass), p.rank, p.bound or 0) for p in made.pieces]
    return Layout(
        pieces=tuple(made.pieces),
        lots=tuple(lots),
        people=people,
        order=tuple(in_order(edges, key)),
        by_step=tuple(made.by_step[rank] for rank in range(len(steps))),
        blocked=made.blocked,
    )


class _Making:
    """Makes the pieces step by step; what a step comes after has been made before it."""

    def __init__(
        self, steps: Sequence[Step], precedence: Precedence, lots: tuple[LotWindow, ...]
    ) -> None:
        self.steps, self.precedence, self.lots = steps, precedence, lots
        self.pieces: list[Piece] = []
        self.by_step: dict[int, tuple[int, ...]] = {}
        self.blocked: dict[int, Blocked] = {}

    def add(self, rank: int) -> None:
        step = self.steps[rank]
        minutes = planned_minutes(step)
        lots = self._lots(rank, minutes or 0)
        reason = self._why_blocked(rank, minutes, lots)
        if reason is not None:
            self.blocked[rank] = reason
        many = step.per_lot and len(self.lots) > 1
        first = len(self.pieces)
        for bound in lots if many else (None,):
            self.pieces.append(self._piece(rank, minutes or 0, lots, bound))
        self.by_step[rank] = tuple(range(first, len(self.pieces)))

    def _piece(self, rank: int, minutes: int, lots: tuple[int, ...], bound: int | None) -> Piece:
        step = self.steps[rank]
        before: list[int] = []
        by_lot: list[tuple[int | None, ...]] = []
        same_lot: list[int] = []
        for earlier in self._earlier(rank):
            numbers = self.by_step[earlier]
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

    def _lots(self, rank: int, minutes: int) -> tuple[int, ...]:
        """The lots that can hold a step, and that everything per lot it is after is on."""
        step = self.steps[rank]
        every = range(len(self.lots))
        fitting: Iterable[int] = every
        if step.kind is StepKind.MACHINE:
            fitting = (n for n in every if _holds(self.lots[n], gpus_of(step), minutes))
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
            return Blocked(Cause.IMPOSSIBLE, self._why_no_lot(step, minutes))
        return None

    def _why_no_lot(self, step: Step, minutes: int) -> Text:
        gpus = gpus_of(step)
        most = max(lot.gpus for lot in self.lots)
        if gpus > most:
            return text(
                "{step} needs {gpus} GPUs in one lot, the largest has {most}: "
                "lots do not merge their memory",
                step=named(step),
                gpus=gpus,
                most=most,
            )
        windows = [lot.usable_min - lot.start_min for lot in self.lots]
        wide = max(w for w, lot in zip(windows, self.lots, strict=True) if lot.gpus >= gpus)
        if minutes <= wide:
            return text("{step} needs a lot on which all it is after can run", step=named(step))
        too_long = {
            "step": named(step),
            "length": hours_said(minutes),
            "over": hours_said(minutes - wide),
        }
        if wide == max(windows):
            return text("{step} takes {length}: {over} longer than the longest window", **too_long)
        return text(
            "{step} takes {length}: {over} longer than the longest window with {gpus} GPUs",
            **too_long,
            gpus=gpus,
        )


def _holds(lot: LotWindow, gpus: int, minutes: int) -> bool:
    return lot.gpus >= gpus and lot.usable_min - lot.start_min >= minutes
