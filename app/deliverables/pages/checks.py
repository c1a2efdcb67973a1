"""Checks as a page shows them: what each demands, how it stood, who ran it when and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.deliverables.rules.announced import Promise, label
from app.deliverables.rules.evidence import Result, Status
from app.deliverables.rules.ran import OWN, Ran, ran
from app.deliverables.rules.standing import SubmissionLine
from app.deliverables.rules.words import check_said, evidence_lines
from app.texts import Text


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check: what it demands, how it stands, what client and server say of it."""

    label: Text
    status: str
    detail: str
    note: Text | None
    evidence: tuple[tuple[str, str], ...]
    implied: bool
    ran: Ran | None = None


def unsubmitted(promise: Promise | None) -> tuple[CheckLine, ...]:
    """The announced checks before anything came: not run."""
    checks = promise.checks if promise is not None else ()
    return tuple(
        CheckLine(label(one.check), str(Status.NOT_RUN), "", None, (), one.implied)
        for one in checks
    )


def checked(
    promise: Promise | None, results: Sequence[Result], line: SubmissionLine
) -> tuple[CheckLine, ...]:
    """The announced checks with their results."""
    announced = [result for result in results if result.announced]
    if promise is None or len(promise.checks) != len(announced):
        return tuple(_line(check_said(result.kind), result, line) for result in announced)
    return tuple(
        _line(label(one.check), result, line, implied=one.implied)
        for one, result in zip(promise.checks, announced, strict=True)
    )


def beyond(results: Sequence[Result], line: SubmissionLine) -> tuple[CheckLine, ...]:
    """What was checked although nobody announced it."""
    found = [result for result in results if not result.announced]
    return tuple(_line(check_said(result.kind), result, line) for result in found)


def _line(said: Text, result: Result, line: SubmissionLine, *, implied: bool = False) -> CheckLine:
    note = result.note.said() if result.note is not None else None
    shown = {key: value for key, value in result.evidence.items() if key not in OWN}
    status = str(result.status)
    made = ran(result, line)
    return CheckLine(said, status, result.detail, note, evidence_lines(shown), implied, made)
