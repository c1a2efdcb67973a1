"""Which steps owe an explanation at the close.

A deviation is of the step's own duration: observed − reserved. It is owed above both of the
campaign's tolerances, and for steps added, dropped or stopped.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.rules.model import Tolerance
from app.texts import Text, text
from app.units import Duration

CATEGORIES: dict[str, Text] = {
    "estimate": text("The estimate was wrong"),
    "stopped_run": text("A run was stopped"),
    "restart": text("A restart or a resume"),
    "waiting": text("Waiting for a person"),
    "machine": text("The machine or the lot"),
    "data": text("The data"),
    "plan": text("The plan was changed"),
    "other": text("Something else"),
}


@dataclass(frozen=True, slots=True)
class Explained:
    """What was said of a step's deviation."""

    step: str
    category: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Deviation:
    """A step against its plan, in seconds, and what is owed and said about it.

    `why_owed` is None where no explanation is owed; `proposed` is what the record knows.
    """

    step: str
    title: str
    klass: str
    state: str
    planned_s: int | None
    observed_s: int | None
    duration_delta_s: int | None
    end_delta_s: int | None
    why_owed: Text | None
    proposed: Text | None
    explained: Explained | None

    @property
    def unexplained(self) -> bool:
        """Whether a word is owed and nobody gave it."""
        return self.why_owed is not None and self.explained is None


def why_blank(state: str) -> Text:
    """Why there is no figure for a step of this state, now or for ever."""
    if state in ("dropped", "never_started"):
        return text("it did not run")
    return text("no time was logged") if state == "done" else text("not yet")


def why_owed(
    state: str,
    planned_s: int | None,
    delta_s: int | None,
    tolerance: Tolerance,
    *,
    added: bool,
    is_forecast: bool,
) -> Text | None:
    """The reason an explanation is owed for a step, or None."""
    if added:
        return text("added after the first seal")
    if state == "dropped":
        return text("dropped")
    if state == "stopped":
        return text("stopped")
    if state in ("never_started", "not_started") and planned_s:
        return text("never started")
    if is_forecast or delta_s is None or planned_s is None:
        return None
    if (
        abs(delta_s) <= tolerance.minutes * 60
        or abs(delta_s) * 100 <= tolerance.percent * planned_s
    ):
        return None
    return (
        text("longer by {d}", d=Duration(delta_s))
        if delta_s > 0
        else text("shorter by {d}", d=Duration(-delta_s))
    )
