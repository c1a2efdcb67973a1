"""Which runs a person may put away: those that do not go on. Runs are never deleted."""

from __future__ import annotations

from app.runs.rules.events import Status

_ALIVE = (Status.PLANNED, Status.RUNNING)


def may_be_archived(status: str, *, silent: bool) -> bool:
    """Whether a run does not go on: it has ended, or nothing but silence came before a start."""
    return status not in _ALIVE or (status == Status.PLANNED and silent)
