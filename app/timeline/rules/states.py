"""Where each step stands, read from what happened on it."""

from __future__ import annotations

from app.plan.rules.model import Step
from app.timeline.rules.facts import DONE, GOING, Facts, Stretch


def state_of(step: Step, facts: Facts) -> str:
    """`not_started running done stopped dropped never_started`, by the latest word on a step."""
    points = dict(facts.decided.points)
    if step.id in points:
        return "done"
    done = facts.of(step.id)
    if done:
        return state_of_work(done)
    if step.id in facts.decided.cut or not _is_placed(step, facts):
        return "dropped"
    return "never_started" if facts.closed_at is not None else "not_started"


def state_of_work(done: tuple[Stretch, ...]) -> str:
    """`running done stopped`, by what happened alone."""
    if any(stretch.kind in GOING for stretch in done):
        return "running"
    if any(stretch.kind == DONE for stretch in last_of_runs(done)):
        return "done"
    return "stopped"


def last_of_runs(done: tuple[Stretch, ...]) -> list[Stretch]:
    """The stretch of each run that its state is taken from, in the order of the runs.

    An earlier attempt's end is not the run's, nor is that of one whose record came late.
    """
    last: dict[str | None, Stretch] = {}
    for stretch in done:
        if stretch.current or stretch.run not in last:
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
    """Seconds of work in stretches: machine time as the list of runs says it, or a person's time.

    A run's machine time reaches to its last sign, a person's open span to now.
    """
    return sum(
        one.machine_s if one.machine_s is not None else _drawn_s(one, facts) for one in stretches
    )


def used_s(stretches: tuple[Stretch, ...], facts: Facts) -> int:
    """The same as the forecast counts it: what goes on has worked until now."""
    return sum(
        max(spent_s((one,), facts), _drawn_s(one, facts) if one.open else 0) for one in stretches
    )


def _drawn_s(one: Stretch, facts: Facts) -> int:
    starts, ends = facts.span(one)
    return ends - starts
