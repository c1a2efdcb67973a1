"""Small scheduling problems in the manner of ProGen, and their optimum by exhaustive search.

The instances of PSPLIB's J30 set cannot be had from a package (`psplib` on PyPI reads them and
ships none), so problems of up to twelve steps are made with ProGen's parameters: the mean number
of steps each one waits for, and the strength of the scarce things between the least that any
plan needs (0) and what no plan can use up (1). Durations are 1 to 10 hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepKind
from tests.plan.campaigns import lot, step

COMPLEXITIES = (1.0, 1.5, 1.8)
STRENGTHS = (0.0, 0.2, 0.5)


@dataclass(frozen=True, slots=True)
class Instance:
    """Essential steps for one lot that is long enough for any order, and some people."""

    steps: tuple[Step, ...]
    lot: LotWindow
    people: int


def instance(seed: int, count: int = 12) -> Instance:
    """The problem of a seed; neighbouring seeds differ in complexity and strength."""
    random = Random(seed)
    complexity = COMPLEXITIES[seed % len(COMPLEXITIES)]
    strength = STRENGTHS[seed // len(COMPLEXITIES) % len(STRENGTHS)]
    made: list[Step] = []
    for number in range(count):
        kind = random.choice(["machine", "machine", "machine", "human"])
        made.append(
            step(
                f"s{number}",
                kind,
                random.randint(1, 10),
                gpus=random.randint(1, 4) if kind == "machine" else None,
            )
        )
    waits: list[set[str]] = [set() for _ in made]
    for _ in range(round(complexity * count)):
        later = random.randrange(1, count)
        waits[later].add(made[random.randrange(max(0, later - 6), later)].id)
    steps = tuple(replace(one, after=tuple(sorted(waits[n]))) for n, one in enumerate(made))
    widest = max((one.gpus for one in steps), default=1)
    gpus, people = _most_at_once(steps)
    return Instance(
        steps,
        lot(gpus=widest + round(strength * max(0, gpus - widest)), hours=720),
        1 + round(strength * max(0, people - 1)),
    )


def _most_at_once(steps: Sequence[Step]) -> tuple[int, int]:
    """The most GPUs and people taken at once when each step begins as early as it can."""
    ends: dict[str, int] = {}
    spans: list[tuple[int, int, Step]] = []
    for one in steps:
        start = max((ends[name] for name in one.after), default=0)
        ends[one.id] = start + (one.p50_s or 0)
        spans.append((start, ends[one.id], one))
    most_gpus = most_people = 0
    for at, _, _ in spans:
        running = [one for start, end, one in spans if start <= at < end]
        most_gpus = max(most_gpus, sum(one.gpus for one in running))
        most_people = max(most_people, sum(one.kind is StepKind.HUMAN for one in running))
    return most_gpus, most_people


def shortest(problem: Instance, known: int) -> int:
    """The least minutes in which all steps can be done; `known` is a length that can be had.

    Steps are begun in the order of their starts, each as early as it can; among these plans
    there always is a shortest one. A branch ends where what is left cannot beat the best.
    """
    return _Exact(problem, known).run()


class _Exact:
    """Depth-first search in hours; written apart from the planner, minute by minute of nothing."""

    def __init__(self, problem: Instance, known: int) -> None:
        self.steps = problem.steps
        self.hours = [(one.p50_s or 0) // 3600 for one in self.steps]
        place = {one.id: n for n, one in enumerate(self.steps)}
        self.waits = [tuple(place[name] for name in one.after) for one in self.steps]
        human = [one.kind is StepKind.HUMAN for one in self.steps]
        self.need = [
            (0, 1) if by_hand else (one.gpus, 0)
            for one, by_hand in zip(self.steps, human, strict=True)
        ]
        self.room = (problem.lot.gpus, problem.people)
        self.best = known // 60
        self.tails = [0] * len(self.steps)
        for n in reversed(range(len(self.steps))):
            for earlier in self.waits[n]:
                self.tails[earlier] = max(self.tails[earlier], self.hours[n] + self.tails[n])
        self.seen: set[tuple[int, ...]] = set()

    def run(self) -> int:
        horizon = sum(self.hours) + 1
        self._go([-1] * len(self.steps), [(0, 0)] * horizon, 0)
        return self.best * 60

    def _go(self, starts: list[int], taken: list[tuple[int, int]], since: int) -> None:
        key = tuple(starts)
        if key in self.seen:
            return
        self.seen.add(key)
        left = [n for n, start in enumerate(starts) if start < 0]
        if not left:
            self.best = min(self.best, max(s + h for s, h in zip(starts, self.hours, strict=True)))
            return
        if self._least(starts, left, since) >= self.best:
            return
        ready = [n for n in left if all(starts[e] >= 0 for e in self.waits[n])]
        options = sorted(
            (self._earliest(n, starts, taken, since), -self.tails[n], n) for n in ready
        )
        for start, _, n in options:
            span = range(start, start + self.hours[n])
            gpus, people = self.need[n]
            for at in span:
                taken[at] = (taken[at][0] + gpus, taken[at][1] + people)
            starts[n] = start
            self._go(starts, taken, start)
            starts[n] = -1
            for at in span:
                taken[at] = (taken[at][0] - gpus, taken[at][1] - people)

    def _earliest(self, n: int, starts: list[int], taken: list[tuple[int, int]], since: int) -> int:
        at = max([since, *(starts[e] + self.hours[e] for e in self.waits[n])])
        gpus, people = self.need[n]
        while True:
            blocked = [
                hour
                for hour in range(at, at + self.hours[n])
                if taken[hour][0] + gpus > self.room[0] or taken[hour][1] + people > self.room[1]
            ]
            if not blocked:
                return at
            at = blocked[-1] + 1

    def _least(self, starts: list[int], left: list[int], since: int) -> int:
        """No plan that begins all that is left from `since` on ends before this."""
        ends: dict[int, int] = {}
        bound = max((s + h for s, h in zip(starts, self.hours, strict=True) if s >= 0), default=0)
        for n in range(len(starts)):
            begins = (
                starts[n] if starts[n] >= 0 else max([since, *(ends[e] for e in self.waits[n])])
            )
            ends[n] = begins + self.hours[n]
            bound = max(bound, ends[n] + self.tails[n])
        for kind in (0, 1):
            work = sum(
                self.need[n][kind] * (max(0, ends[n] - since) if starts[n] >= 0 else self.hours[n])
                for n in range(len(starts))
            )
            bound = max(bound, since - (-work // self.room[kind]))
        return bound
