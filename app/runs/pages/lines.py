"""The rows of the runs page: runs, and the stop register with what followed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.plan.queries import PlanView
from app.plan.rules.model import Step
from app.runs.pages.words import (
    State,
    metric_lines,
    reason_of,
    seconds_said,
    since_of,
    states_of,
    stop_actor,
    stop_reason,
)
from app.runs.queries import RunView, StopRecordView, Window
from app.runs.rules.clocks import over_time_said
from app.runs.rules.endings import ending_said
from app.runs.rules.planned import stop_rules
from app.runs.rules.reasons import fired_said, rule_said, seen_said
from app.runs.rules.remarks import Unseen, suspiciously_short, unseen
from app.texts import Text, ntext, text
from app.units import Duration
from punktum.stop_rules import StopRule

METRICS = 3
FRESH_S = 90
"""A sign so young needs no word."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run as a row; `klass` is its step's class, `unplanned` without one."""

    id: str
    href: str
    step: str
    klass: str
    states: tuple[State, ...]
    since: Text | None
    over: Text | None
    reason: Text | None
    remarks: tuple[Text, ...]
    attempt: int
    attempts: int
    machine_s: int
    started_at: datetime | None
    last_sign_at: datetime | None
    progress: Text | None
    metrics: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class StopLine:
    """One line of the stop register; `followed` says what came of it."""

    number: int
    run: str
    href: str
    reason: Text
    said: Text | None
    value: Text | None
    by: Text
    at: datetime
    warned: bool
    config: str | None
    followed: Text
    follower: str | None
    follower_href: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """What rows are read against: the plan that holds, the windows, and the moment."""

    base: str
    plan: PlanView | None
    windows: tuple[Window, ...]
    now: datetime
    is_closed: bool = False

    @property
    def names(self) -> Mapping[str, str]:
        """Our names of metrics → the job's."""
        return dict(self.plan.plan.decision_rule.metrics) if self.plan else {}

    @property
    def titles(self) -> Mapping[str, str]:
        """Ids of steps → their titles."""
        return {step.id: step.title for step in self.plan.plan.steps} if self.plan else {}

    @property
    def watched(self) -> Collection[str]:
        """The metrics that decide, or that a stop rule watches."""
        if self.plan is None:
            return ()
        rules = {rule.metric for rule in self.plan.plan.stop_rules if rule.metric is not None}
        return rules | {self.plan.plan.decision_rule.metric}

    def step_of(self, run: RunView) -> Step | None:
        """The step of the plan that a run works on; None where it is unplanned."""
        return self.plan.step(run.step) if self.plan and run.step else None

    def is_short(self, run: RunView) -> bool:
        """Whether it completed in so little of its estimate that one looks twice."""
        step = self.step_of(run)
        return suspiciously_short(run.status, run.machine_s, step.estimate_s() if step else None)

    @property
    def rules(self) -> tuple[StopRule, ...]:
        """The stop rules of the plan, as its jobs are handed them."""
        return stop_rules(self.plan.plan) if self.plan else ()

    @property
    def last_window_ends_at(self) -> datetime | None:
        """When the last lot can no longer be used."""
        return max((window.usable_until for window in self.windows), default=None)


def run_line(run: RunView, known: Known) -> RunLine:
    """A run as a row."""
    step = known.step_of(run)
    current = next(one for one in run.attempts if one.number == run.attempt)
    return RunLine(
        run.id,
        f"{known.base}/{run.id}",
        step.title if step else run.step or "",
        step.klass.value if step else "unplanned",
        states_of(
            run,
            known.last_window_ends_at,
            known.now,
            short=known.is_short(run),
            is_closed=known.is_closed,
        ),
        since_of(run) or _so_far(run, known),
        over_time_said(run, step.p90_s if step else None),
        reason_of(run, run),
        (*remarks_of(run, known), *_counts(run)),
        run.attempt,
        len(run.attempts),
        run.machine_s,
        run.started_at,
        current.received_at,
        progress_of(run),
        metric_lines(run, known.names, known.watched, METRICS),
    )


def _so_far(run: RunView, known: Known) -> Text | None:
    """Up to when the machine time is told, where a run goes on that last reported some time ago."""
    heard_at = max((one.received_at for one in run.attempts if one.received_at), default=None)
    if known.is_closed or run.status != "running" or heard_at is None:
        return None
    if (known.now - heard_at).total_seconds() < FRESH_S:
        return None
    return text("machine time up to its last sign, {at}", at=heard_at)


def progress_of(run: RunView) -> Text | None:
    """How far the work is; None where the job does not say."""
    if run.progress is None:
        return None
    if run.total is None:
        return text("{done}", done=run.progress)
    return text("{done} of {total}", done=run.progress, total=run.total)


def stop_line(record: StopRecordView, runs: Sequence[RunView], known: Known) -> StopLine:
    """A line of the stop register, with the run that came after it."""
    base = known.base
    run = next((one for one in runs if one.id == record.run), None)
    child = next((one for one in runs if one.parent == record.run), None)
    rules = known.rules if run is None else run.judged_by
    return StopLine(
        record.number,
        record.run,
        f"{base}/{record.run}",
        stop_reason(record),
        _stop_said(record, rules),
        _value_seen(record, rules),
        stop_actor(record),
        record.at,
        record.act == "warn",
        record.config_sha256,
        _followed(record, run),
        child.id if child else None,
        f"{base}/{child.id}" if child else None,
    )


def _stop_said(record: StopRecordView, rules: Sequence[StopRule]) -> Text | None:
    """What the record says of the reason, in words."""
    if record.rule is None:
        return ending_said(record.text)
    return fired_said(rules, record.rule, record.metric, record.value, record.text)


def _value_seen(record: StopRecordView, rules: Sequence[StopRule]) -> Text | None:
    if record.value is None:
        return None
    kind = next((one.kind for one in rules if one.id == record.rule), None)
    value = seen_said(kind, record.value)
    if record.metric is None:
        return value
    return text("{metric} = {value}", metric=record.metric, value=value)


def _followed(record: StopRecordView, run: RunView | None) -> Text:
    if record.act == "warn":
        return text("a warning only")
    attempt = None
    if run is not None:
        attempt = next((one for one in run.attempts if one.number == record.attempt), None)
    if attempt is None or attempt.status in ("running", "planned"):
        return text("asked to stop, the process has not ended yet")
    if attempt.ended_at is None:
        return text("taken over by a later attempt")
    return text("ended {at}", at=attempt.ended_at)


def remarks_of(run: RunView, known: Known) -> tuple[Text, ...]:
    """What else is to be known of a run, in a few words each."""
    found = []
    step = known.step_of(run)
    if step is not None and known.is_short(run):
        took, estimate = seconds_said(run.machine_s), Duration(step.estimate_s())
        found.append(text("took {time}, estimated {estimate}", time=took, estimate=estimate))
    if run.restore is not None and not run.restore.passed:
        found.append(text("the restore check failed"))
    if run.by_tracker:
        found.append(text("as told by the tracker"))
    if (
        run.config_sha256 is None
        and not run.by_tracker
        and run.status not in ("planned", "running")
    ):
        found.append(text("its start was never received"))
    if run.before_seal:
        found.append(text("before the seal"))
    if run.stop_asked is not None and run.status in ("running", "planned"):
        asked = run.stop_asked
        said = rule_said(run, asked.rule, asked.text) if asked.rule is not None else asked.text
        found.append(text("asked to stop: {said}", said=said))
    if run.parent is not None:
        found.append(text("follows {run}", run=run.parent))
    return (*found, *_unseen(unseen(run, known.names)))


def _unseen(waiting: Sequence[Unseen]) -> tuple[Text, ...]:
    """What rules wait for: one is told with its metric, of several how many, and which."""
    if len(waiting) > 1:
        rules = ", ".join(one.rule for one in waiting)
        return (text("{n} rules have seen no value: {rules}", n=len(waiting), rules=rules),)
    return tuple(
        text("rule {rule} has seen no {metric}", rule=one.rule, metric=one.metric)
        for one in waiting
    )


def _counts(run: RunView) -> tuple[Text, ...]:
    """What a run's own page shows in its place."""
    found = []
    if run.gaps:
        found.append(text("events missing: {n}", n=run.gaps))
    if run.redone:
        found.append(ntext("{n} step redone", "{n} steps redone", run.redone))
    return tuple(found)
