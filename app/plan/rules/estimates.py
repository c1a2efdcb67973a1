"""What an estimate says of its spread, and what observed durations say of an estimate.

An estimate with a P50 and a P90 is taken as log-normal: durations are above zero, and their long
tail is on the right. What was observed is described by order statistics without interpolation;
a stopped run is censored (it would have taken longer), never short.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

FEWEST = 5
"""Fewer observed values than this are listed; no statistic is made of them."""

_NORMAL = NormalDist()
_Z90 = _NORMAL.inv_cdf(0.9)


@dataclass(frozen=True, slots=True)
class Spread:
    """A log-normal duration in seconds: mean and standard deviation of its logarithm."""

    mu: float
    sigma: float

    def mean_s(self) -> float:
        """The mean in seconds, which lies above the median."""
        return math.exp(self.mu + self.sigma**2 / 2)

    def quantile_s(self, q: float) -> float:
        """The seconds that a share `q` of such durations does not exceed, for 0 < q < 1."""
        return math.exp(self.mu + self.sigma * _NORMAL.inv_cdf(q))


def spread(p50_s: float, p90_s: float) -> Spread:
    """The log-normal with this median and 90th percentile.

    Raises ValueError where the P50 is not above zero or the P90 is below it.
    """
    if p50_s <= 0 or p90_s < p50_s:
        raise ValueError(f"a P90 of {p90_s} s needs a P50 above zero and no larger, not {p50_s} s")
    return Spread(math.log(p50_s), math.log(p90_s / p50_s) / _Z90)


def order_statistic(values: Sequence[float], q: float) -> float | None:
    """The k-th smallest value for k = ⌈q(n + 1)⌉, without interpolation.

    None when k > n (no observed value is that far out), and for fewer than 5 values.
    """
    if len(values) < FEWEST:
        return None
    # The decimal that was written: 0.55 · 100 as floats would be a little above 55.
    k = max(1, math.ceil(Fraction(str(q)) * (len(values) + 1)))
    return sorted(values)[k - 1] if k <= len(values) else None


def kaplan_meier_median(values: Sequence[float], censored: Sequence[float]) -> float | None:
    """The median of durations of which some were cut short.

    `values` ended by themselves; of `censored` one knows only that they would have been
    longer. One cut at the very end of another still counts as going on then. None where the
    curve does not fall to one half, and for fewer than 5 durations in all.
    """
    if len(values) + len(censored) < FEWEST:
        return None
    surviving = Fraction(1)
    for at in sorted(set(values)):
        going_on = sum(one >= at for one in (*values, *censored))
        surviving *= 1 - Fraction(values.count(at), going_on)
        if surviving <= Fraction(1, 2):
            return at
    return None
