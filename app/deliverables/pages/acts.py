"""What happened to one deliverable, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.deliverables.queries import History
from app.deliverables.rules.standing import Loss, Place, Retrieval, State, SubmissionLine, Verdict
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Act:
    """One line of a deliverable's history, newest first."""

    number: int
    at: datetime
    mark: str
    title: Text
    by: Text
    detail: Text | None


def acts_of(history: History) -> tuple[Act, ...]:
    """Every entry of the journal about it as a line."""
    acts = [
        *(_submission(line) for line in history.submissions),
        *(_verdict(verdict) for verdict in history.verdicts),
        *(_retrieval(found) for found in history.retrievals),
        *(_place(found) for found in history.places),
        *(_loss(found) for found in history.losses),
    ]
    return tuple(sorted(acts, key=lambda act: -act.number))


def _submission(line: SubmissionLine) -> Act:
    detail = text(
        "{passed} passed, {failed} failed, {not_run} not run",
        passed=line.passed,
        failed=line.failed,
        not_run=line.not_run,
    )
    title = text("Submitted")
    return Act(line.number, line.at, "submitted", title, _name(line.actor_name), detail)


def _verdict(verdict: Verdict) -> Act:
    title = text("Accepted") if verdict.verdict == State.ACCEPTED else text("Rejected")
    by, detail = _name(verdict.actor_name), None
    if verdict.actor_kind == "rule":
        by, detail = text("by the rule"), text("Every announced check passed.")
    elif verdict.reason:
        detail = text("{reason}", reason=verdict.reason)
    return Act(verdict.number, verdict.at, verdict.verdict, title, by, detail)


def _retrieval(found: Retrieval) -> Act:
    detail = text("The same files were verified on another machine.")
    title = text("Retrieved")
    return Act(found.number, found.at, "retrieved", title, _name(found.host or "–"), detail)


def _place(found: Place) -> Act:
    detail = text("{where}, seen there on {day}", where=found.where, day=found.seen_on)
    title = text("Place stated")
    return Act(found.number, found.at, "placed", title, _name(found.by), detail)


def _loss(found: Loss) -> Act:
    detail = text("{reason}", reason=found.reason)
    return Act(found.number, found.at, "lost", text("Lost"), _name(found.by), detail)


def _name(name: str) -> Text:
    return text("{name}", name=name)
