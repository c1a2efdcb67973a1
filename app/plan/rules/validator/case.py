"""What the validator looks at: steps, lots and bars by name, and what the law says of order.

Written from the law and not from the planner: the meaning of `*`, of `per_lot`, and of the lots
that a transfer's files lie on is worked out here once more.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepClass, StepKind
from app.plan.rules.scheduled import Placement, Schedule
from app.texts import Text


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule, at which bar or step, in words."""

    rule: str
    id: str
    text: Text


class Case:
    """One schedule to judge, with everything looked up by name."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        lots: tuple[LotWindow, ...],
        people: int,
        schedule: Schedule,
        elsewhere: bool | None = None,
    ) -> None:
        self.steps, self.lots, self.people, self.schedule = steps, lots, people, schedule
        self.elsewhere = elsewhere
        self.step = {step.id: step for step in steps}
        self.lot = {lot.id: lot for lot in lots}
        self.several = len(lots) > 1
        self.bars: dict[str, list[Placement]] = {step.id: [] for step in steps}
        self.reserves: dict[str, list[Placement]] = {step.id: [] for step in steps}
        for bar in schedule.placements:
            by_step = self.reserves if bar.reserve else self.bars
            by_step.setdefault(bar.step, []).append(bar)
        self._behind = {step.id: self._named_behind(step.id) for step in steps}
        self.judged = bool(steps) and not self._malformed()
        self.needed_by_essential = self._needed_by_essential() if self.judged else set()
        self._starred = self._starred_in_order() if self.judged else []

    def spread(self, step: Step) -> bool:
        """Whether a step is planned once for each lot."""
        return step.per_lot and self.several

    def follows(self, step: Step) -> list[str]:
        """The steps that a step follows, with `*` spelled out."""
        named = [name for name in step.follows if name != "*"]
        if "*" not in step.follows:
            return named
        later = {step.id} | self._behind[step.id]
        for other in self._starred[self._starred.index(step.id) + 1 :]:
            later |= {other} | self._behind[other]
        return named + [s.id for s in self.steps if s.id not in later and s.id not in named]

    def over_at(self, bar: Placement) -> int:
        """The minute from which what comes after a bar may begin: when its reserve is over."""
        ends = [one.end_min for one in self.reserves[bar.step] if one.lot == bar.lot]
        return max([bar.end_min, *ends])

    def bars_before(self, bar: Placement) -> list[Placement]:
        """The bars that must have ended when a bar begins."""
        step = self.step[bar.step]
        found: list[Placement] = []
        for name in step.after:
            found += self._counting(bar, name, needed=True)
        for name in self.follows(step):
            if name not in step.after:
                found += self._counting(bar, name, needed=False)
        return found

    def files_on(self, bar: Placement) -> set[str]:
        """The lots on which a bar's work lies: its own, or those of what it comes after."""
        step = self.step[bar.step]
        if bar.lot is not None and (step.kind is StepKind.MACHINE or step.per_lot):
            return {bar.lot}
        return {lot for earlier in self.bars_before(bar) for lot in self.files_on(earlier)}

    def overrun(self, bar: Placement) -> int | None:
        """Minutes by which a bar, or a reserve, ends too late (negative: to spare), None without
        a lot."""
        step = self.step[bar.step]
        if not self.lots:
            return None
        if step.kind is StepKind.MACHINE and bar.lot is not None:
            return bar.end_min - self.lot[bar.lot].usable_min
        on = self.files_on(bar) if step.kind is StepKind.TRANSFER or step.per_lot else set()
        if on:
            ends = [min(self.lot[name].end_min, self.lot[name].usable_min) for name in on]
            return bar.end_min - min(ends)
        return bar.end_min - max(lot.end_min for lot in self.lots)

    def _counting(self, bar: Placement, name: str, *, needed: bool) -> list[Placement]:
        """Which bars of an earlier step bind a bar."""
        step, other = self.step[bar.step], self.step[name]
        bars = self.bars[name]
        on_one_lot = step.kind is StepKind.MACHINE or self.spread(step)
        if self.spread(other) and on_one_lot:
            return [earlier for earlier in bars if earlier.lot == bar.lot]
        if self.spread(step) and other.kind is StepKind.MACHINE and not needed:
            return [earlier for earlier in bars if earlier.lot == bar.lot]
        return bars

    def _malformed(self) -> bool:
        names = {n for s in self.steps for n in (*s.after, *s.follows) if n not in self.step}
        circle = any(step.id in self._behind[step.id] for step in self.steps)
        return circle or bool(names - {"*"}) or any("*" in step.after for step in self.steps)

    def _named_behind(self, name: str) -> set[str]:
        """Everything that by the named edges comes after a step."""
        found: set[str] = set()
        ahead = [name]
        while ahead:
            at = ahead.pop()
            for step in self.steps:
                if step.id not in found and (at in step.after or at in step.follows):
                    found.add(step.id)
                    ahead.append(step.id)
        return found

    def _starred_in_order(self) -> list[str]:
        left = [step.id for step in self.steps if "*" in step.follows]
        found: list[str] = []
        while left:
            first = next(x for x in left if not any(x in self._behind[y] for y in left))
            found.append(first)
            left.remove(first)
        return found

    def _needed_by_essential(self) -> set[str]:
        """The essential steps and all that they are directly or indirectly after."""
        ahead = [step.id for step in self.steps if step.klass is StepClass.ESSENTIAL]
        found: set[str] = set()
        while ahead:
            name = ahead.pop()
            if name not in found:
                found.add(name)
                ahead.extend(self.step[name].after)
        return found
