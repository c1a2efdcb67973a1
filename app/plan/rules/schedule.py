"""The schedule of a plan: what is placed where, whether it fits its lots, and by how much.

The essential part first; then useful steps by rank while all still fits, then exploratory ones
that a person ticked. Integer minutes from hour 0, half-open spans; the same input gives the same
schedule.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.plan.rules.bounds import chains, lower_bound, proof_of_overrun
from app.plan.rules.choosing import Chosen, choose
from app.plan.rules.grouping import on_fewer_lots, on_one_lot
from app.plan.rules.laying import lay_out
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Plan, Step, StepKind
from app.plan.rules.occupancy import share_out
from app.plan.rules.pieces import Cause, Layout
from app.plan.rules.placing import NOWHERE
from app.plan.rules.precedence import Precedence, arrange
from app.plan.rules.scheduled import Dropped, Placement, Schedule, WouldFit
from app.texts import Text, text

__all__ = ["Dropped", "Kept", "Placement", "Schedule", "WouldFit", "keep", "keep_plan", "schedule"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A schedule with the pass that made it, so that other durations can be tried in its order.

    `order` holds the pieces in the plan as they were placed; it is empty, and there is no
    `layout`, where nothing could be placed.
    """

    schedule: Schedule
    layout: Layout | None = None
    order: tuple[int, ...] = ()


def keep_plan(plan: Plan, lots: Sequence[LotWindow]) -> Kept:
    """Place a plan's steps into some lots, with its people and on its terms."""
    return keep(plan.steps, lots, plan.people, elsewhere=plan.variants_elsewhere)


def schedule(
    steps: Sequence[Step],
    lots: Sequence[LotWindow],
    people: int = 1,
    *,
    elsewhere: bool | None = None,
    reserves: Mapping[str, int] | None = None,
    begun: Collection[str] = (),
) -> Schedule:
    """Place the steps into the lots: `keep` without the pass that made it."""
    return keep(steps, lots, people, elsewhere=elsewhere, reserves=reserves, begun=begun).schedule


def keep(
    steps: Sequence[Step],
    lots: Sequence[LotWindow],
    people: int = 1,
    *,
    elsewhere: bool | None = None,
    reserves: Mapping[str, int] | None = None,
    begun: Collection[str] = (),
) -> Kept:
    """Place the steps into the lots.

    `elsewhere` False puts control and variants on one lot, whichever serves the plan best.
    `reserves` are minutes kept for interruptions by step, in place of what the step asks for.
    `begun` names steps that are being worked on: they are placed before all others.

    Never refuses a plan for being too long; a circle or an unknown name leaves it unplaced,
    with `problems`. Raises ValueError for fewer people than one.
    """
    if people < 1:
        raise ValueError(f"a plan needs one person at least, not {people}")
    window = _window(lots)
    precedence = arrange(steps)
    if not isinstance(precedence, Precedence):
        return Kept(Schedule(window_min=window, problems=precedence))
    if not steps:
        return Kept(Schedule(window_min=window, problems=(text("The plan has no steps yet"),)))
    readings = []
    for together in on_one_lot(steps, lots) if elsewhere is False else (None,):
        layout = lay_out(
            steps, precedence, lots, people, together=together, reserves=reserves, begun=begun
        )
        readings.append(_Reading(steps, layout, choose(steps, precedence, layout)))
    reading = min(readings, key=_Reading.worth)  # the first of those that are worth the same
    if elsewhere is not False and reading.falls_short():
        reading = min([reading, *_fitting(reading, precedence)], key=_Reading.worth)
    made = reading.schedule(window, [one for one in readings if one is not reading])
    return Kept(made, reading.layout, reading.order)


def _window(lots: Sequence[LotWindow]) -> int | None:
    """From the first start to the last end, None without a lot."""
    if not lots:
        return None
    return max(lot.end_min for lot in lots) - min(lot.start_min for lot in lots)


class _Reading:
    """Reads the facts of a schedule off the pass that was kept."""

    def __init__(self, steps: Sequence[Step], layout: Layout, chosen: Chosen) -> None:
        self.steps, self.layout, self.chosen = steps, layout, chosen
        self.lots, self.placed = layout.lots, chosen.found.placed
        self.order = chosen.found.order
        self.blocked = [
            layout.blocked[rank] for rank in sorted(chosen.essential) if rank in layout.blocked
        ]

    def worth(self) -> tuple[int, int, tuple[bool, ...], int]:
        """Less is better: all essential steps in, it fits, which optional ones are out, the end."""
        if self.blocked:
            return len(self.blocked), 0, (), 0
        out = tuple(rank not in self.chosen.ranks for rank in self.chosen.optional)
        return 0, self.placed.overrun, out, self.chosen.found.end

    def falls_short(self) -> bool:
        """Whether it does not fit, or leaves out what another use of the lots might hold."""
        wanted = [rank for rank in self.chosen.optional if rank not in self.layout.blocked]
        return (
            len(self.lots) > 1
            and not self.blocked
            and (bool(self.placed.overrun) or any(r not in self.chosen.ranks for r in wanted))
        )

    def schedule(self, window: int | None, others: Sequence[_Reading]) -> Schedule:
        """The whole result; figures are left unknown where the essential part has no place.

        `others` are the readings with control and variants on another lot: what is said of all
        plans must hold of theirs too.
        """
        if self.blocked:
            return self._result(window, proof=self._proof_of_blocked())
        end = max((self.placed.end[n] for n in self.order), default=0)
        bound = min([self._bound(self.layout), *(self._bound(one.layout) for one in others)])
        if not self.lots:
            return self._result(window, end_min=end, lower_bound_min=bound)
        if self.placed.overrun:
            open_ones = [one for one in others if not one.blocked]
            proved = all(one.proof_of_overrun() is not None for one in open_ones)
            return self._result(
                window,
                end_min=end,
                exceeds_min=self.placed.overrun,
                lower_bound_min=bound,
                proof=self.proof_of_overrun() if proved else None,
            )
        return self._result(
            window,
            end_min=end,
            fits=True,
            uncommitted_min=self._uncommitted(end),
            lower_bound_min=bound,
        )

    def _bound(self, layout: Layout) -> int:
        """What no plan of the steps in this one can beat on the terms of a layout; where that one
        has no place for them, what this one says."""
        ranks = self.chosen.ranks
        if any(rank in layout.blocked for rank in ranks):
            layout = self.layout
        return lower_bound(layout, chains(layout, layout.active(ranks)))

    def proof_of_overrun(self) -> Text | None:
        """The sentence that proves that these pieces do not fit these lots, if there is one."""
        chained = chains(self.layout, self.order)
        bound = lower_bound(self.layout, chained)
        return proof_of_overrun(self.layout, chained, bound, self.steps)

    def _result(
        self,
        window: int | None,
        *,
        end_min: int | None = None,
        fits: bool = False,
        uncommitted_min: int | None = None,
        exceeds_min: int | None = None,
        lower_bound_min: int | None = None,
        proof: Text | None = None,
    ) -> Schedule:
        steps = self.steps
        return Schedule(
            end_min=end_min,
            window_min=window,
            fits=fits,
            uncommitted_min=uncommitted_min,
            exceeds_min=exceeds_min,
            lower_bound_min=lower_bound_min,
            proof=proof,
            dropped=tuple(Dropped(steps[rank].id, why) for rank, why in self.chosen.dropped),
            not_included=tuple(steps[rank].id for rank in self.chosen.not_included),
            placements=self._placements(),
            problems=self._problems(),
            may_be_dropped=tuple(
                steps[rank].id for rank in sorted(self.chosen.ranks - self.chosen.essential)
            ),
            would_fit=tuple(WouldFit(steps[rank].id, over) for rank, over in self.chosen.would_fit),
        )

    def _uncommitted(self, end: int) -> int:
        """From the end of the plan to the first end of a lot it uses, the last end if none."""
        used = {self.placed.lot[n] for n in self.order} - {NOWHERE}
        ends = [self.lots[at].end_min for at in used] or [max(lot.end_min for lot in self.lots)]
        return max(0, min(ends) - end)

    def _proof_of_blocked(self) -> Text | None:
        return next((b.why for b in self.blocked if b.cause is Cause.IMPOSSIBLE), None)

    def _problems(self) -> tuple[Text, ...]:
        wanted = self.chosen.essential | {rank for rank, _ in self.chosen.dropped}
        missing = [
            blocked.why
            for rank, blocked in sorted(self.layout.blocked.items())
            if rank in wanted and blocked.cause is Cause.NO_ESTIMATE
        ]
        if not self.lots:
            missing.append(text("No lot is planned yet"))
        return tuple(missing)

    def _placements(self) -> tuple[Placement, ...]:
        gpus = self._gpus()
        people = self._people()
        start, end = self.placed.start, self.placed.end
        pieces = self.layout.pieces
        by_start = sorted(self.order, key=lambda n: (start[n], end[n], pieces[n].rank, n))
        return tuple(
            Placement(
                id=pieces[n].id,
                step=self.steps[pieces[n].rank].id,
                start_min=start[n],
                end_min=end[n],
                lane=self._lane(n, gpus.get(n, ())),
                lot=self.lots[self.placed.lot[n]].id if self.placed.lot[n] != NOWHERE else None,
                gpus=gpus.get(n, ()),
                person=people.get(n),
                reserve=pieces[n].is_reserve,
            )
            for n in by_start
        )

    def _lane(self, number: int, gpus: tuple[int, ...]) -> str:
        kind = self.layout.pieces[number].kind
        if kind in (StepKind.HUMAN, StepKind.DECISION_POINT):
            return "people"
        at = self.placed.lot[number]
        if at == NOWHERE:
            return "transfer"
        within = f"gpu-{gpus[0]}" if kind is StepKind.MACHINE else "transfer"
        return f"{self.lots[at].id}/{within}"

    def _gpus(self) -> dict[int, tuple[int, ...]]:
        """The GPU numbers of each machine piece on its lot; a reserve has those of its step."""
        pieces = self.layout.pieces
        found: dict[int, tuple[int, ...]] = {}
        for at, lot in enumerate(self.lots):
            here = [
                n
                for n in self.order
                if self.placed.lot[n] == at
                and pieces[n].kind is StepKind.MACHINE
                and not pieces[n].is_reserve
            ]
            spans = [self._span(n, pieces[n].gpus) for n in here]
            found.update(zip(here, share_out(spans, lot.gpus), strict=True))
        for n in tuple(found):
            reserve = pieces[n].reserve
            if reserve is not None:
                found[reserve] = found[n]
        return found

    def _people(self) -> dict[int, int]:
        """The person of each piece that takes one."""
        kinds = (StepKind.HUMAN, StepKind.DECISION_POINT)
        here = [n for n in self.order if self.layout.pieces[n].kind in kinds]
        spans = [self._span(n, 1) for n in here]
        shared = share_out(spans, self.layout.people)
        return {n: got[0] for n, got in zip(here, shared, strict=True)}

    def _span(self, number: int, count: int) -> tuple[int, int, int]:
        last = self.layout.pieces[number].reserve or number
        return self.placed.start[number], self.placed.end[last], count


def _fitting(reading: _Reading, precedence: Precedence) -> list[_Reading]:
    """The same steps on fewer of the lots, as far as all of them fit there."""
    fewer = [
        _Reading(reading.steps, layout, choose(reading.steps, precedence, layout))
        for layout in on_fewer_lots(reading.layout)
    ]
    return [one for one in fewer if not one.blocked and not one.placed.overrun]
