"""The deliverables of a report, each with what its checks found and where its files are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from app.closing.rules.report import CheckLine, DeliverableLine
from app.deliverables.queries import evidence, still_there
from app.deliverables.rules.announced import Promise, label, promises
from app.deliverables.rules.evidence import Result
from app.deliverables.rules.ran import ran
from app.deliverables.rules.standing import DeliverableStanding
from app.deliverables.rules.words import check_said
from app.plan.queries import PlanView


def delivered_lines(
    session: Session,
    campaign_id: str,
    plan: PlanView,
    delivered: Sequence[DeliverableStanding],
    now: datetime,
) -> tuple[DeliverableLine, ...]:
    """Every deliverable as the report tells it; four statements."""
    wanted = {one.deliverable.id: one for one in promises(plan.plan)}
    left = still_there(session, campaign_id, plan, delivered, now)
    numbers = [one.newest.number for one in delivered if one.newest is not None]
    found = evidence(session, campaign_id, numbers) if numbers else {}
    lines = []
    for one in delivered:
        where = left.of(one.id)
        results = found.get(one.newest.number, ()) if one.newest is not None else ()
        lines.append(
            DeliverableLine(
                id=one.id,
                title=one.title,
                essential=one.essential,
                unit=one.unit,
                state=one.state,
                passed=one.passed,
                checks=one.passed + one.failed + one.not_run,
                reason=one.reason,
                place=one.place.where if one.place else None,
                files_are=str(where) if where is not None else None,
                reloaded=one.retrieved.reloaded if one.retrieved is not None else None,
                evidence=_evidence(one, wanted.get(one.id), results),
            )
        )
    return tuple(lines)


def _evidence(
    standing: DeliverableStanding, promise: Promise | None, results: Sequence[Result]
) -> tuple[CheckLine, ...]:
    """The announced checks of the newest submission, unless other ones are announced by now."""
    line, mine = standing.newest, [result for result in results if result.announced]
    if line is None or (promise is not None and promise.sha256 != line.announced_sha256):
        return ()
    labels = [check_said(result.kind) for result in mine]
    if promise is not None and len(promise.checks) == len(mine):
        labels = [label(one.check) for one in promise.checks]
    lines = []
    for demands, result in zip(labels, mine, strict=True):
        made = ran(result, line)
        note = result.note.said() if result.note is not None else None
        lines.append(
            CheckLine(
                demands,
                str(result.status),
                result.detail,
                note,
                made.by,
                made.host,
                made.at,
                made.tool,
                made.output,
            )
        )
    return tuple(lines)
