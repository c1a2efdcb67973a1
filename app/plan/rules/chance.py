"""How often a plan would fit its lots if its steps took as long as their spread allows.

Each draw gives every step with a P90 a log-normal duration and is one serial pass in the order
of the kept plan. Machine steps share a common factor (the same model on the same data is slow
everywhere); what people do, and transfers, vary each by themselves. The same seed gives the same
draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from app.plan.rules.checkpoints import work_s
from app.plan.rules.estimates import Spread, order_statistic, spread
from app.plan.rules.model import Step, StepKind
from app.plan.rules.pieces import Layout
from app.plan.rules.placing import place
from app.plan.rules.schedule import Kept
from app.texts import Text, text

_Varying = tuple[int, int, float, Callable[[float, float], float]]
"""A piece's number, its median in seconds, σ of the logarithm, and a source of normal draws."""

DRAWS = 2000
CORRELATION = 0.5


@dataclass(frozen=True, slots=True)
class Chance:
    """In how many draws the plan fits, and when it ends in half and in four fifths of them.

    `correlation` is that of any two machine steps; `fixed` names the steps in the plan whose
    duration did not vary, because they state no P90.
    """

    fitting: int
    draws: int
    correlation: float
    fixed: tuple[str, ...]
    end_min_p50: int | None
    end_min_p80: int | None


def chance(
    kept: Kept,
    steps: Sequence[Step],
    *,
    draws: int = DRAWS,
    correlation: float = CORRELATION,
    seed: int = 1,
) -> Chance | None:
    """Try the kept plan with other durations.

    None where no step in the plan states a P90, where the essential part has no place, and
    without a lot to fit. Raises ValueError for a correlation outside 0 … 1.
    """
    if not 0 <= correlation <= 1:
        raise ValueError(f"a correlation is between 0 and 1, not {correlation}")
    layout = kept.layout
    if layout is None or not layout.lots or kept.schedule.end_min is None:
        return None
    varying = spreads_of(layout, kept.order, steps)
    if not varying:
        return None
    fitting, ends = 0, []
    for minutes in drawn_minutes(layout, varying, draws, correlation, seed):
        placed = place(layout, kept.order, minutes)
        fitting += not placed.overrun
        ends.append(max(placed.end[number] for number in kept.order))
    return Chance(
        fitting,
        draws,
        correlation,
        _fixed(layout, kept.order, varying, steps),
        _quantile(ends, 0.5),
        _quantile(ends, 0.8),
    )


def drawn_minutes(
    layout: Layout,
    varying: Mapping[int, Spread],
    draws: int,
    correlation: float,
    seed: int,
) -> Iterator[list[int]]:
    """The minutes of every piece, once for each draw, rounded up as planned minutes are.

    `varying` holds the spreads of the pieces that vary, by their numbers. Each step has a source
    of its own by its id, so that plans of the same steps in other lots are tried with the same
    durations.
    """
    common, own = math.sqrt(correlation), math.sqrt(1 - correlation)
    factor = Random(f"{seed}").gauss
    shared: list[_Varying] = []
    apart: list[_Varying] = []
    for number, spread_ in varying.items():
        piece = layout.pieces[number]
        source = Random(f"{seed}/{piece.id.partition('@')[0]}/{piece.bound or 0}").gauss
        # A median of whole seconds: a draw of the median itself is then the planned minutes.
        entry = (number, round(spread_.quantile_s(0.5)), spread_.sigma, source)
        (shared if piece.kind is StepKind.MACHINE else apart).append(entry)
    planned, exp = layout.minutes(), math.exp
    for _ in range(draws):
        minutes = planned.copy()
        together = common * factor(0.0, 1.0)
        for number, median, sigma, gauss in shared:
            ratio = exp(sigma * (together + own * gauss(0.0, 1.0)))
            minutes[number] = math.ceil(median * ratio / 60)
        for number, median, sigma, gauss in apart:
            minutes[number] = math.ceil(median * exp(sigma * gauss(0.0, 1.0)) / 60)
        yield minutes


def in_100(chance: Chance) -> Text:
    """The share of draws that fit, of a hundred; never all of them and never none."""
    share = chance.fitting * 100 / chance.draws
    if share > 99:
        return text("more than 99 in 100")
    if share < 1:
        return text("fewer than 1 in 100")
    return text("about {n} in 100", n=round(share))


def share_in_100(chance: Chance) -> int:
    """The same as a number from 1 to 99."""
    return min(99, max(1, round(chance.fitting * 100 / chance.draws)))


def spreads_of(layout: Layout, order: Sequence[int], steps: Sequence[Step]) -> dict[int, Spread]:
    """The spreads of the pieces of a pass whose steps state a P90, by their numbers.

    A reserve varies with nothing: it is what interruptions take on average.
    """
    found: dict[int, Spread] = {}
    for number in order:
        piece = layout.pieces[number]
        step = steps[piece.rank]
        work = work_s(step)
        if not piece.is_reserve and work and step.p90_s is not None and step.p90_s >= work:
            found[number] = spread(work, step.p90_s)
    return found


def _fixed(
    layout: Layout, order: Sequence[int], varying: dict[int, Spread], steps: Sequence[Step]
) -> tuple[str, ...]:
    """The steps of a pass that take time and do not vary, in the plan's order."""
    ranks = {
        layout.pieces[number].rank
        for number in order
        if layout.pieces[number].minutes and number not in varying
    }
    varied = {layout.pieces[number].rank for number in varying}
    return tuple(steps[rank].id for rank in sorted(ranks - varied))


def _quantile(ends: list[int], q: float) -> int | None:
    found = order_statistic(ends, q)
    return None if found is None else int(found)
