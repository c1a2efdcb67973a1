"""How often a machine step should save, what interruptions cost it, and when it is too late.

Young (1974) and Daly (2006) balance the time that saving takes against the work an interruption
loses; the expected time is exact for interruptions that come at random. Seconds throughout. No
number is worked out where something it needs is not stated: `missing` then says what to measure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from app.plan.rules.model import Checkpoint, OnInterruption, Step, StepKind
from app.texts import Text, text

MOST_RESERVE_MIN = 10 * 366 * 24 * 60
"""Beyond ten years a run simply does not end; the reserve stops here so that it can be drawn."""

SAFETY = 1.5
"""A transfer before the lot's end is given half as long again as its size and rate say."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What is advised for one machine step, with everything it rests on; unknown is None.

    `interval_s` is the smaller of Daly's interval and the loss that can be borne, of those that
    are known. `saves` counts them over the whole step, the last one at its end; it is 0 where
    the step starts over instead of resuming. `expected_s` is the time the work takes with saves
    and interruptions, infinite where it would not end. `cost_share` is what one save adds to
    the work before it.
    """

    work_s: int | None
    write_s: int | None
    restore_s: int | None
    tolerable_loss_s: int | None
    mtbi_s: int | None
    young_s: float | None
    daly_s: float | None
    interval_s: float | None
    saves: int | None
    expected_s: float | None
    final_save_only_s: float | None
    cost_share: float | None
    reserve_min: int
    missing: tuple[Text, ...]


def young_s(write_s: float | None, mtbi_s: float | None) -> float | None:
    """Young's interval between saves: √(2δM); None where δ or M is missing or zero."""
    if not write_s or not mtbi_s:
        return None
    return math.sqrt(2 * write_s * mtbi_s)


def daly_s(write_s: float | None, mtbi_s: float | None) -> float | None:
    """Daly's interval between saves; M itself where saving takes 2M or longer.

    None where δ or M is missing or zero.
    """
    young = young_s(write_s, mtbi_s)
    if young is None or not write_s or not mtbi_s:
        return None
    if write_s >= 2 * mtbi_s:
        return float(mtbi_s)
    half = write_s / (2 * mtbi_s)
    return young * (1 + math.sqrt(half) / 3 + half / 9) - write_s


def expected_s(work_s: float, saves: int, write_s: float, restart_s: float, mtbi_s: float) -> float:
    """The expected time of some work saved `saves` times: n·M·e^(R/M)·(e^((W/n+δ)/M) − 1).

    Infinite where the figure is beyond what a float holds. Raises ValueError for fewer saves
    than one (the last one, at the end) or a time between interruptions that is not positive.
    """
    if saves < 1 or mtbi_s <= 0:
        raise ValueError("expected time needs one save and a positive time between interruptions")
    try:
        once = math.expm1((work_s / saves + write_s) / mtbi_s)
        return saves * mtbi_s * math.exp(restart_s / mtbi_s) * once
    except OverflowError:
        return math.inf


def advice(step: Step) -> Advice | None:
    """What is advised for a step; None for one that is no machine step."""
    if step.kind is not StepKind.MACHINE:
        return None
    stated = step.checkpoint if step.checkpoint is not None else Checkpoint()
    work, mtbi = work_s(step), stated.mean_time_between_interruptions_s
    daly = daly_s(stated.write_s, mtbi)
    terms = [float(term) for term in (daly, stated.tolerable_loss_s) if term]
    interval = min(terms, default=None)
    over = step.on_interruption is OnInterruption.RESTART
    saves = 0 if over and work else None
    if work and interval is not None and not over:
        saves = _saves(work, interval, stated)
    expected = only_final = None
    if work and saves is not None:
        expected, only_final = _expected(work, saves, stated), _expected(work, 1, stated)
    return Advice(
        work_s=work,
        write_s=stated.write_s,
        restore_s=stated.restore_s,
        tolerable_loss_s=stated.tolerable_loss_s,
        mtbi_s=mtbi,
        young_s=young_s(stated.write_s, mtbi),
        daly_s=daly,
        interval_s=interval,
        saves=saves,
        expected_s=expected,
        final_save_only_s=only_final,
        cost_share=stated.write_s / interval if stated.write_s and interval else None,
        reserve_min=_reserve_min(work, expected),
        missing=_missing(work, stated, over),
    )


def reserve_min(step: Step) -> int:
    """The time kept for saves and interruptions after a step, in minutes rounded up.

    0 where something it needs is not stated, or the step is no machine step.
    """
    advised = advice(step)
    return advised.reserve_min if advised is not None else 0


def last_safe_save_s(
    size_bytes: int | None,
    bits_per_second: int | None,
    write_s: int | None,
    margin: float = SAFETY,
) -> float | None:
    """How long before the lot's end the last save that can still be fetched must begin.

    Its size over the rate, times the margin, and the writing before it; None where size, rate
    or writing is not stated.
    """
    if not size_bytes or not bits_per_second or write_s is None:
        return None
    return size_bytes * 8 / bits_per_second * margin + write_s


def work_s(step: Step) -> int | None:
    """The estimate in seconds that is planned with: the sum of the parts, else the P50."""
    summed = step.parts.total_s() if step.parts is not None else 0
    return summed or step.p50_s


def _saves(work: int, interval: float, stated: Checkpoint) -> int:
    """How often to save: where Daly's interval leads, the better of the whole numbers around
    it; never so seldom that more is lost than can be borne."""
    often = max(1, math.ceil(work / interval))
    seldom = max(1, often - 1)
    loss = stated.tolerable_loss_s
    if loss and work / seldom > loss:
        return often
    fewer, more = _expected(work, seldom, stated), _expected(work, often, stated)
    return seldom if fewer is not None and more is not None and fewer <= more else often


def _expected(work: int, saves: int, stated: Checkpoint) -> float | None:
    mtbi, write, restart = (
        stated.mean_time_between_interruptions_s, stated.write_s, stated.restore_s,
    )  # fmt: skip
    if not mtbi or restart is None:
        return None
    if saves == 0:  # starts over: nothing is written on the way and all of it is at stake
        return expected_s(work, 1, 0, restart, mtbi)
    return expected_s(work, saves, write, restart, mtbi) if write else None


def _reserve_min(work: int | None, expected: float | None) -> int:
    if work is None or expected is None:
        return 0
    more_min = (expected - work) / 60
    if more_min >= MOST_RESERVE_MIN:
        return MOST_RESERVE_MIN
    # A float that should be whole may end in …0000001.
    return max(0, math.ceil(round(more_min, 6)))


def _missing(work: int | None, stated: Checkpoint, over: bool) -> tuple[Text, ...]:
    mtbi = stated.mean_time_between_interruptions_s
    wanted = (
        (bool(work), text("an estimate of the step")),
        (over or bool(stated.write_s), text("how long one save takes to write")),
        (stated.restore_s is not None, text("how long starting again takes")),
        (bool(mtbi), text("the mean time between interruptions")),
    )
    return tuple(name for known, name in wanted if not known)


@dataclass(frozen=True, slots=True)
class Observed:
    """The mean time between interruptions as observed, in hours, with exact Poisson limits.

    After no interruption there is only a lower limit, `mean_h` and `high_h` are None: nothing
    shows that none will ever come.
    """

    mean_h: float | None
    low_h: float
    high_h: float | None
    percent: int


def observed_mtbi(interruptions: int, hours: float) -> Observed | None:
    """What a count of interruptions over some hours of machine time says of the time between.

    None without any hours. No interruption: a one-sided limit of 95 %; else both limits, of
    which 90 % of such observations hold the true mean between them. Raises ValueError for a
    count below zero.
    """
    if interruptions < 0:
        raise ValueError(f"interruptions are counted from 0, not {interruptions}")
    if hours <= 0:
        return None
    low = hours / _poisson_mean(interruptions, 0.05)
    if interruptions == 0:
        return Observed(None, low, None, 95)
    high = hours / _poisson_mean(interruptions - 1, 0.95)
    return Observed(hours / interruptions, low, high, 90)


def observed_said(observed: Observed) -> Text:
    """The observed time between interruptions in hours, never without its limits."""
    low = _hours(observed.low_h)
    if observed.mean_h is None or observed.high_h is None:
        return text("at least {low} h ({percent} %)", low=low, percent=observed.percent)
    return text(
        "{mean} h ({low} … {high}, {percent} %)",
        mean=_hours(observed.mean_h),
        low=low,
        high=_hours(observed.high_h),
        percent=observed.percent,
    )


def _poisson_mean(count: int, tail: float) -> float:
    """The mean μ of a Poisson count for which P(X ≤ count) = tail.

    This is half the chi-square quantile of 2 (count + 1) degrees of freedom at 1 − tail
    (Garwood 1936). P falls steadily as μ grows, so halving an interval that holds the answer
    finds it to the last digit of a float.
    """
    low, high = 0.0, float(count + 1)
    while _at_most(count, high) > tail:
        high *= 2
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if _at_most(count, middle) > tail:
            low = middle
        else:
            high = middle


def _at_most(count: int, mean: float) -> float:
    """P(X ≤ count) of a Poisson count; each term from its logarithm, so none overflows."""
    if mean == 0:
        return 1.0
    log = math.log(mean)
    return math.fsum(math.exp(n * log - mean - math.lgamma(n + 1)) for n in range(count + 1))


def _hours(hours: float) -> Decimal:
    """Hours to two places, as they are said; whole ones without."""
    said = Decimal(repr(hours)).quantize(Decimal("0.01"))
    whole = said.to_integral_value()
    return whole if said == whole else said
