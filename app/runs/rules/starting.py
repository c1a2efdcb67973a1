"""Whether a start becomes an attempt: same configuration, and no other process that is alive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.runs.rules.events import Status
from punktum.configuration import changed_parts


@dataclass(frozen=True, slots=True)
class KnownAttempt:
    """An attempt that a new start meets. `stopping` is the rule that has asked it to stop, `gone`
    are the attempts before it that its client saw gone."""

    attempt_id: str
    number: int
    started: bool
    status: Status
    reason_code: str | None
    stopping: str | None
    silent: bool
    host: str | None
    machine_id: str | None
    gone: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A run that a new start meets: its configuration by its first start, and its attempts."""

    config_sha256: str | None
    config: Mapping[str, Any] | None
    attempts: Sequence[KnownAttempt]

    @property
    def newest(self) -> KnownAttempt | None:
        """The attempt that counts: the last that started, else the last."""
        started = [attempt for attempt in self.attempts if attempt.started]
        found = started or list(self.attempts)
        return found[-1] if found else None

    def is_gone(self, attempt_id: str) -> bool:
        """Whether a later attempt of the run knew this one, and that it was gone."""
        return any(attempt_id in attempt.gone for attempt in self.attempts)


@dataclass(frozen=True, slots=True)
class Starting:
    """A start: its attempt, its configuration, and where it runs."""

    attempt_id: str
    config_sha256: str
    config: Mapping[str, Any] | None
    host: str | None
    machine_id: str | None
    takeover: bool
    gone: frozenset[str]


@dataclass(frozen=True, slots=True)
class Accepted:
    """It starts. `supersedes` is the number of the attempt it takes over from.

    `late`: it tells of an earlier attempt whose record comes after the run's end.
    """

    supersedes: int | None = None
    late: bool = False


@dataclass(frozen=True, slots=True)
class NewIdNeeded:
    """The id belongs to another configuration (`changed`), or its work is over (`status`)."""

    changed: tuple[str, ...]
    status: Status | None = None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptAlive:
    """Another process still reports under this id."""

    attempt_id: str
    host: str | None


Verdict = Accepted | NewIdNeeded | AttemptAlive


def judge_start(known: KnownRun, start: Starting) -> Verdict:
    """What becomes of a start. An attempt that has started before is not asked about again."""
    if known.config_sha256 is not None and known.config_sha256 != start.config_sha256:
        return NewIdNeeded(_changed(known.config, start.config))
    newest = known.newest
    if newest is None or not newest.started or newest.attempt_id == start.attempt_id:
        return Accepted()
    if newest.status is Status.RUNNING:
        return _against_running(newest, start)
    over = newest.status is Status.COMPLETED or (newest.reason_code or "").startswith("rule:")
    if not over:
        return Accepted()
    # Two boxes that were offline may have proposed the same id: which of them began first says
    # nothing of whose work the other's is, and at a start nobody knows how it ends. So only what
    # the run's own client knew of comes home to it; the other goes on under the next id, and both
    # records stay apart whichever came first.
    if known.is_gone(start.attempt_id):
        return Accepted(late=True)
    return NewIdNeeded((), newest.status, _rule_of(newest))


def _against_running(newest: KnownAttempt, start: Starting) -> Verdict:
    if newest.stopping is not None:
        return NewIdNeeded((), newest.status, _rule_of(newest))
    same_host = newest.host is not None and newest.host == start.host
    same_machine = newest.machine_id is not None and newest.machine_id == start.machine_id
    gone = newest.attempt_id in start.gone and (same_host or same_machine)
    if newest.silent or gone or start.takeover:
        return Accepted(supersedes=newest.number)
    return AttemptAlive(newest.attempt_id, newest.host)


def _rule_of(attempt: KnownAttempt) -> str | None:
    code = attempt.reason_code or ""
    return code.removeprefix("rule:") if code.startswith("rule:") else attempt.stopping


def _changed(before: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The parts that differ; the hash itself where the parts are not known."""
    parts = changed_parts(before, now) if before is not None and now is not None else []
    return tuple(parts) or ("config_sha256",)
