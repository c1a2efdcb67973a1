"""Advice on saving: Young, Daly, the expected time, the reserve, and the last safe save."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.plan.rules.checkpoints import (
    MOST_RESERVE_MIN,
    Advice,
    advice,
    daly_s,
    expected_s,
    last_safe_save_s,
    observed_mtbi,
    observed_said,
    reserve_min,
    young_s,
)
from app.plan.rules.model import Checkpoint, OnInterruption, Parts, Step
from tests.plan.campaigns import step

HOUR_S, DAY_S = 3600, 86400


def saving(hours: float | None = 10, **stated: int | None) -> Step:
    """A machine step with a checkpoint of these figures."""
    return replace(step("control", "machine", hours), checkpoint=Checkpoint(**stated))


def advised(hours: float | None = 10, **stated: int | None) -> Advice:
    found = advice(saving(hours, **stated))
    assert found is not None
    return found


# What the vectors state: δ and M in minutes, then Young's and Daly's intervals.
@pytest.mark.parametrize(
    ("write", "mtbi", "young", "daly"),
    [
        (5, 1440, 120.0000, 116.6898),
        (5, 360, 60.0000, 56.7130),
        (5, 15, 12.2474, 9.1409),
        (1, 4320, 92.9516, 92.2861),
        (2, 1440, 75.8947, 74.5672),
        (30, 15, 30.0000, 15.0000),
        (40, 15, 34.6410, 15.0000),
    ],
)
def test_intervals(write: int, mtbi: int, young: float, daly: float) -> None:
    assert young_s(write * 60, mtbi * 60) == pytest.approx(young * 60, abs=0.003)
    assert daly_s(write * 60, mtbi * 60) == pytest.approx(daly * 60, abs=0.003)


@pytest.mark.parametrize("mtbi", [None, 0, 1440])
@pytest.mark.parametrize("write", [None, 0, 5])
def test_no_interval_without_both_figures(write: int | None, mtbi: int | None) -> None:
    both = bool(write and mtbi)

    assert (young_s(write, mtbi) is not None) is both
    assert (daly_s(write, mtbi) is not None) is both


def test_the_expected_time_of_ten_hours_is_least_with_eight_saves() -> None:
    hours = {n: expected_s(10 * HOUR_S, n, 120, 300, DAY_S) / HOUR_S for n in range(1, 40)}

    assert min(hours, key=lambda n: hours[n]) == 8
    assert hours[8] == pytest.approx(10.5828, abs=5e-5)
    assert hours[1] == pytest.approx(12.4994, abs=5e-5)


@pytest.mark.parametrize(("saves", "mtbi"), [(0, 10), (-1, 10), (1, 0), (1, -3)])
def test_the_expected_time_needs_a_save_and_a_time_between(saves: int, mtbi: int) -> None:
    with pytest.raises(ValueError, match="expected time needs"):
        expected_s(HOUR_S, saves, 120, 300, mtbi)


def test_advice_follows_daly_and_takes_the_better_number_of_saves() -> None:
    found = advised(write_s=120, restore_s=300, mean_time_between_interruptions_s=DAY_S)

    assert found.interval_s == found.daly_s == pytest.approx(74.5672 * 60, abs=0.003)
    assert found.saves == 8
    assert found.expected_s == pytest.approx(10.5828 * HOUR_S, abs=0.2)
    assert found.final_save_only_s == pytest.approx(12.4994 * HOUR_S, abs=0.2)
    assert found.reserve_min == 35  # 34.97 minutes above the work
    assert found.missing == ()


def test_a_loss_that_can_be_borne_shortens_the_interval_and_both_terms_stay() -> None:
    found = advised(
        write_s=120,
        restore_s=300,
        mean_time_between_interruptions_s=DAY_S,
        tolerable_loss_s=HOUR_S,
    )

    assert found.interval_s == HOUR_S
    assert found.tolerable_loss_s == HOUR_S
    assert found.daly_s == pytest.approx(74.5672 * 60, abs=0.003)
    assert found.saves == 10
    assert found.cost_share == pytest.approx(0.0333, abs=5e-5)


def test_plain_advice_where_the_time_between_interruptions_is_unknown() -> None:
    found = advised(write_s=120, restore_s=300, tolerable_loss_s=HOUR_S)

    assert (found.interval_s, found.saves) == (HOUR_S, 10)
    assert found.cost_share == pytest.approx(0.0333, abs=5e-5)
    assert (found.young_s, found.daly_s, found.expected_s, found.reserve_min) == (
        None,
        None,
        None,
        0,
    )
    assert [str(one) for one in found.missing] == ["the mean time between interruptions"]


def test_a_run_that_starts_over_is_reckoned_without_saves() -> None:
    resuming = saving(write_s=120, restore_s=300, mean_time_between_interruptions_s=DAY_S)
    over = advice(replace(resuming, on_interruption=OnInterruption.RESTART))

    assert over is not None
    assert over.saves == 0
    assert over.expected_s == pytest.approx(expected_s(10 * HOUR_S, 1, 0, 300, DAY_S))
    assert over.reserve_min > reserve_min(resuming)


def test_a_run_that_starts_over_needs_no_time_to_save() -> None:
    stated = saving(restore_s=300, mean_time_between_interruptions_s=DAY_S)
    over = advice(replace(stated, on_interruption=OnInterruption.RESTART))

    assert over is not None
    assert over.missing == ()
    assert over.expected_s is not None
    assert reserve_min(stated) == 0 < over.reserve_min


def test_the_work_is_the_sum_of_the_parts_where_they_are_stated() -> None:
    parts = Parts(load_s=HOUR_S, train_s=9 * HOUR_S)
    built = replace(saving(write_s=120, tolerable_loss_s=HOUR_S), p50_s=None, parts=parts)

    found = advice(built)

    assert found is not None
    assert found.work_s == 10 * HOUR_S


def test_every_run_is_saved_at_its_end() -> None:
    found = advised(0.5, write_s=120, restore_s=0, mean_time_between_interruptions_s=DAY_S)

    assert found.saves == 1


@pytest.mark.parametrize("kind", ["human", "transfer", "decision_point"])
def test_only_machine_steps_are_advised_and_keep_a_reserve(kind: str) -> None:
    stated = Checkpoint(120, 300, HOUR_S, DAY_S)
    other = replace(step("other", kind, 10), checkpoint=stated)

    assert advice(other) is None
    assert reserve_min(other) == 0


def test_a_step_that_would_not_end_keeps_the_longest_reserve() -> None:
    hopeless = saving(1000, write_s=120, restore_s=300, mean_time_between_interruptions_s=1)

    assert reserve_min(hopeless) == MOST_RESERVE_MIN


FIGURES = st.none() | st.sampled_from([0, 1, 60]) | st.integers(1, 3_000_000)


@given(work=FIGURES, write=FIGURES, restore=FIGURES, loss=FIGURES, mtbi=FIGURES)
def test_no_number_where_an_input_is_missing(
    work: int | None, write: int | None, restore: int | None, loss: int | None, mtbi: int | None
) -> None:
    found = advised(
        None if work is None else work / HOUR_S,
        write_s=write,
        restore_s=restore,
        tolerable_loss_s=loss,
        mean_time_between_interruptions_s=mtbi,
    )

    whole = bool(work and write and mtbi and restore is not None)
    assert (found.missing == ()) is whole
    assert (found.expected_s is not None) is whole
    assert found.reserve_min >= 0
    assert found.reserve_min == 0 or whole
    assert (found.interval_s is not None) is bool(loss or (write and mtbi))
    assert found.interval_s is None or not loss or found.interval_s <= loss
    if found.expected_s is not None and found.work_s is not None:
        assert found.expected_s > found.work_s
    if found.saves and found.work_s and loss:
        assert found.work_s / found.saves <= loss


def test_the_last_safe_save_leaves_time_to_write_and_to_fetch_it() -> None:
    size, rate = 40 * 2**30, 200_000_000

    assert last_safe_save_s(size, rate, 0, margin=1) == pytest.approx(1717.987, abs=5e-4)
    assert last_safe_save_s(size, rate, 0) == pytest.approx(2576.980, abs=5e-4)
    assert last_safe_save_s(size, rate, 120) == pytest.approx(2696.980, abs=5e-4)


@pytest.mark.parametrize("given_", [(None, 1, 1), (1, None, 1), (1, 1, None), (0, 1, 1), (1, 0, 1)])
def test_no_last_safe_save_without_size_rate_and_writing(
    given_: tuple[int | None, int | None, int | None],
) -> None:
    assert last_safe_save_s(*given_) is None


def test_what_was_observed_is_never_infinity() -> None:
    none, one = observed_mtbi(0, 72), observed_mtbi(1, 72)

    assert none is not None
    assert one is not None
    assert str(observed_said(none)) == "at least 24.03 h (95 %)"
    assert str(observed_said(one)) == "72 h (15.18 … 1403.69, 90 %)"
    assert observed_mtbi(0, 0) is None


def test_interruptions_are_counted_from_zero() -> None:
    with pytest.raises(ValueError, match="not -1"):
        observed_mtbi(-1, 72)


# Half the chi-square quantiles as printed in tables: 9.488 = χ²(0.95; 4), 0.711 = χ²(0.05; 4).
@pytest.mark.parametrize(
    ("count", "low", "high"),
    [(1, 9.488 / 2, 0.10259 / 2), (2, 12.592 / 2, 0.710723 / 2), (10, 33.924 / 2, 10.8508 / 2)],
)
def test_the_limits_are_those_of_the_chi_square_tables(count: int, low: float, high: float) -> None:
    found = observed_mtbi(count, 1000)

    assert found is not None
    assert found.high_h is not None
    assert 1000 / found.low_h == pytest.approx(low, rel=1e-4)
    assert 1000 / found.high_h == pytest.approx(high, rel=1e-4)


@settings(deadline=None)
@given(st.integers(1, 200), st.floats(0.1, 1e6))
def test_the_limits_enclose_the_mean(count: int, hours: float) -> None:
    found = observed_mtbi(count, hours)

    assert found is not None
    assert found.mean_h is not None
    assert found.high_h is not None
    assert math.isfinite(found.high_h)
    assert 0 < found.low_h < found.mean_h < found.high_h
