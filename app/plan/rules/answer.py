"""The one line over a plan: by when the answer is there and how much is left, or by how much
the plan exceeds its lots. Never a negative spare."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from app.plan.rules.lots import LotWindow, zero_at
from app.plan.rules.scheduled import Schedule
from app.plan.rules.spans import hours_said
from app.texts import Text, text


def plan_answer(schedule: Schedule, lots: Sequence[LotWindow]) -> Text:
    """The answer as a sentence: dated where the first lot's start is known, else in hours.

    Where there is no answer yet it says what is missing or what is impossible.
    """
    if schedule.fits and schedule.end_min is not None:
        return _fits(schedule, lots, schedule.end_min)
    if schedule.exceeds_min is not None:
        over = hours_said(schedule.exceeds_min)
        if len(lots) == 1:
            return text("Exceeds the lot by {over}", over=over)
        return text("Exceeds its lots by {over}", over=over)
    if schedule.problems:
        return schedule.problems[0]
    if schedule.proof is not None:
        return text("No lot can hold this plan. {why}", why=schedule.proof)
    return text("No plan found")


def why_not(schedule: Schedule) -> Text | None:
    """Why a plan that was placed does not fit: its proof, or that none was found; None if it fits.

    "Impossible" is a proof's word alone.
    """
    if schedule.undecided:
        return text("No plan found that fits; it is not proved that there is none.")
    return schedule.proof if schedule.end_min is not None else None


def _fits(schedule: Schedule, lots: Sequence[LotWindow], end_min: int) -> Text:
    spare = hours_said(schedule.uncommitted_min or 0)
    zero = zero_at(lots)
    if zero is not None:
        ends_at = zero + timedelta(minutes=end_min)
        return text("Answer by {end}, {spare} to spare", end=ends_at, spare=spare)
    if end_min <= 0:
        return text("Fits, {spare} uncommitted", spare=spare)
    return text(
        "Answer after {end}: fits, {spare} uncommitted", end=hours_said(end_min), spare=spare
    )
