"""Who may accept and reject what: the rule by the checks, a person with a reason."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from app.deliverables.rules.evidence import Result, Status
from app.deliverables.rules.objection import Objection
from app.deliverables.rules.standing import (
    DeliverableStanding,
    State,
    no_longer_completed,
    unpassed,
)
from app.texts import Text, text

VERDICTS = (str(State.ACCEPTED), str(State.REJECTED))
LONGEST = 4000
LONGEST_PLACE = 500


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run that a submission names, as it stands; `status` is None when it is not known."""

    run: str
    status: str | None
    reason_code: str | None = None
    reason_text: str | None = None


def accepts(results: Sequence[Result]) -> bool:
    """Whether the checks speak for it: some were announced, and every one passed."""
    announced = [result for result in results if result.announced]
    return bool(announced) and all(result.status is Status.PASSED for result in announced)


def run_objection(named: NamedRun) -> Text | None:
    """Why a run's output is not taken; None when the run completed.

    An interrupted run never becomes an accepted deliverable.
    """
    run, status, reason = named.run, named.status, named.reason_code or ""
    if status == "completed":
        return None
    if status is None:
        return text(
            "{run} is not known in this campaign: replay its spool, then submit again", run=run
        )
    if status in ("planned", "running"):
        return text("{run} has not ended: submit when it has completed", run=run)
    if reason.startswith("rule:"):
        return text(
            "{run} was stopped by the rule {rule}: evaluate its checkpoint in a new run, "
            "or run a fixed configuration under a new id, and submit that",
            run=run,
            rule=reason.removeprefix("rule:"),
        )
    way = text(
        "finish it under the same id, or evaluate its checkpoint in a new run and submit that"
    )
    if status == "lost":
        return text("{run} is lost: {way}", run=run, way=way)
    why = named.reason_text or reason or text("no reason was given")
    if status == "failed":
        return text("{run} failed ({why}): {way}", run=run, why=why, way=way)
    return text("{run} was interrupted: {way}", run=run, way=way)


def verdict_objections(
    standing: DeliverableStanding, verdict: str, reason: str, submission: int | None
) -> tuple[Objection, ...]:
    """What speaks against a person's verdict; `submission` is the one that the person saw."""
    found: list[Objection] = []
    if verdict not in VERDICTS:
        message = text("Choose one of: {allowed}.", allowed=", ".join(VERDICTS))
        return (Objection("verdict", message, allowed=VERDICTS),)
    if verdict == State.REJECTED and not reason:
        found.append(Objection("reason", text("Why is it rejected? Say what is wrong with it.")))
    wrong = words_objection(reason, LONGEST)
    if wrong is not None:
        found.append(Objection("reason", wrong))
    contradiction = _contradiction(standing, verdict, submission)
    if contradiction is not None:
        found.append(Objection("verdict", contradiction, contradicts=True))
    return tuple(found)


def _contradiction(
    standing: DeliverableStanding, verdict: str, submission: int | None
) -> Text | None:
    newest = standing.newest
    if newest is None:
        return text("Nothing was submitted yet, so there is nothing to judge.")
    if submission is not None and submission != newest.number:
        return text("A newer submission came meanwhile: look at it first.")
    if not standing.announced:
        return text("The newest sealed plan does not announce this deliverable any more.")
    if verdict == State.REJECTED:
        return None
    if standing.state is State.ACCEPTED:
        return text("It is accepted already.")
    if standing.failed or standing.not_run:
        why = unpassed(standing.passed, standing.failed, standing.not_run)
        return text("{why} Only what passed every announced check can be accepted.", why=why)
    if standing.unfinished:
        return no_longer_completed(standing.unfinished)
    return None


def loss_objections(
    standing: DeliverableStanding, reason: str, submission: int | None
) -> tuple[Objection, ...]:
    """What speaks against a person's word that files are lost; `submission` is the one seen."""
    found: list[Objection] = []
    if not reason:
        found.append(Objection("lost", text("How is it known that they are lost? Say it here.")))
    wrong = words_objection(reason, LONGEST)
    if wrong is not None:
        found.append(Objection("lost", wrong))
    newest, message = standing.newest, None
    if newest is None:
        message = text("Nothing was submitted yet, so nothing can be lost.")
    elif submission is not None and submission != newest.number:
        message = text("A newer submission came meanwhile: look at it first.")
    elif standing.retrieved is not None:
        message = text("Its retrieval is proven, so it is not lost.")
    if message is not None:
        found.append(Objection("verdict", message, contradicts=True))
    return tuple(found)


def words_objection(words: str, longest: int) -> Text | None:
    """What is wrong with a text that a person typed."""
    if len(words) > longest:
        return text("At most {n} characters are kept.", n=longest)
    if any(unicodedata.category(sign) in ("Cc", "Cs") and sign != "\n" for sign in words):
        return text("Control characters are not taken; remove them.")
    return None


def place_objections(where: str, seen_on: date | None, today: date) -> tuple[Objection, ...]:
    """What speaks against a statement of where the files lie; None is a day not readable."""
    found: list[Objection] = []
    if not where:
        found.append(Objection("where", text("Where do the files lie? Write a path or address.")))
    wrong = words_objection(where, LONGEST_PLACE)
    if wrong is not None or "\n" in where:
        found.append(Objection("where", wrong or text("Write it on one line.")))
    if seen_on is None:
        day = today.isoformat()
        message = text("Write the day as year, month and day, for example {day}.", day=day)
        found.append(Objection("seen_on", message))
    elif (seen_on - today).days > 1:
        found.append(Objection("seen_on", text("This day has not come yet.")))
    return tuple(found)


def tidy(words: str) -> str:
    """A person's words in one form: NFC, line feeds, no space around."""
    return unicodedata.normalize("NFC", words.replace("\r\n", "\n").strip())
