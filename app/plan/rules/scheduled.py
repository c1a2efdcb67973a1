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
    `lot-1/gpu-0`, the lowest of `gpus`; `person` counts from 0.
    """

    id: str
    step: str
    start_min: int
    end_min: int
    lane: str
    lot: str | None = None
    gpus: tuple[int, ...] = ()
    person: int | None = None


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
    essential part cannot be placed; `proof` or `problems` then say why.
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
