"""Log-normal estimates, order statistics and censored durations."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.plan.rules.estimates import Spread, kaplan_meier_median, order_statistic, spread

OBSERVED = [0.9, 1, 1.05, 1.1, 1.2, 1.25, 1.4, 1.5, 1.9, 2.6]


@pytest.mark.parametrize(
    ("p50", "p90", "mean", "p80"),
    [(10, 15, 10.513237, 13.050969), (24, 36, 25.231770, 31.322325)],
)
def test_the_spread_of_an_estimate(p50: float, p90: float, mean: float, p80: float) -> None:
    found = spread(p50, p90)

    assert found.sigma == pytest.approx(math.log(p90 / p50) / 1.2815515655)
    assert found.mean_s() == pytest.approx(mean, abs=5e-7)
    assert found.quantile_s(0.8) == pytest.approx(p80, abs=5e-7)
    assert found.quantile_s(0.5) == pytest.approx(p50)
    assert found.quantile_s(0.9) == pytest.approx(p90)


def test_one_number_twice_has_no_spread() -> None:
    assert spread(10, 10) == Spread(math.log(10), 0.0)


@pytest.mark.parametrize(("p50", "p90"), [(0, 10), (-1, 10), (10, 9)])
def test_no_spread_of_what_is_no_estimate(p50: float, p90: float) -> None:
    with pytest.raises(ValueError, match="P90"):
        spread(p50, p90)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (OBSERVED, (1.25, 1.9, 2.6)),
        (OBSERVED[:5], (1.05, 1.2, None)),
        (OBSERVED[:4], (None, None, None)),
        ([], (None, None, None)),
    ],
)
def test_order_statistics(values: list[float], expected: tuple[float | None, ...]) -> None:
    shuffled = Random(1).sample(values, len(values))

    assert tuple(order_statistic(shuffled, q) for q in (0.5, 0.8, 0.9)) == expected


def test_an_order_statistic_counts_by_the_decimal_that_was_written() -> None:
    """0.55 · 100 as floats is a little above 55, and would take the 56th of 99 values."""
    assert order_statistic(range(1, 100), 0.55) == 55


@given(st.lists(st.floats(0.1, 100), min_size=5), st.sampled_from([0.5, 0.8, 0.9]))
def test_an_order_statistic_is_an_observed_value(values: list[float], q: float) -> None:
    found = order_statistic(values, q)

    assert found is None or found in values
    if found is not None:
        assert sum(one <= found for one in values) >= q * len(values)


def test_a_stopped_run_is_censored_and_not_short() -> None:
    ended, stopped = [0.9, 1, 1.2, 1.8], [1.1, 1.5]

    assert kaplan_meier_median(ended, stopped) == 1.2
    assert order_statistic([*ended, *stopped], 0.5) == 1.2
    assert kaplan_meier_median([*ended, *stopped], []) == 1.1


def test_one_cut_at_the_end_of_another_still_counts_as_going_on() -> None:
    assert kaplan_meier_median([1, 2, 3, 4], [2]) == 3


@pytest.mark.parametrize(
    ("ended", "stopped"),
    [([1, 2], [3, 4]), ([], [1, 2, 3, 4, 5]), ([1], [2, 3, 4, 5])],
    ids=["too few", "none ended", "never down to one half"],
)
def test_no_median_of_too_little(ended: list[float], stopped: list[float]) -> None:
    assert kaplan_meier_median(ended, stopped) is None


@given(st.lists(st.floats(0.1, 100), min_size=5, max_size=30))
def test_without_censored_runs_the_median_is_the_lower_middle_value(values: list[float]) -> None:
    assert kaplan_meier_median(values, []) == sorted(values)[(len(values) - 1) // 2]
