"""What is worth a second look at a run: it was too quick, or a stop rule has nothing to judge."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.runs.rules.events import Status
from app.runs.rules.views import RuleView, RunView
from punktum.stop_rules import OF_A_METRIC

SETTLED_S: Final = 600
"""After so much machine time a job has logged what it logs."""
NAMES: Final = 8
"""So many names of metrics are shown."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """A stop rule that had nothing to judge: `metric` is the job's name of what it waits for,
    `seen` are the names that came instead, of which `more` are left out."""

    rule: str
    metric: str
    seen: tuple[str, ...]
    more: int = 0


def suspiciously_short(status: str, machine_s: int, p50_s: int | None) -> bool:
    """Whether a run completed in under half the time that its step is estimated at."""
    return status == Status.COMPLETED and bool(p50_s) and 2 * machine_s < (p50_s or 0)


def unseen(run: RunView, names: Mapping[str, str]) -> tuple[Unseen, ...]:
    """The rules whose metric has not come though the run is well under way.

    `names` is our name → the job's. A rule that begins later is waited for.
    """
    if run.machine_s < SETTLED_S:
        return ()
    known = {metric.name for metric in run.metrics}
    seen = _as_the_job_says(sorted(known), names)
    waiting = (rule for rule in run.rules if _waits(rule, known, run.machine_s))
    return tuple(
        Unseen(rule.rule, names.get(metric, metric), tuple(seen[:NAMES]), len(seen[NAMES:]))
        for rule in waiting
        if (metric := rule.metric) is not None
    )


def _waits(rule: RuleView, known: Collection[str], machine_s: int) -> bool:
    if rule.kind not in OF_A_METRIC or rule.evaluated or (rule.metric or "") in known:
        return False
    return rule.after_s is None or machine_s >= rule.after_s + SETTLED_S


def _as_the_job_says(known: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """The names without ours that stand for one of the job's."""
    ours = {name for name, theirs in names.items() if theirs != name}
    return [name for name in known if name not in ours]
