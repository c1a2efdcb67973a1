"""Which steps are in the plan: the essential part, and the optional ones that find room.

Useful steps are tried by rank, then ticked exploratory ones, each with the steps it is after;
a step that finds no room is passed over and the next is tried. Of exploratory steps that nobody
ticked it is said whether they would fit beside all that is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.plan.rules.model import Step, StepClass
from app.plan.rules.pieces import Layout
from app.plan.rules.precedence import Precedence
from app.plan.rules.searching import Found, Search
from app.plan.rules.spans import hours_said, named
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Chosen:
    """The ranks in the plan with the pass that placed them, and those left out with reasons.

    `essential` are the essential steps with all they are after, placed or not. `optional` are
    the useful and the ticked steps in the order they are tried. `would_fit` says of unticked
    steps by how many minutes the plan would overrun its lots with them.
    """

    essential: frozenset[int]
    optional: tuple[int, ...]
    ranks: frozenset[int]
    found: Found
    dropped: tuple[tuple[int, Text], ...]
    not_included: tuple[int, ...]
    would_fit: tuple[tuple[int, int], ...]


def choose(steps: Sequence[Step], precedence: Precedence, layout: Layout) -> Chosen:
    """Choose what is in the plan; without room for the essential part it alone is placed."""
    return _Choice(steps, precedence, layout).made()


class _Choice:
    def __init__(self, steps: Sequence[Step], precedence: Precedence, layout: Layout) -> None:
        self.steps, self.precedence, self.layout = steps, precedence, layout
        self.search = Search(layout, steps)
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
        found, _ = self.search.room(within)
        why: dict[int, Text] = {}
        would_fit: list[tuple[int, int]] = []
        if within != self.essential or not found.fits:
            alone = text("The essential part alone does not fit")
            why = dict.fromkeys(self.optional, alone)
        else:
            within, found, why = self._with_optional(within, found)
            would_fit = [(rank, over) for rank, over in self._would_fit(within)]
        return Chosen(
            essential=self.essential,
            optional=tuple(self.optional),
            ranks=within,
            found=self.search.best(within, found),
            dropped=tuple((rank, why[rank]) for rank in sorted(why) if rank not in within),
            not_included=tuple(self.unticked),
            would_fit=tuple(would_fit),
        )

    def _with_optional(
        self, within: frozenset[int], found: Found
    ) -> tuple[frozenset[int], Found, dict[int, Text]]:
        why = {rank: reason for rank in self.optional if (reason := self._cannot(rank))}
        candidates = [rank for rank in self.optional if rank not in why]
        everything = within | self._with_needed(candidates)
        # Most plans have room for all: one pass instead of one for each optional step.
        whole = self.search.typed(everything)
        if whole.fits:
            return everything, whole, why
        for rank in candidates:
            trial = within | self.precedence.needs(rank)
            if trial == within:
                continue
            tried, proved = self.search.room(trial)
            if tried.fits:
                within, found = trial, tried
            else:
                proved = proved and not self.layout.narrowed
                why[rank] = _no_room(tried.placed.overrun, proved=proved)
        return within, found, why

    def _would_fit(self, within: frozenset[int]) -> Iterable[tuple[int, int]]:
        """Unticked steps that could be placed, and by how much they would overrun the lots."""
        for rank in self.unticked if self.layout.lots else ():
            needed = self.precedence.needs(rank)
            if not any(one in self.layout.blocked for one in needed):
                tried, _ = self.search.room(within | needed)
                yield rank, tried.placed.overrun

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

    def _with_needed(self, ranks: Sequence[int]) -> frozenset[int]:
        """Some steps and everything they are after, directly or not."""
        return frozenset().union(*(self.precedence.needs(rank) for rank in ranks))


def _no_room(over_min: int, *, proved: bool) -> Text:
    """Why a step was left out; without a proof it is only said what was found."""
    over = hours_said(over_min)
    if proved:
        return text("With it the plan exceeds its lot by {over}", over=over)
    return text("With it the best plan found exceeds its lot by {over}", over=over)


def _of_class(steps: Sequence[Step], klass: StepClass) -> list[int]:
    return [rank for rank, step in enumerate(steps) if step.klass is klass]
