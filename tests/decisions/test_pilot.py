"""What the steps before a decision point say: reserved, observed, ratio."""

from __future__ import annotations

from fractions import Fraction

import pytest

from app.decisions.rules.pilot import Work, open_point
from tests.decisions.plans import HOUR_S, plan, steps

POINT = steps()[1]


def test_the_ratio_of_the_pilot_stretches_what_is_ahead() -> None:
    work = [Work("p-1", "pilot", "completed", 5 * HOUR_S)]
    point = open_point(POINT, steps(), plan().decision_points, work, ())
    (fact,) = point.facts
    assert (fact.reserved_s, fact.observed_s, fact.ratio) == (
        4 * HOUR_S,
        5 * HOUR_S,
        Fraction(5, 4),
    )
    assert point.remaining_s == 32 * HOUR_S
    assert point.remaining_at_ratio_s == 40 * HOUR_S
    assert point.standing == "continue if pilot <= 1.3 x estimate"


def test_what_was_cut_or_done_is_not_ahead() -> None:
    work = [
        Work("p-1", "pilot", "completed", 4 * HOUR_S),
        Work("c-1", "control", "completed", 11 * HOUR_S),
    ]
    point = open_point(POINT, steps(), (), work, {"variant-b", "probe"})
    assert point.remaining_s == 10 * HOUR_S
    assert point.standing is None


@pytest.mark.parametrize("status", ["running", "stopped", "failed"])
def test_a_pilot_that_did_not_complete_has_no_ratio(status: str) -> None:
    point = open_point(POINT, steps(), (), [Work("p-1", "pilot", status, 5 * HOUR_S)], ())
    (fact,) = point.facts
    assert (fact.ratio, fact.observed_s, fact.run, fact.status) == (None, None, "p-1", status)
    assert point.remaining_at_ratio_s is None


def test_the_newest_completed_run_counts() -> None:
    work = [
        Work("p-1", "pilot", "stopped", 1 * HOUR_S),
        Work("p-2", "pilot", "completed", 6 * HOUR_S),
        Work("p-3", "pilot", "running", 2 * HOUR_S),
    ]
    (fact,) = open_point(POINT, steps(), (), work, ()).facts
    assert (fact.run, fact.ratio) == ("p-2", Fraction(3, 2))


def test_no_run_yet() -> None:
    (fact,) = open_point(POINT, steps(), (), [], ()).facts
    assert (fact.run, fact.status, fact.ratio) == (None, None, None)
