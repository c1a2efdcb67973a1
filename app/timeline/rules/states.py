"""Where each step stands, read from what happened on it."""

from __future__ import annotations

from app.plan.rules.model import Step
from app.timeline.rules.facts import DONE, RUNNING, SILENT, Facts, Stretch


def state_of(step: Step, facts: Facts) -> str:
    """`not_started running done stopped dropped never_started`, by the latest word on a step."""
    points = dict(facts.decided.points)
    if step.id in points:
        return "done"
    done = facts.of(step.id)
    if done:
        return _state_of_work(done)
    if step.id in facts.decided.cut or not _is_placed(step, facts):
        return "dropped"
    return "never_started" if facts.closed_at is not None else "not_started"


def _state_of_work(done: tuple[Stretch, ...]) -> str:
    if any(stretch.kind in (RUNNING, SILENT) for stretch in done):
        return "running"
    if any(stretch.kind == DONE for stretch in _last_of_runs(done)):
        return "done"
    return "stopped"


def _last_of_runs(done: tuple[Stretch, ...]) -> list[Stretch]:
    """The last stretch of each run; an earlier attempt's end is not the run's."""
    last: dict[str | None, Stretch] = {}
    for stretch in done:
        last[stretch.run] = stretch
    return list(last.values())


def is_over(step: Step, facts: Facts) -> bool:
    """Whether nothing of a step is left to do, as the forecast counts.

    A run that a rule stopped on its verdict is an answer; one that broke is to be repeated.
    """
    state = state_of(step, facts)
    if state in ("done", "dropped", "never_started"):
        return True
    return state == "stopped" and any(stretch.proof for stretch in facts.of(step.id))


def _is_placed(step: Step, facts: Facts) -> bool:
    """Whether the plan holds a place for the step; new steps of a later version have one."""
    if all(known.id != step.id for known in facts.sealed_steps):
        return True
    left_out = {dropped.id for dropped in facts.sealed.dropped} | set(facts.sealed.not_included)
    return step.id not in left_out


def spent_s(stretches: tuple[Stretch, ...], facts: Facts) -> int:
    """Seconds of work in stretches; an open one counts up to now."""
    return sum(
        max(
            0,
            round(((facts.until_at if one.open else one.ends_at) - one.starts_at).total_seconds()),
        )
        for one in stretches
    )
