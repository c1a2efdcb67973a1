"""Three clocks, each with its own words: when a step must have begun, when a run's next sign is
due, and how long it may last. All are computed at a moment; none writes an end."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.runs.rules.events import Status
from app.runs.rules.liveness import GRACE_S
from app.runs.rules.views import RunView
from app.texts import Text, text
from app.units import Duration

OVERTIME: Final = "overtime"
_ALIVE: Final = (Status.PLANNED, Status.RUNNING)


@dataclass(frozen=True, slots=True)
class Awaited:
    """A machine step and when it was to begin by the sealed plan."""

    step: str
    title: str
    starts_at: datetime


def not_begun(
    awaited: Iterable[Awaited], begun: Collection[str], now: datetime
) -> tuple[Awaited, ...]:
    """The steps whose planned start has passed without a run, the longest overdue first."""
    late = (one for one in awaited if one.starts_at < now and one.step not in begun)
    return tuple(sorted(late, key=lambda one: (one.starts_at, one.step)))


def begin_said(one: Awaited, now: datetime) -> Text:
    """`should have begun by Tue, 1 Dec, 11:00, 2 h ago`."""
    late = Duration(round((now - one.starts_at).total_seconds()), some=True)
    return text("should have begun by {at}, {late} ago", at=one.starts_at, late=late)


def next_sign_at(run: RunView) -> datetime | None:
    """When the next sign is due by the job's promise; None where the run has ended.

    Silent is called what lets the grace pass as well.
    """
    current = next((one for one in run.attempts if one.number == run.attempt), None)
    if current is None or current.due_at is None or run.status not in _ALIVE:
        return None
    return current.due_at - timedelta(seconds=GRACE_S)


def next_sign_said(run: RunView, now: datetime) -> Text | None:
    """What the next sign's clock says: due, overdue within the grace, silent."""
    due_at = next_sign_at(run)
    if due_at is None:
        return None
    if run.silent and run.silent_since_at is not None:
        quiet = Duration(round((now - run.silent_since_at).total_seconds()))
        return text("silent for {quiet}, since {at}", quiet=quiet, at=run.silent_since_at)
    if due_at < now:
        return text("next sign was due {at}", at=due_at)
    return text("next sign due {at}", at=due_at)


def longest_s(run: RunView, p90_s: int | None) -> int | None:
    """How long a run may last: by its overtime rules, else by its step's P90."""
    limits = [rule.after_s for rule in run.rules if rule.kind == OVERTIME]
    stated = [limit for limit in limits if limit is not None]
    return min(stated) if stated else p90_s


def over_time_said(run: RunView, p90_s: int | None) -> Text | None:
    """`over its time: 10 h of at most 9 h 30 min`, while the run goes on."""
    longest = longest_s(run, p90_s)
    if longest is None or run.status not in _ALIVE or run.machine_s <= longest:
        return None
    return text(
        "over its time: {spent} of at most {longest}",
        spent=Duration(run.machine_s),
        longest=Duration(longest),
    )
