"""Campaigns made from a seed, thousands of them: for hypothesis each draw of a step costs more than
placing it does. A failing seed is the campaign again.

5 to 60 steps of every kind and class on 1 to 16 GPUs in one to four lots, with people, transfers,
steps once for each lot, steps before the window, steps of no length, reserves, and roles.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Checkpoint, Parts, Role, Step, StepClass, StepKind
from tests.plan.campaigns import lot

HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Campaign:
    """What a schedule is made from."""

    steps: tuple[Step, ...]
    lots: tuple[LotWindow, ...]
    people: int
    elsewhere: bool | None


def campaign(seed: int, least: int = 5, most: int = 60) -> Campaign:
    """The campaign of a seed; small ones are more frequent than large ones."""
    random = Random(seed)
    count = least + round((most - least) * random.random() ** 2)
    lots = _lots(random)
    # Most steps have a place on some lot; a plan in which one has none says little else.
    widest = max(one.gpus for one in lots) if random.random() < 0.9 else 3
    steps: list[Step] = []
    for number in range(count):
        steps.append(_step(random, f"s{number}", steps, widest))
    if random.random() < 0.3:
        random.shuffle(steps)
    return Campaign(
        tuple(steps), lots, random.randint(1, 3), random.choice([None, None, False, True])
    )


def _lots(random: Random) -> tuple[LotWindow, ...]:
    count = random.randint(1, 4)
    hours = random.choice([(24, 72), (72,), (72, 168), (168, 720)])
    return tuple(
        lot(
            f"lot-{number}",
            gpus=random.choice([1, 1, 2, random.randint(1, 16 // count)]),
            hours=random.choice(hours),
            start=0 if number == 1 else random.choice([0, 0, 24, 100]),
        )
        for number in range(1, count + 1)
    )


def _step(random: Random, name: str, earlier: list[Step], widest: int) -> Step:
    kind = random.choice([*StepKind, StepKind.MACHINE, StepKind.MACHINE])
    klass = random.choice([*StepClass, StepClass.ESSENTIAL])
    machine = kind is StepKind.MACHINE
    needed = [s.id for s in earlier if klass is not StepClass.ESSENTIAL or s.klass is klass]
    starred = random.random() < 0.05
    seconds = random.choice([random.randint(1, 10 * HOUR_S), HOUR_S, 4 * HOUR_S])
    in_parts = machine and random.random() < 0.2
    return Step(
        id=name,
        title=name,
        kind=kind,
        klass=klass,
        p50_s=None if in_parts else 0 if _of_no_length(random, kind) else seconds,
        parts=Parts(load_s=60, train_s=seconds) if in_parts else None,
        gpus=min(widest, random.choice([1, 1, 1, 2, 3])) if machine else 0,
        per_lot=random.random() < 0.1,
        before_window=random.random() < 0.1,
        after=_few(random, needed),
        follows=("*",) if starred else _few(random, [s.id for s in earlier]),
        role=random.choice([None, Role.CONTROL, Role.VARIANT]) if machine else None,
        checkpoint=_checkpoint(random) if machine and random.random() < 0.3 else None,
        include=random.random() < 0.5,
    )


def _of_no_length(random: Random, kind: StepKind) -> bool:
    return kind is StepKind.DECISION_POINT and random.random() < 0.5


def _checkpoint(random: Random) -> Checkpoint:
    """What saving costs; now and then something is not known, and no time is kept."""
    return Checkpoint(
        write_s=random.choice([60, 120, 300, None]),
        restore_s=random.choice([0, 300]),
        tolerable_loss_s=random.choice([None, HOUR_S]),
        mean_time_between_interruptions_s=random.choice([12, 24, 72]) * HOUR_S,
    )


def _few(random: Random, names: list[str]) -> tuple[str, ...]:
    near = names[-8:]
    return tuple(random.sample(near, min(len(near), random.choice([0, 0, 1, 1, 2]))))
