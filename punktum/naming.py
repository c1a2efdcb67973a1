"""Run ids: which one to propose, which comes next, and which earlier attempts are plainly gone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from punktum import reading
from punktum.events import ENDS, Identity
from punktum.locks import is_held
from punktum.marks import marked_named
from punktum.spool import identity_of, last_event, read_lines, spool_files


@dataclass(frozen=True, slots=True)
class KnownAttempt:
    """One attempt as this spool tells it, under the names it is recorded by.

    ``end`` is its terminal event, None without one.
    """

    run: str
    attempt_id: str
    step: str
    config_sha256: str
    host: str | None
    end: dict[str, object] | None
    alive: bool

    @property
    def may_go_on(self) -> bool:
        """Whether the server would take another attempt under the same id."""
        if self.end is None:
            return not self.alive
        reason = reading.text(self.end.get("reason_code")) or ""
        return self.end.get("kind") != "finish" and not reason.startswith("rule:")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A run id, the id whose configuration it follows when it is a new one, and the run of the
    same configuration that goes on beside it."""

    run: str
    parent: str | None = None
    beside: str | None = None


def known_attempts(folder: Path) -> list[KnownAttempt]:
    """The attempts whose start lies in this spool, oldest first. One lives as long as any process
    of it: the code inside may go on where its wrapper was killed."""
    found, files = [], spool_files(folder)
    writing: dict[str, list[Path]] = {}
    for path in files:
        if (known := identity_of(path)) is not None:
            writing.setdefault(known.attempt_id, []).append(path)
    for path in files:
        identity = identity_of(path)
        start = _start_of(path)
        if identity is None or start is None:
            continue
        names = marked_named(folder, identity)
        found.append(
            KnownAttempt(
                names.get("run", identity.run),
                identity.attempt_id,
                names.get("step") or reading.text(start.get("step")) or "",
                reading.text(start.get("config_sha256")) or "",
                reading.text(start.get("host")),
                last_event(path, lambda event: event.get("kind") in ENDS),
                any(is_held(one) for one in writing[identity.attempt_id]),
            )
        )
    return found


def propose_run(folder: Path, step: str, config_sha256: str) -> Proposal:
    """The id to use when none was given.

    The newest run of the step goes on under its id when the configuration is the same and it
    neither completed nor was stopped by a rule; otherwise the next free number.
    """
    attempts = [attempt for attempt in known_attempts(folder) if attempt.step == step]
    if not attempts:
        return Proposal(first_id(step))
    newest = attempts[-1]
    if newest.config_sha256 == config_sha256 and newest.may_go_on:
        return Proposal(newest.run)
    taken = {attempt.run for attempt in attempts}
    following = next_id(newest.run)
    while following in taken:
        following = next_id(following)
    is_same = newest.config_sha256 == config_sha256
    beside = newest.run if is_same and newest.alive else None
    return Proposal(following, None if is_same else newest.run, beside)


def first_id(step: str) -> str:
    """The id of a step's first run: ``control-01``."""
    cleaned = re.sub(r"[^A-Za-z0-9._-]+", "-", step).strip("-._")
    return f"{cleaned[:58] or 'run'}-01"


def name_of_the_same(folder: Path, identity: Identity) -> str | None:
    """The id that another attempt of this run and configuration is recorded under instead."""
    same: dict[str, list[tuple[str, str]]] = {}
    for path in spool_files(folder):
        other, start = identity_of(path), _start_of(path)
        if other is None or start is None or other.run != identity.run:
            continue
        config = reading.text(start.get("config_sha256")) or ""
        named = marked_named(folder, other).get("run")
        same.setdefault(other.attempt_id, []).append((config, named or ""))
    own = same.pop(identity.attempt_id, [("", "")])[0][0]
    found = [named for known in same.values() for config, named in known if config == own and named]
    return found[-1] if found else None


def spool_identity(folder: Path, run: str, attempt_id: str) -> Identity:
    """Whose spool an attempt writes to: its files keep the id that it began under."""
    for path in folder.glob("*.jsonl"):
        known = identity_of(path)
        if known is not None and known.attempt_id == attempt_id:
            return Identity(known.run, attempt_id)
    return Identity(run, attempt_id)


def recorded_run(folder: Path, run: str, attempt_id: str) -> str:
    """The id that an attempt is recorded under, as far as its spool knows."""
    return marked_named(folder, spool_identity(folder, run, attempt_id)).get("run", run)


def next_id(run: str) -> str:
    """``a-01`` → ``a-02``, ``a-9`` → ``a-10``, ``trial`` → ``trial-02``."""
    match = re.search(r"(.*?)(\d+)\Z", run)
    if match is None:
        return f"{run[:61]}-02"
    number = str(int(match[2]) + 1).zfill(len(match[2]))
    return f"{match[1]}{number}"[-64:]


INTERRUPTED: Final = (
    "was interrupted: finish it under the same id, or evaluate its checkpoint in a new run and "
    "submit that"
)


def not_completed(folder: Path, run: str) -> str | None:
    """How a run stands that did not complete, as this spool knows it; None for one that did, and
    for one that it does not know."""
    found = [attempt for attempt in known_attempts(folder) if attempt.run == run]
    if not found:
        return None
    end = found[-1].end
    if end is None:
        return "has not ended" if found[-1].alive else "wrote no end: its process is gone"
    if end.get("kind") == "finish":
        return None
    rule, said = reading.text(end.get("rule")), reading.text(end.get("reason_text"))
    if end.get("kind") == "stop" and rule is None:
        return INTERRUPTED  # the server's own words
    how = "failed" if end.get("kind") == "fail" else "was stopped"
    why = said or reading.text(end.get("reason_code"))
    return f"{how}{f' by the rule {rule}' if rule else ''}{f' ({why})' if why else ''}"


def gone_attempts(folder: Path, run: str, host: str) -> list[str]:
    """Earlier attempts of a run on this host that wrote no end and whose process is gone."""
    return [
        attempt.attempt_id
        for attempt in known_attempts(folder)
        if attempt.run == run
        and attempt.end is None
        and not attempt.alive
        and attempt.host in (None, host)
    ]


def _start_of(path: Path) -> dict[str, object] | None:
    try:
        first = next(read_lines(path), None)
    except OSError:
        return None
    return first.event() if first is not None and first.kind == "start" else None
