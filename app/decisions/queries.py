"""Reading the decision log, the open decision points, and what the decision rule says."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.decisions.rules.entering import Ground
from app.decisions.rules.evaluation import Evaluation, evaluate
from app.decisions.rules.log import DecisionEntry, Decisions, read_log
from app.decisions.rules.pilot import Point, Work, open_point
from app.decisions.rules.results import Fired, RunResult, Series
from app.decisions.tables import Decision
from app.plan import queries as plans
from app.plan.queries import PlanView
from app.plan.rules.model import Step
from app.runs import queries as runs
from app.runs.queries import MetricView, RunView


@dataclass(frozen=True, slots=True)
class Desk:
    """All that a decision is taken on: plan, log, open points, the decision rule's word."""

    plan: PlanView
    ground: Ground
    points: tuple[Point, ...]
    evaluation: Evaluation


def read(session: Session, campaign_id: str) -> Decisions:
    """The whole log with what stands after corrections, in one statement."""
    rows = session.exec(
        select(Decision).where(Decision.campaign_id == campaign_id).order_by(col(Decision.number))
    )
    return read_log(_entry(row) for row in rows)


def log(session: Session, campaign_id: str) -> tuple[DecisionEntry, ...]:
    """The entries, newest first."""
    return read(session, campaign_id).entries


def evaluation(session: Session, campaign_id: str, now: datetime) -> Evaluation | None:
    """What the decision rule of the plan that holds says of the runs; None without a plan."""
    view = plans.current(session, campaign_id)
    if view is None:
        return None
    cut = read(session, campaign_id).cut
    found = runs.runs_of(session, campaign_id, now)
    return evaluate(view.plan, results_of(found), cut)


def desk(session: Session, campaign_id: str, now: datetime) -> Desk | None:
    """Everything for the page of decisions; None without a plan."""
    versions = plans.all_sealed(session, campaign_id)
    draft = None if versions else plans.draft(session, campaign_id)
    view = versions[-1] if versions else draft
    if view is None:
        return None
    written = read(session, campaign_id)
    found = runs.runs_of(session, campaign_id, now)
    ground = Ground(view.plan.steps, view.version, written, done_steps(found))
    first = versions[0] if versions else view
    estimates = first.plan.steps
    work = [Work(run.id, run.step or "", run.status, run.machine_s) for run in found]
    points = tuple(
        open_point(
            point,
            [*estimates, *_added(view.plan.steps, estimates)],
            view.plan.decision_points,
            work,
            written.cut,
        )
        for point in ground.open_points
    )
    said = evaluate(view.plan, results_of(found), written.cut)
    return Desk(view, ground, points, said)


def done_steps(found: Iterable[RunView]) -> frozenset[str]:
    """The steps that have a completed run."""
    return frozenset(run.step for run in found if run.status == "completed" and run.step)


def results_of(found: Iterable[RunView]) -> tuple[RunResult, ...]:
    """Runs as the decision rule needs them, in the order in which they were first heard of."""
    return tuple(_result(run, run.step) for run in found if run.step is not None)


@functools.lru_cache(maxsize=8192)
def _result(run: RunView, step: str) -> RunResult:
    return RunResult(
        run=run.id,
        step=step,
        status=str(run.status),
        metrics={metric.name: _series(metric) for metric in run.metrics},
        corpora=run.corpora,
        fired=_fired(run),
        reason_code=run.reason_code,
    )


def _fired(run: RunView) -> Fired | None:
    """The rule that ended the run, with the value that it saw."""
    if run.rule is None:
        return None
    for fired in reversed(run.fired):
        if fired.rule == run.rule:
            return Fired(fired.rule, fired.metric, fired.value, fired.progress)
    return Fired(run.rule)


def _series(metric: MetricView) -> Series:
    """The value at the end counts where one was sent with it, else the last one."""
    final = metric.final if metric.final is not None else metric.last
    return Series(final, metric.high, metric.low)


def _added(steps: Sequence[Step], known: Sequence[Step]) -> list[Step]:
    """Steps of the newest version that the first one did not have."""
    ids = {step.id for step in known}
    return [step for step in steps if step.id not in ids]


def _entry(row: Decision) -> DecisionEntry:
    return DecisionEntry(
        row.number, row.at, row.actor_kind, row.actor_name, row.choice, row.reason,
        row.step, tuple(json.loads(row.cut)), row.version, row.link, row.corrects,
    )  # fmt: skip
