"""What placing a plan costs, in CPU time of one core, and how far its end is from the bound.

Campaigns come from seeds: steps of every kind and class in one to three lots, with optional steps
that find no room.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from random import Random

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepClass, StepKind
from app.plan.rules.schedule import keep
from app.plan.rules.validator import violations
from bench.load import percentile
from bench.results import Result

CAMPAIGNS = 200
MARKS = {12: "≤ 5", 60: "≤ 100"}


def run() -> Iterator[Result]:
    """Medians and the slowest of `CAMPAIGNS` plans of 12, 20 and 60 steps."""
    for count in (12, 20, 60):
        took, judged, over = [], [], []
        for seed in range(CAMPAIGNS):
            steps, lots = _campaign(seed, count)
            begun = time.process_time()
            made = keep(steps, lots, 2).schedule
            placed = time.process_time()
            violations(steps, lots, 2, made)
            took.append((placed - begun) * 1000)
            judged.append((time.process_time() - placed) * 1000)
            if made.end_min and made.lower_bound_min:
                over.append(100 * (made.end_min / made.lower_bound_min - 1))
        name = f"schedule.{count}_steps"
        yield Result(name, percentile(took, 0.5), "ms CPU", mark=MARKS.get(count))
        yield Result(f"{name}.p99", percentile(took, 0.99), "ms CPU")
        yield Result(f"{name}.validator", percentile(judged, 0.5), "ms CPU")
        yield Result(f"{name}.over_lower_bound", sum(over) / len(over), "% mean")


def _campaign(seed: int, count: int) -> tuple[tuple[Step, ...], tuple[LotWindow, ...]]:
    random = Random(seed)
    steps: list[Step] = []
    for number in range(count):
        steps.append(_step(random, number, steps))
    hours = random.choice([72, 168])
    end = hours * 60
    lots = [
        LotWindow(f"lot-{n}", None, None, random.randint(2, 4), 0, end, end, None, None)
        for n in range(1, random.randint(1, 3) + 1)
    ]
    return tuple(steps), tuple(lots)


def _step(random: Random, number: int, earlier: Sequence[Step]) -> Step:
    kind = random.choice([*StepKind, StepKind.MACHINE, StepKind.MACHINE])
    klass = random.choice([*StepClass, StepClass.ESSENTIAL])
    essential = klass is StepClass.ESSENTIAL
    needed = [one.id for one in earlier if one.klass is klass or not essential][-8:]
    order = [one.id for one in earlier][-8:]
    machine = kind is StepKind.MACHINE
    return Step(
        id=f"s{number}",
        title=f"Step {number}",
        kind=kind,
        klass=klass,
        p50_s=random.randint(600, 8 * 3600),
        gpus=random.choice([1, 1, 1, 2]) if machine else 0,
        per_lot=random.random() < 0.1,
        after=tuple(random.sample(needed, min(len(needed), random.randint(0, 2)))),
        follows=tuple(random.sample(order, min(len(order), random.randint(0, 1)))),
        include=random.random() < 0.5,
    )
