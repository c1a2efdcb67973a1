"""What a schedule says: bars, what was left out, and the figures read off them.

Minutes count from hour 0, the start of the first lot; what is unknown is None.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.texts import Text


@dataclass(frozen=True, slots=True)
class Placement:
    """One bar: a step, or its piece on one lot (`id` is then `install@lot-2`).

    Minutes count from hour 0 and may be negative. `lane` is `people`, `lot-1/transfer` or
    `lot-1/gpu-0`, the lowest of `gpus`; `person` counts from 0. A `reserve` is the time kept
    for interruptions right after a machine step, on the same GPUs (`id` is `control/reserve`).
    """

    id: str
    step: str
    start_min: int
    end_min: int
    lane: str
    lot: str | None = None
    gpus: tuple[int, ...] = ()
    person: int | None = None
    reserve: bool = False


@dataclass(frozen=True, slots=True)
class WouldFit:
    """An exploratory step that nobody ticked, and by how many minutes the best plan found with it
    overruns a lot; 0 where it would fit."""

    id: str
    over_min: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A step that was wanted and is not in the plan, and why."""

    id: str
    why: Text


@dataclass(frozen=True, slots=True)
class Schedule:
    """A plan in minutes.

    `fits`: everything placed lies inside the lots. Then `uncommitted_min` is the time between
    the end of the plan and the earliest end of a used lot (0 where such a lot has closed by
    then); else the essential part alone is placed with the windows' ends lifted, and
    `exceeds_min` is the most by which it overruns a lot. `end_min` is None where the
    essential part cannot be placed; `proof` or `problems` then say why. `proof` is None where
    a plan that fits was not found, though none is excluded either.

    `may_be_dropped` are the steps in the plan that the essential part does not need.
    """

    end_min: int | None = None
    window_min: int | None = None
    fits: bool = False
    uncommitted_min: int | None = None
    exceeds_min: int | None = None
    lower_bound_min: int | None = None
    proof: Text | None = None
    dropped: tuple[Dropped, ...] = ()
    not_included: tuple[str, ...] = ()
    placements: tuple[Placement, ...] = ()
    problems: tuple[Text, ...] = ()
    may_be_dropped: tuple[str, ...] = ()
    would_fit: tuple[WouldFit, ...] = ()

    @property
    def undecided(self) -> bool:
        """Whether no plan that fits was found and no bound proves that there is none."""
        return self.exceeds_min is not None and self.proof is None
