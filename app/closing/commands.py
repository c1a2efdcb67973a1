"""Explaining deviations, and the close itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.campaigns.commands import refuse_closed
from app.closing.rules.deviations import CATEGORIES
from app.closing.rules.plain import to_record
from app.closing.rules.report import OUTCOMES, Report, at_the_close
from app.closing.rules.sentences import sentence_problem, tidied
from app.closing.tables import Close, Explanation
from app.db import WriteSession
from app.errors import Conflict, Malformed
from app.journal import Actor, Entry, Head, append, canonical, head, projector
from app.plan.queries import all_sealed
from app.texts import ntext, text


@dataclass(frozen=True, slots=True)
class NewClose:
    """What a person says at the close."""

    outcome: str
    conclusion: str
    with_open_points: bool = False


def explain(
    tx: WriteSession,
    campaign_id: str,
    step: str,
    category: str,
    sentence: str,
    *,
    actor: Actor,
    now: datetime,
) -> Entry:
    """Say why a step deviates; a later explanation of the same step counts instead.

    A draft has promised nothing, so nothing deviates from it.
    """
    if refuse_closed(tx, campaign_id) == "draft":
        raise Conflict(text("Only a sealed plan has deviations; this one is a draft."))
    if category not in CATEGORIES:
        raise Malformed(
            text("There is no category {category}.", category=category),
            field="category",
            allowed=list(CATEGORIES),
        )
    sentence = _sentence(sentence, "sentence")
    planned = [one.id for view in all_sealed(tx.orm, campaign_id) for one in view.plan.steps]
    if step not in planned:
        known = tuple(dict.fromkeys(planned))
        raise Malformed(
            text("{step} is no step of the plan.", step=step[:64]), field="step", allowed=known
        )
    said = {"step": step, "category": category, "sentence": sentence}
    return append(tx, campaign_id, "closing.explained", actor, said, now)


def close(
    tx: WriteSession,
    campaign_id: str,
    new: NewClose,
    report: Report,
    *,
    actor: Actor,
    now: datetime,
) -> Head:
    """Close a campaign with the report that the person saw; returns the journal's last head.

    Refused when something was recorded since the report was made, or when points are open and
    nobody said to close all the same.
    """
    state = refuse_closed(tx, campaign_id)
    if new.outcome not in OUTCOMES:
        raise Malformed(
            text("There is no outcome {outcome}.", outcome=new.outcome),
            field="outcome",
            allowed=list(OUTCOMES),
        )
    conclusion = _sentence(new.conclusion, "conclusion")
    if state == "draft":
        raise Conflict(text("Only a sealed plan can be closed; a draft is deleted instead."))
    _refuse_open(tx, campaign_id, new, report)
    said = {
        "outcome": new.outcome,
        "conclusion": conclusion,
        "open_points": len(report.open_points),
        "report": to_record(at_the_close(report)),
    }
    entry = append(tx, campaign_id, "closing.closed", actor, said, now)
    return Head(entry.number, entry.sha256)


def _refuse_open(tx: WriteSession, campaign_id: str, new: NewClose, report: Report) -> None:
    """Refuse a report that is out of date, or open points that nobody accepted."""
    if head(tx, campaign_id).number != report.head_number:
        raise Conflict(
            text("Something was recorded meanwhile. Look at the report once more, then close.")
        )
    still_open = len(report.open_points)
    if still_open and not new.with_open_points:
        raise Conflict(
            ntext(
                "{n} point is still open. Mend it, or close with open points.",
                "{n} points are still open. Mend them, or close with open points.",
                still_open,
            ),
            field="close_with_open_points",
        )


def _sentence(said: str, field: str) -> str:
    said = tidied(said)
    if problem := sentence_problem(said):
        raise Malformed(problem, field=field)
    return said


@projector("closing.explained", writes=("explanations",))
def project_explanation(tx: WriteSession, entry: Entry) -> None:
    """One row for each explanation given."""
    tx.add(
        Explanation(
            campaign_id=entry.campaign_id,
            number=entry.number,
            step=str(entry.payload["step"]),
            category=str(entry.payload["category"]),
            sentence=str(entry.payload["sentence"]),
            at=entry.at,
            by=entry.actor.name,
        )
    )


@projector("closing.closed", writes=("closes",))
def project_close(tx: WriteSession, entry: Entry) -> None:
    """The close with its report as it was."""
    payload = entry.payload
    tx.add(
        Close(
            campaign_id=entry.campaign_id,
            number=entry.number,
            outcome=str(payload["outcome"]),
            conclusion=str(payload["conclusion"]),
            open_points=int(str(payload["open_points"])),
            report=canonical(payload["report"]).decode(),
            sha256=entry.sha256,
            at=entry.at,
            by=entry.actor.name,
        )
    )
