"""The chance of fitting: 2,000 draws of a plan of 20 steps, in processor time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from app.plan.rules.chance import chance
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepClass, StepKind
from app.plan.rules.schedule import keep
from bench.load import percentile
from bench.results import Result

HOUR_S = 3600
STEPS = 20


def run() -> Iterator[Result]:
    """The median of nine times 2,000 draws, on one GPU, on four, and on three lots."""
    steps = _steps()
    for name, gpus, lots in (("one_gpu", 1, 1), ("four_gpus", 4, 1), ("three_lots", 1, 3)):
        kept = keep(steps, [_lot(number, gpus) for number in range(lots)])
        took = []
        for seed in range(9):
            before_s = time.process_time()
            chance(kept, steps, seed=seed)
            took.append(time.process_time() - before_s)
        yield Result(
            f"chance.2000_draws_{STEPS}_steps_{name}", percentile(took, 0.5), "s", mark="≤ 0.5"
        )


def _steps() -> list[Step]:
    """Prepare, install on each lot, pilot, decide, then runs, and the retrieval at the end."""
    first = [
        _step("prepare", StepKind.HUMAN, 4),
        _step("install", StepKind.MACHINE, 2, after=("prepare",)),
        _step("pilot", StepKind.MACHINE, 4, after=("install",)),
        _step("decide", StepKind.DECISION_POINT, 2, after=("pilot",)),
    ]
    runs = [
        _step(f"run-{number}", StepKind.MACHINE, 3 + number % 5, after=("decide",))
        for number in range(STEPS - 5)
    ]
    return [*first, *runs, _step("retrieve", StepKind.TRANSFER, 6, follows=("*",))]


def _step(
    id_: str,
    kind: StepKind,
    hours: int,
    *,
    after: tuple[str, ...] = (),
    follows: tuple[str, ...] = (),
) -> Step:
    """An essential step whose P90 is one and a half times its P50."""
    return Step(
        id=id_,
        title=id_,
        kind=kind,
        klass=StepClass.ESSENTIAL,
        p50_s=hours * HOUR_S,
        p90_s=hours * HOUR_S * 3 // 2,
        gpus=1 if kind is StepKind.MACHINE else 0,
        after=after,
        follows=follows,
    )


def _lot(number: int, gpus: int) -> LotWindow:
    return LotWindow(f"lot-{number + 1}", None, None, gpus, 0, 6000, 6000, None, None)
