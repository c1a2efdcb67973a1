"""The steps as pieces that can be placed: whole minutes, the lots that can hold each, and the
edges between them. `laying` makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Role, Step, StepClass, StepKind
from app.texts import Text

CLASSES = (StepClass.ESSENTIAL, StepClass.USEFUL, StepClass.EXPLORATORY)


@dataclass(frozen=True, slots=True)
class Piece:
    """What is placed as one bar. `rank` is its step's place in the plan.

    `lots`: for a machine the lots that can hold it. `bound`: the one lot a `per_lot` piece
    belongs to. `before`: pieces that must have ended. `by_lot`: rows of one piece per lot,
    of which only the one on this piece's own lot must have ended (None: none there).
    `same_lot`: pieces that must have ended only where they ran on this piece's lot.
    `reserve`: the number of the piece right after it that keeps time for its interruptions, on
    the same GPUs; that one `is_reserve`, and what waits for the step waits for it.
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
    reserve: int | None = None
    is_reserve: bool = False


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

    `edges` names all that a piece is ever placed after, on whichever lot. `by_step` names the
    pieces of each step by rank. `blocked` says of a rank why nothing can place it: it has no
    estimate, or no lot holds it, or it is after such a step. `begun` pieces are being worked on:
    whatever order is tried, they are placed first. `narrowed`: not all lots may be used.
    """

    pieces: tuple[Piece, ...]
    lots: tuple[LotWindow, ...]
    people: int
    edges: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    by_step: tuple[tuple[int, ...], ...]
    blocked: Mapping[int, Blocked]
    begun: frozenset[int] = frozenset()
    narrowed: bool = False

    def on(self, lots: frozenset[int]) -> Layout | None:
        """The same with the machines kept to some of the lots; None where one has no place there.

        What is done once for each lot stays on each. No proof holds for the plan as a whole.
        """
        pieces = []
        for piece in self.pieces:
            if piece.lots and piece.bound is None:
                left = tuple(lot for lot in piece.lots if lot in lots)
                if not left:
                    return None
                piece = replace(piece, lots=left)
            pieces.append(piece)
        return replace(self, pieces=tuple(pieces), narrowed=True)

    def minutes(self) -> list[int]:
        """The planned minutes of each piece."""
        return [piece.minutes for piece in self.pieces]

    def held(self, number: int) -> int:
        """The planned minutes over which a piece holds its GPUs or its person: with its reserve."""
        piece = self.pieces[number]
        return piece.minutes + (self.pieces[piece.reserve].minutes if piece.reserve else 0)

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


def tied(step: Step) -> bool:
    """Whether a step is meant where control and variants are to run on one lot."""
    roles = (Role.CONTROL, Role.VARIANT)
    return step.role in roles and step.kind is StepKind.MACHINE and not step.per_lot


def gpus_of(step: Step) -> int:
    """The GPUs a step occupies together: at least one for a machine step."""
    return max(1, step.gpus) if step.kind is StepKind.MACHINE else 0
