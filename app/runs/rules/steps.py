"""Where a step of the plan stands, from its runs, the people's time, and what was decided."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from app.runs.rules.events import Status


class StepState(StrEnum):
    """The states of a step, as every page says them."""

    NOT_STARTED = "not_started"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    DROPPED = "dropped"
    NEVER_STARTED = "never_started"
    CONFLICT = "conflict"


def step_state(
    *,
    runs: Collection[str] = (),
    spans: int = 0,
    open_spans: int = 0,
    decided: bool = False,
    dropped: bool = False,
    conflict: bool = False,
    closed: bool = False,
) -> StepState:
    """The state of one step.

    `runs` are the statuses of its runs; `spans` counts people's time, `open_spans` the part that
    still goes on; `decided` ends a decision point; `dropped` was cut; `conflict` says that two
    things claim one GPU; `closed` that the campaign is over. Work that is going on counts before
    what is done, what is done before what was stopped, and a cut before what never began.
    """
    statuses = {Status(status) for status in runs}
    if conflict:
        return StepState.CONFLICT
    if Status.RUNNING in statuses or open_spans:
        return StepState.RUNNING
    if decided or Status.COMPLETED in statuses:
        return StepState.DONE
    if statuses & {Status.STOPPED, Status.FAILED, Status.LOST}:
        return StepState.STOPPED
    if spans:
        return StepState.DONE
    if dropped:
        return StepState.DROPPED
    return StepState.NEVER_STARTED if closed else StepState.NOT_STARTED
