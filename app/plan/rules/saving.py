"""What is said of a step's saving: how often, at what cost, what it rests on, and until when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from app.plan.rules.checkpoints import (
    MOST_RESERVE_MIN,
    Advice,
    advice,
    last_safe_save_s,
)
from app.plan.rules.lots import LotWindow
from app.plan.rules.measured import Measured, with_measured
from app.plan.rules.model import Checkpoint, OnInterruption, Step
from app.plan.rules.spans import hours_said
from app.texts import Text, ntext, text
from app.units import Duration


@dataclass(frozen=True, slots=True)
class LastSave:
    """The last save that can still be fetched from a lot: how long before its end it begins.

    `at` is the instant, None while the lot has no start; `hour_s` counts from hour 0.
    """

    lot: str
    before_end_s: int
    hour_s: int
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Saving:
    """The advice for one machine step in sentences; what cannot be said yet is in `missing`.

    `missing` names what would give the interval, the expected time and the reserve,
    `missing_last` what would give the last safe save. `measured` says on which measured figures
    all this rests, None where it rests on the plan's alone.
    """

    line: Text
    terms: Text | None
    expected: Text | None
    reserve: Text | None
    missing: tuple[Text, ...]
    last: tuple[LastSave, ...]
    missing_last: tuple[Text, ...]
    measured: Text | None = None


def saving(
    step: Step,
    lots: Sequence[LotWindow],
    bits_per_second: int | None,
    measured: Measured | None = None,
) -> Saving | None:
    """The advice for a step that runs on some lots; None for one that is no machine step.

    Measured figures take the place of the stated ones.
    """
    if measured is not None:
        step = with_measured(step, measured)
    advised = advice(step)
    if advised is None:
        return None
    stated = step.checkpoint if step.checkpoint is not None else Checkpoint()
    needed = last_safe_save_s(stated.size_bytes, bits_per_second, stated.write_s)
    over = step.on_interruption is OnInterruption.RESTART
    wanted = (
        (bool(stated.write_s), text("how long one save takes to write")),
        (bool(stated.size_bytes), text("the size of a checkpoint")),
        (bits_per_second is not None, text("the rate of transfer from the rented machine")),
    )
    return Saving(
        line=_line(advised, over),
        terms=_terms(advised),
        expected=_expected(advised),
        reserve=_reserve(advised.reserve_min, is_measured=measured is not None),
        missing=advised.missing,
        last=tuple(_last(lot, math.ceil(needed)) for lot in lots) if needed is not None else (),
        missing_last=() if over else tuple(name for known, name in wanted if not known),
    )


def _reserve(reserve_min: int, *, is_measured: bool) -> Text | None:
    """What is kept after the step; measured figures say what it should be, the plan what it is."""
    if not reserve_min:
        return None
    if is_measured:
        said = hours_said(reserve_min)
        return text("By what was measured it needs a reserve of {reserve}.", reserve=said)
    return text("Kept for it after the step: {reserve}.", reserve=hours_said(reserve_min))


def _line(advised: Advice, over: bool) -> Text:
    """How often to save, and what that costs, as far as it is known."""
    if over:
        return text("Starts over after an interruption, so it saves nothing on the way.")
    if advised.interval_s is None:
        return text("How often to save cannot be worked out yet.")
    interval = Duration(int(advised.interval_s))
    if advised.cost_share is None or advised.write_s is None:
        return text("Save at least every {interval}.", interval=interval)
    cost = {
        "interval": interval,
        "write": Duration(advised.write_s),
        "percent": Decimal(repr(advised.cost_share * 100)).quantize(Decimal("0.1")),
    }
    if not advised.mtbi_s:
        return text(
            "Save at least every {interval}; costs {write} each ({percent} %); "
            "time between interruptions unknown.",
            **cost,
        )
    return text("Save every {interval}; costs {write} each ({percent} %).", **cost)


def _terms(advised: Advice) -> Text | None:
    """Both figures of which the interval is the smaller, also where one is not known."""
    if advised.interval_s is None or advised.saves == 0:
        return None
    daly = Duration(int(advised.daly_s)) if advised.daly_s is not None else text("not known")
    loss = Duration(advised.tolerable_loss_s) if advised.tolerable_loss_s else text("not stated")
    return text(
        "The smaller of Daly's interval ({daly}) and the work one can bear to lose ({loss}).",
        daly=daly,
        loss=loss,
    )


def _expected(advised: Advice) -> Text | None:
    """How long the work takes with saves and interruptions, beside the final save alone."""
    if advised.expected_s is None or advised.work_s is None or advised.saves is None:
        return None
    words = {"work": Duration(advised.work_s), "expected": _length(advised.expected_s)}
    if not advised.saves:
        return text(
            "{work} of work take about {expected} with the interruptions to be expected.", **words
        )
    said = ntext(
        "{work} of work take about {expected} with {n} save and the interruptions to be expected",
        "{work} of work take about {expected} with {n} saves and the interruptions to be expected",
        advised.saves,
        **words,
    )
    if advised.saves == 1 or advised.final_save_only_s is None:
        return text("{said}.", said=said)
    return text(
        "{said}; with a save only at its end {single}.",
        said=said,
        single=_length(advised.final_save_only_s),
    )


def _length(seconds: float) -> Text | Duration:
    if seconds >= MOST_RESERVE_MIN * 60:
        return text("more than ten years")
    return Duration(round(seconds))


def _last(lot: LotWindow, needed_s: int) -> LastSave:
    """Before the end of a lot, or before its machines stop being usable."""
    end_min = min(lot.end_min, lot.usable_min)
    at = None
    if lot.starts_at is not None:
        ends_at = lot.starts_at + timedelta(minutes=end_min - lot.start_min)
        at = ends_at - timedelta(seconds=needed_s)
    return LastSave(lot.id, needed_s, end_min * 60 - needed_s, at)
