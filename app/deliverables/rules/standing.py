"""Where a deliverable stands: `announced → submitted → accepted / rejected`, by its newest
submission and the newest verdict on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from app.texts import Text, text


class State(StrEnum):
    """The states of a deliverable."""

    ANNOUNCED = "announced"
    SUBMITTED = "submitted"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class SubmissionLine:
    """A submission without its files and evidence. `number` is that of its journal entry;
    the counts are of the checks announced at its time; `size_bytes` is the sum of all files."""

    number: int
    deliverable: str
    submission_id: str
    at: datetime
    actor_kind: str
    actor_name: str
    announced_sha256: str
    runs: tuple[str, ...]
    files: int
    size_bytes: int
    manifest_sha256: str
    base: str | None
    base_revision: str | None
    reload_command: str | None
    passed: int
    failed: int
    not_run: int
    machine_id: str | None
    host: str | None
    made_at: datetime | None
    tool: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on one submission; by the rule when all checks passed, or by a person."""

    number: int
    deliverable: str
    submission: int
    at: datetime
    actor_kind: str
    actor_name: str
    verdict: str  # accepted | rejected
    reason: str | None


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Proof that a submission's files lie on a machine other than the maker's.

    `reloaded` is how the checks that load them stood there: passed, failed, not_run; None where
    none is announced.
    """

    number: int
    deliverable: str
    submission: int
    at: datetime
    host: str | None
    machine_id: str
    reloaded: str | None = None


@dataclass(frozen=True, slots=True)
class Loss:
    """What a person said: these files are lost, and how that is known."""

    number: int
    deliverable: str
    submission: int
    at: datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person says that the files lie, and when they were seen there."""

    number: int
    deliverable: str
    where: str
    seen_on: date
    at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class DeliverableStanding:
    """One deliverable with all that decides where it stands.

    `announced` is False when the newest sealed plan no longer announces it; `reason` says why
    something that came is not accepted; `unfinished` are runs it names that are not completed.
    """

    id: str
    title: str
    kind: str
    essential: bool
    unit: bool
    state: State
    announced: bool
    passed: int
    failed: int
    not_run: int
    reason: Text | None
    submissions: int
    newest: SubmissionLine | None
    judged: Verdict | None
    retrieved: Retrieval | None
    place: Place | None
    unfinished: tuple[str, ...] = ()
    lost: Loss | None = None

    @property
    def checks(self) -> int:
        """How many checks must pass."""
        return self.passed + self.failed + self.not_run


@dataclass(frozen=True, slots=True)
class Rejection:
    """What came but does not stand accepted, with why."""

    deliverable: str
    title: str
    state: str
    reason: Text


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Counts of distinct announced deliverables, however often each was submitted."""

    announced: int
    accepted: int
    announced_units: int
    accepted_units: int
    rejections: tuple[Rejection, ...]


def state_of(
    newest: SubmissionLine | None,
    judged: Verdict | None,
    announced_sha256: str | None,
    unfinished: Sequence[str] = (),
) -> State:
    """The state; an acceptance holds only for the checks that are announced now, and only while
    every run that the submission names is recorded as completed.

    `announced_sha256` is None for what is announced no more: it keeps the verdict it had.
    `unfinished` are the runs of the submission that are not completed: evidence that came late
    may show that one was stopped after all.
    """
    if newest is None:
        return State.ANNOUNCED
    if judged is None or judged.submission != newest.number:
        return State.SUBMITTED
    if judged.verdict == State.REJECTED:
        return State.REJECTED
    if announced_sha256 not in (None, newest.announced_sha256):
        return State.SUBMITTED
    return State.SUBMITTED if unfinished else State.ACCEPTED


def reason_of(
    state: State,
    newest: SubmissionLine | None,
    judged: Verdict | None,
    announced_sha256: str | None,
    unfinished: Sequence[str] = (),
) -> Text | None:
    """Why what came is not accepted; None when it is, or when nothing came."""
    if newest is None or state is State.ACCEPTED:
        return None
    if state is State.REJECTED and judged is not None:
        return text("{reason}", reason=judged.reason or "–")
    if announced_sha256 not in (None, newest.announced_sha256):
        return text("The announced checks changed after this submission: verify again.")
    if unfinished:
        return no_longer_completed(unfinished)
    return unpassed(newest.passed, newest.failed, newest.not_run)


def no_longer_completed(runs: Sequence[str]) -> Text:
    """The sentence for runs of a submission that evidence which came late has shown otherwise."""
    return text(
        "No longer recorded as completed: {runs}. Submit again from completed runs.",
        runs=tuple(runs),
    )


def unpassed(passed: int, failed: int, not_run: int) -> Text:
    """The sentence for checks that keep a submission from being accepted."""
    total = passed + failed + not_run
    if not total:
        return text("No check was announced, so a person decides.")
    if failed and not_run:
        return text(
            "{failed} of {total} checks failed, {not_run} not run.",
            failed=failed,
            total=total,
            not_run=not_run,
        )
    if failed:
        return text("{failed} of {total} checks failed.", failed=failed, total=total)
    if not_run:
        return text("{not_run} of {total} checks not run.", not_run=not_run, total=total)
    return text("All {total} checks passed; a person has not accepted it yet.", total=total)


def acceptance(standings: Sequence[DeliverableStanding]) -> Acceptance:
    """The counts for the budget and the close: only what is announced now counts."""
    mine = [standing for standing in standings if standing.announced]
    accepted = [standing for standing in mine if standing.state is State.ACCEPTED]
    return Acceptance(
        len(mine),
        len(accepted),
        sum(1 for standing in mine if standing.unit),
        sum(1 for standing in accepted if standing.unit),
        tuple(
            Rejection(standing.id, standing.title, str(standing.state), standing.reason)
            for standing in mine
            if standing.reason is not None
        ),
    )
