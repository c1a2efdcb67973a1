"""Judging the evidence of a submission against what was announced.

The client ran the checks on the files; the server has only the manifest and what the client
wrote down, and finds out from these what a passed check contradicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from app.deliverables.rules.announced import Announced, Promise
from app.deliverables.rules.manifest import File
from app.deliverables.rules.notes import Note
from app.deliverables.rules.recheck import BaseRevision, Content, recheck


class Status(StrEnum):
    """How one check stands; a check that could not be run has neither passed nor failed."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Posted:
    """One check as the client sent it."""

    kind: str
    passed: bool
    not_run: bool = False
    detail: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """One check as it stands after the server looked; `note` is what the server found itself.

    `announced` is False for a check that the client sent although the plan does not ask for it.
    """

    kind: str
    status: Status
    detail: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)
    note: Note | None = None
    announced: bool = True


def judged(
    promise: Promise,
    posted: Sequence[Posted],
    files: Sequence[File],
    base: BaseRevision | None,
    reload_command: str | None,
) -> tuple[Result, ...]:
    """Every announced check in its order, then what was sent beyond them.

    The n-th posted check of a kind answers the n-th announced one of that kind.
    """
    content = Content(tuple(files), base, reload_command)
    by_kind: dict[str, list[Posted]] = {}
    for one in posted:
        by_kind.setdefault(one.kind, []).append(one)
    taken: Counter[str] = Counter()
    results: list[Result] = []
    for announced in promise.checks:
        kind = str(announced.check.kind)
        answers = by_kind.get(kind, [])
        answer = answers[taken[kind]] if taken[kind] < len(answers) else None
        taken[kind] += 1
        results.append(_result(announced, answer, content))
    beyond = [one for kind, answers in by_kind.items() for one in answers[taken[kind] :]]
    return (*results, *(_beyond(one) for one in beyond))


def _result(announced: Announced, answer: Posted | None, content: Content) -> Result:
    kind = str(announced.check.kind)
    if answer is None and not announced.implied:
        return Result(kind, Status.NOT_RUN, note=Note("not_sent"))
    if answer is None:
        note = recheck(announced, {}, content)
        return Result(kind, Status.FAILED if note else Status.PASSED, note=note)
    note = None if answer.not_run else recheck(announced, answer.evidence, content)
    status = Status.FAILED if note is not None else _status(answer)
    return Result(kind, status, answer.detail, answer.evidence, note)


def _status(answer: Posted) -> Status:
    """What the client says of a check."""
    if answer.not_run:
        return Status.NOT_RUN
    return Status.PASSED if answer.passed else Status.FAILED


def _beyond(answer: Posted) -> Result:
    status = _status(answer)
    return Result(answer.kind, status, answer.detail, answer.evidence, announced=False)


def count(results: Sequence[Result], status: Status) -> int:
    """How many announced checks stand like this."""
    return sum(1 for result in results if result.announced and result.status is status)
