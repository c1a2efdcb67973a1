"""Which steps are in the plan: the essential part, and the optional ones that find room.

Useful steps are tried by rank, then ticked exploratory ones, each with the steps it is after;
a step that finds no room is passed over and the next is tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.plan.rules.model import Step, StepClass
from app.plan.rules.pieces import Layout
from app.plan.rules.placing import Placed, place
from app.plan.rules.precedence import Precedence
from app.plan.rules.spans import hours_said, named
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Chosen:
    """The ranks in the plan with the pass that placed them, and those left out with reasons.

    `essential` are the essential steps with all they are after, placed or not.
    """

    essential: frozenset[int]
    ranks: frozenset[int]
    placed: Placed
    dropped: tuple[tuple[int, Text], ...]
    not_included: tuple[int, ...]


def choose(steps: Sequence[Step], precedence: Precedence, layout: Layout) -> Chosen:
    """Choose what is in the plan; without room for the essential part it alone is placed."""
    return _Choice(steps, precedence, layout).made()


class _Choice:
    def __init__(self, steps: Sequence[Step], precedence: Precedence, layout: Layout) -> None:
        self.steps, self.precedence, self.layout = steps, precedence, layout
        self.minutes = layout.minutes()
        self.essential = self._with_needed(_of_class(steps, StepClass.ESSENTIAL))
        exploratory = _of_class(steps, StepClass.EXPLORATORY)
        ticked = [rank for rank in exploratory if steps[rank].include]
        optional = [*_of_class(steps, StepClass.USEFUL), *ticked]
        self.optional = [rank for rank in optional if rank not in self.essential]
        self.unticked = [
            rank for rank in exploratory if not steps[rank].include and rank not in self.essential
        ]

    def made(self) -> Chosen:
        within = frozenset(rank for rank in self.essential if rank not in self.layout.blocked)
        placed = self._place(within)
        why: dict[int, Text] = {}
        if within != self.essential or placed.overrun:
            alone = text("The essential part alone does not fit")
            why = dict.fromkeys(self.optional, alone)
        else:
            within, placed, why = self._with_optional(within, placed)
        return Chosen(
            essential=self.essential,
            ranks=within,
            placed=placed,
            dropped=tuple((rank, why[rank]) for rank in sorted(why) if rank not in within),
            not_included=tuple(self.unticked),
        )

    def _with_optional(
        self, within: frozenset[int], placed: Placed
    ) -> tuple[frozenset[int], Placed, dict[int, Text]]:
        why = {rank: reason for rank in self.optional if (reason := self._cannot(rank))}
        candidates = [rank for rank in self.optional if rank not in why]
        everything = within | self._with_needed(candidates)
        # Most plans have room for all: one pass instead of one for each optional step.
        whole = self._place(everything)
        if not whole.overrun:
            return everything, whole, why
        for rank in candidates:
            trial = within | self.precedence.needs(rank)
            if trial == within:
                continue
            tried = self._place(trial)
            if tried.overrun:
                why[rank] = text(
                    "No room for {step}: with it the plan exceeds its lot by {over}",
                    step=named(self.steps[rank]),
                    over=hours_said(tried.overrun),
                )
            else:
                within, placed = trial, tried
        return within, placed, why

    def _cannot(self, rank: int) -> Text | None:
        """Why an optional step has no place whatever room there is, or None."""
        blocked = self.layout.blocked.get(rank)
        if blocked is not None:
            return blocked.why
        for needed in sorted(self.precedence.needs(rank)):
            if needed in self.unticked:
                return text(
                    "{step} needs {needed}, which is not included",
                    step=named(self.steps[rank]),
                    needed=named(self.steps[needed]),
                )
        return None

    def _place(self, ranks: frozenset[int]) -> Placed:
        return place(self.layout, self.layout.active(ranks), self.minutes)

    def _with_needed(self, ranks: Sequence[int]) -> frozenset[int]:
        """Some steps and everything they are after, directly or not."""
        return frozenset().union(*(self.precedence.needs(rank) for rank in ranks))


def _of_class(steps: Sequence[Step], klass: StepClass) -> list[int]:
    return [rank for rank, step in enumerate(steps) if step.klass is klass]
