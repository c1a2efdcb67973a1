"""Machine time beside the money: runs without a result are named, a run has a share of time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from app.budget.rules import RunTime, share_of_time, spent
from app.orders.rules import OrderedLot
from tests.budget.rows import attempt, ran
from tests.orders.campaigns import END, START

HOUR = timedelta(hours=1)
LOT = OrderedLot(1, 0, "lot-1", 1, "RTX 4090", START, END, END)


def at(hours: float) -> timedelta:
    return hours * HOUR


def test_s15_the_hours_of_stopped_and_failed_runs_are_spent() -> None:
    good = ran("a-01", "completed", attempt(1, START, START + at(32)))
    bad = [
        ran("b-01", "stopped", attempt(1, START, START + at(4)), attempt(2, START, START + at(1))),
        ran("b-02", "failed", attempt(1, START, START + at(3))),
        ran("b-03", "lost", attempt(1, START, START + at(1))),
        ran("b-04", "failed", attempt(1, START, START)),
    ]
    found = spent([good, *bad])
    assert (found.total_s, found.without_result_s) == (41 * 3600, 9 * 3600)
    assert found.without_result == (
        RunTime("b-01", "stopped", 5 * 3600),
        RunTime("b-02", "failed", 3 * 3600),
        RunTime("b-03", "lost", 3600),
    )
    assert str(found.said) == (
        "Of 1 d 17 h of machine time 9 h went into runs that were stopped or failed."
    )
    assert str(spent([good]).said) == (
        "1 d 8 h of machine time, none of it in runs that were stopped or failed."
    )
    assert spent([]).said is None


def test_a_run_has_a_share_of_the_lots_time() -> None:
    one = attempt(1, START, START + at(9), lot="lot-1", gpus=(0,))
    (share,) = share_of_time(ran("a-01", "completed", one), [LOT])
    assert (share.share, share.percent) == (Fraction(1, 8), Decimal("12.5"))
    assert str(share.said) == (
        "9 h of the 3 d in lot-1 (12.5 %): money is not divisible below the lot."
    )


def test_of_a_lot_with_two_gpus_it_is_a_share_of_gpu_time() -> None:
    lot = replace(LOT, gpus=2)
    one = attempt(1, START, START + at(9), lot="lot-1", gpus=(1,))
    both = attempt(2, START + at(10), START + at(19), lot="lot-1", gpus=(0, 1))
    (share,) = share_of_time(ran("a-01", "completed", one, both), [lot])
    assert (share.run_s, share.lot_s) == (27 * 3600, 144 * 3600)
    assert "of GPU time in lot-1" in str(share.said)


@pytest.mark.parametrize(
    ("start", "end", "lot", "expected"),
    [
        (70, 76, "lot-1", [("lot-1", 2)]),  # behind the end there is nothing to share
        (-3, -1, "lot-1", []),
        (5, 6, None, [("lot-1", 1)]),  # only one was open
        (60, 62, None, []),  # two were: nobody said which
        (60, 62, "lot-2", [("lot-2", 2)]),
        (5, 6, "lot-9", []),
    ],
)
def test_time_belongs_to_the_lot_that_it_was_used_in(
    start: int, end: int, lot: str | None, expected: list[tuple[str, int]]
) -> None:
    second = replace(LOT, planned_lot="lot-2", starts_at=START + at(48), ends_at=END + at(48))
    one = attempt(1, START + at(start), START + at(end), lot=lot)
    found = share_of_time(ran("a-01", "completed", one), [LOT, second])
    assert [(share.lot, share.run_s // 3600) for share in found] == expected
