"""Reading where deliverables stand, and what is still only on a rented machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from app.deliverables.queries.rows import (
    lines_of,
    losses_of,
    places_of,
    retrievals_of,
    verdicts_of,
)
from app.deliverables.rules.announced import Promise, promises
from app.deliverables.rules.retrieval import Pending, Window, pending, settled
from app.deliverables.rules.standing import (
    Acceptance,
    DeliverableStanding,
    Loss,
    Place,
    Retrieval,
    SubmissionLine,
    Verdict,
    reason_of,
    state_of,
)
from app.deliverables.rules.standing import acceptance as counted
from app.plan import queries as plans
from app.plan.queries import PlanView
from app.plan.rules.model import Plan
from app.plan.rules.retrieving import retrieving
from app.runs.queries import runs_of
from app.runs.queries.windows import windows_of
from app.runs.tables import Run


def standing_of(session: Session, campaign_id: str) -> tuple[DeliverableStanding, ...]:
    """Every deliverable in the order announced, then what is announced no more."""
    view = plans.current(session, campaign_id)
    return standings(session, campaign_id, view.plan if view is not None else None)


def standings(
    session: Session, campaign_id: str, plan: Plan | None
) -> tuple[DeliverableStanding, ...]:
    """`standing_of` for a plan that the caller has read already; five statements at most, and
    one more where a submission names runs."""
    lines = lines_of(session, campaign_id)
    newest: dict[str, SubmissionLine] = {line.deliverable: line for line in lines}
    verdicts: dict[int, Verdict] = {}
    retrieved: dict[int, Retrieval] = {}
    lost: dict[int, Loss] = {}
    if lines:
        verdicts = {found.submission: found for found in verdicts_of(session, campaign_id)}
        retrieved = settled(retrievals_of(session, campaign_id))
        lost = {found.submission: found for found in losses_of(session, campaign_id)}
    places = {found.deliverable: found for found in places_of(session, campaign_id)}
    completed = _completed(session, campaign_id, newest.values())
    announced = promises(plan) if plan is not None else ()
    known = {one.deliverable.id for one in announced}
    left = sorted(set(newest) - known)

    def stand(deliverable: str, promise: Promise | None) -> DeliverableStanding:
        line = newest.get(deliverable)
        number = line.number if line is not None else 0
        count = sum(1 for one in lines if one.deliverable == deliverable)
        named = line.runs if line is not None else ()
        return _standing(
            deliverable, promise, line, count,
            verdicts.get(number), retrieved.get(number), lost.get(number), places.get(deliverable),
            tuple(run for run in named if run not in completed),
        )  # fmt: skip

    found = [stand(one.deliverable.id, one) for one in announced]
    return (*found, *(stand(deliverable, None) for deliverable in left))


def acceptance(session: Session, campaign_id: str) -> Acceptance:
    """How many distinct deliverables are announced and accepted, and what was not."""
    return counted(standing_of(session, campaign_id))


def still_there(
    session: Session,
    campaign_id: str,
    view: PlanView | None,
    found: Sequence[DeliverableStanding],
    now: datetime,
) -> Pending:
    """What no proof shows on another machine, and when pulling it must begin; four statements at
    most."""
    saved = [
        (run.checkpoint.at, run.checkpoint.size)
        for run in runs_of(session, campaign_id, now)
        if run.checkpoint is not None and not run.archived
    ]
    if not saved and all(one.newest is None or one.retrieved is not None for one in found):
        return pending(found, (), None, None, now)
    windows = [
        Window(one.starts_at, one.usable_until) for one in windows_of(session, campaign_id, view)
    ]
    plan = view.plan if view is not None else None
    steps = plan.steps if plan is not None else ()
    planned_s = sum(step.estimate_s() for step in retrieving(steps))
    rate_bps = plan.transfer_rate_bps if plan is not None else None
    return pending(found, windows, rate_bps, planned_s or None, now, saved)


def _standing(
    deliverable: str,
    promise: Promise | None,
    newest: SubmissionLine | None,
    count: int,
    judged: Verdict | None,
    retrieved: Retrieval | None,
    lost: Loss | None,
    place: Place | None,
    unfinished: tuple[str, ...],
) -> DeliverableStanding:
    """One deliverable's standing; checks that changed since its submission are not run."""
    announced_sha256 = promise.sha256 if promise is not None else None
    total = len(promise.checks) if promise is not None else 0
    state = state_of(newest, judged, announced_sha256, unfinished)
    passed, failed, not_run = 0, 0, total
    if newest is not None and announced_sha256 in (None, newest.announced_sha256):
        passed, failed, not_run = newest.passed, newest.failed, newest.not_run
    told = promise.deliverable if promise is not None else None
    return DeliverableStanding(
        id=deliverable,
        title=told.title if told is not None else deliverable,
        kind=str(told.kind) if told is not None else "other",
        essential=told.essential if told is not None else False,
        unit=told.unit if told is not None else False,
        state=state,
        announced=promise is not None,
        passed=passed,
        failed=failed,
        not_run=not_run,
        reason=reason_of(state, newest, judged, announced_sha256, unfinished),
        submissions=count,
        newest=newest,
        judged=judged,
        retrieved=retrieved,
        lost=lost,
        place=place,
        unfinished=unfinished,
    )


def _completed(
    session: Session, campaign_id: str, lines: Iterable[SubmissionLine]
) -> frozenset[str]:
    """Which of the runs that submissions name are recorded as completed."""
    named = {run for line in lines for run in line.runs}
    if not named:
        return frozenset()
    query = select(Run.run_id).where(
        Run.campaign_id == campaign_id,
        col(Run.run_id).in_(named),
        Run.status == "completed",
    )
    return frozenset(session.exec(query))
