"""What is waited for: steps that should have begun, and runs that do not go as promised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.plan.rules.model import StepKind
from app.runs.pages.lines import Known
from app.runs.pages.words import since_of
from app.runs.queries import RunView
from app.runs.rules.clocks import Awaited, begin_said, next_sign_said, not_begun, over_time_said
from app.texts import Text
from app.timeline.queries import TimelineView

MOST = 12
"""So many lines tell enough; the table below has them all."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One thing that is waited for: `mark` is a state's key, `href` leads to the run."""

    mark: str
    name: str
    href: str | None
    said: tuple[Text, ...]


def waits(view: TimelineView, runs: Sequence[RunView], known: Known) -> tuple[Wait, ...]:
    """Steps without a run first, then runs that are silent, stand still or take too long."""
    if view.header.state == "closed":
        return ()
    return tuple([*_steps(view, runs, known), *_runs(runs, known)][:MOST])


def awaited(view: TimelineView) -> tuple[Awaited, ...]:
    """The machine steps of the sealed plan that have not begun, where the plan has a date."""
    facts = view.facts
    if not facts.version or facts.decided.stopped:
        return ()
    found = []
    for line in view.lines:
        at = facts.instant(line.planned[0]) if line.planned is not None else None
        waits_for_it = line.state == "not_started" and line.step.id not in facts.unneeded
        if line.step.kind is StepKind.MACHINE and waits_for_it and at is not None:
            found.append(Awaited(line.step.id, line.step.title, at))
    return tuple(found)


def _steps(view: TimelineView, runs: Sequence[RunView], known: Known) -> Iterator[Wait]:
    begun = {run.step for run in runs if run.step is not None}
    for one in not_begun(awaited(view), begun, known.now):
        yield Wait("not_started", one.title, None, (begin_said(one, known.now),))


def _runs(runs: Sequence[RunView], known: Known) -> Iterator[Wait]:
    for run in runs:
        if run.archived:
            continue
        step = known.step_of(run)
        over = over_time_said(run, step.p90_s if step else None)
        quiet = next_sign_said(run, known.now) if run.silent else None
        still = since_of(run) if run.stalled else None
        said = tuple(one for one in (quiet, still, over) if one is not None)
        mark = "silent" if quiet else "stalled" if still else "conflict"
        if said:
            yield Wait(mark, run.id, f"{known.base}/{run.id}", said)
