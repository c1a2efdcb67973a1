"""Machine time beside the money: what went into runs that gave no result, and a run's share.

Money is not divisible below the lot, so a run has a share of the time and no price.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from app.orders.rules import OrderedLot
from app.runs.rules.views import Interval, RunView
from app.texts import Text, text
from app.units import Duration

WITHOUT_RESULT: tuple[str, ...] = ("stopped", "failed", "lost")


@dataclass(frozen=True, slots=True)
class RunTime:
    """The machine time of one run in seconds, all its attempts together."""

    run: str
    status: str
    machine_s: int


@dataclass(frozen=True, slots=True)
class Spent:
    """Machine time in seconds, and the runs that it was spent on without a result."""

    total_s: int
    without_result: tuple[RunTime, ...]

    @property
    def without_result_s(self) -> int:
        """The sum of the runs that were stopped, failed or lost."""
        return sum(one.machine_s for one in self.without_result)

    @property
    def said(self) -> Text | None:
        """One sentence; None while no machine time is reported."""
        total, lost = Duration(self.total_s), Duration(self.without_result_s)
        if not self.total_s:
            return None
        if not self.without_result:
            return text(
                "{total} of machine time, none of it in runs that were stopped or failed.",
                total=total,
            )
        return text(
            "Of {total} of machine time {lost} went into runs that were stopped or failed.",
            total=total,
            lost=lost,
        )


@dataclass(frozen=True, slots=True)
class TimeShare:
    """What a run used of one lot: GPU seconds of all that the lot has in its paid window."""

    lot: str
    gpus: int
    run_s: int
    lot_s: int

    @property
    def share(self) -> Fraction:
        """The exact share, between 0 and 1."""
        return Fraction(self.run_s, self.lot_s)

    @property
    def percent(self) -> Decimal:
        """The share in percent, rounded half-even to one decimal."""
        exact = Decimal(self.run_s * 100) / Decimal(self.lot_s)
        return exact.quantize(Decimal("0.1"), ROUND_HALF_EVEN)

    @property
    def said(self) -> Text:
        """The share in one sentence; of a lot with several GPUs it is GPU time."""
        values = {
            "lot": self.lot,
            "ran": Duration(self.run_s),
            "paid": Duration(self.lot_s),
            "percent": self.percent,
        }
        if self.gpus > 1:
            return text(
                "{ran} of the {paid} of GPU time in {lot} ({percent} %): "
                "money is not divisible below the lot.",
                **values,
            )
        return text(
            "{ran} of the {paid} in {lot} ({percent} %): money is not divisible below the lot.",
            **values,
        )


def spent(runs: Iterable[RunView]) -> Spent:
    """The machine time of a campaign; all of a run's attempts go where the run went."""
    known = tuple(runs)
    return Spent(
        sum(run.machine_s for run in known),
        tuple(
            RunTime(run.id, run.status, run.machine_s)
            for run in known
            if run.status in WITHOUT_RESULT and run.machine_s
        ),
    )


def share_of_time(run: RunView, lots: Sequence[OrderedLot]) -> tuple[TimeShare, ...]:
    """A run's share of each lot that it ran in, by the lots' order.

    Time outside the paid window is no share of it. An attempt that names no lot belongs to the
    only one that was open at its start; where several were, it belongs to none.
    """
    used: dict[str, int] = {}
    for one in run.intervals:
        lot = _lot_of(one, lots)
        if lot is not None:
            held = min(max(len(one.gpus), 1), lot.capacity)
            used[lot.id] = used.get(lot.id, 0) + held * _inside_s(one, lot)
    return tuple(
        TimeShare(lot.id, lot.capacity, used[lot.id], lot.capacity * _span_s(lot))
        for lot in lots
        if used.get(lot.id)
    )


def _lot_of(one: Interval, lots: Sequence[OrderedLot]) -> OrderedLot | None:
    if one.lot is not None:
        return next((lot for lot in lots if lot.id == one.lot), None)
    open_then = [lot for lot in lots if lot.starts_at <= one.starts_at < lot.ends_at]
    return open_then[0] if len(open_then) == 1 else None


def _span_s(lot: OrderedLot) -> int:
    return _seconds(lot.starts_at, lot.ends_at)


def _inside_s(one: Interval, lot: OrderedLot) -> int:
    return max(0, _seconds(max(one.starts_at, lot.starts_at), min(one.ends_at, lot.ends_at)))


def _seconds(start: datetime, end: datetime) -> int:
    return round((end - start).total_seconds())
