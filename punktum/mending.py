"""Which attempts of a spool ``punktum replay --run ID`` and ``--step S`` have recorded otherwise.

A spool folder holds many runs, and most of them are right as they are. So ``--run`` means the
attempt whose start was refused, ``--step`` those whose step the plan does not have; where that
does not say which, a file must be named instead of the folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from punktum import reading
from punktum.events import Identity
from punktum.marks import marked_held, marked_named
from punktum.renaming import parent_by
from punktum.sheet import kept_sheet
from punktum.spool import identity_of, read_lines, spool_files, starts_with


class NotClear(ValueError):
    """It was not said which attempts are meant; the text names what to choose from."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: its files, that with the start first, and what its lines and marks say.

    ``names`` are the run id and step that an earlier replay had it recorded under instead.
    """

    identity: Identity
    files: tuple[Path, ...]
    step: str
    config_sha256: str
    is_held: bool
    names: dict[str, str]


def attempts_in(spool: Path) -> list[Attempt]:
    """The attempts of a spool folder, or of a single file of it, in the order they began."""
    groups: dict[tuple[str, str], list[Path]] = {}
    for path in spool_files(spool) if spool.is_dir() else [spool]:
        identity = identity_of(path) or _identity_inside(path)
        if identity is not None:
            groups.setdefault((identity.run, identity.attempt_id), []).append(path)
    return [_attempt(Identity(*names), files) for names, files in groups.items()]


def new_names(
    attempts: Sequence[Attempt], spool: Path, *, run: str | None, step: str | None
) -> dict[str, dict[str, str]]:
    """For each attempt id the names to change. Raises NotClear."""
    changes: dict[str, dict[str, str]] = {}
    if run is not None:
        for attempt in _refused(attempts):
            problem = marked_held(attempt.files[0].parent, attempt.identity) or {}
            changes[attempt.identity.attempt_id] = {**parent_by(problem), "run": run}
    if step is not None:
        for attempt in _of_wrong_step(attempts, spool):
            changes.setdefault(attempt.identity.attempt_id, {})["step"] = step
    return changes


def _refused(attempts: Sequence[Attempt]) -> Sequence[Attempt]:
    held = [attempt for attempt in attempts if attempt.is_held]
    chosen = held or attempts
    if len({(attempt.identity.run, attempt.config_sha256) for attempt in chosen}) > 1:
        raise NotClear(_which("--run", chosen))
    return chosen


def _of_wrong_step(attempts: Sequence[Attempt], spool: Path) -> Sequence[Attempt]:
    if len({attempt.step for attempt in attempts}) <= 1:
        return attempts
    sheet = kept_sheet(spool)
    steps = sheet.steps if sheet is not None else []
    unknown = [attempt for attempt in attempts if steps and attempt.step not in steps]
    if len({attempt.step for attempt in unknown}) != 1:
        raise NotClear(_which("--step", unknown or attempts))
    return unknown


def _which(option: str, attempts: Sequence[Attempt]) -> str:
    files = "\n".join(f"  {attempt.files[0]}" for attempt in attempts)
    return (
        f"{option}: more than one run may be meant; name its file instead of the folder:\n{files}"
    )


def _attempt(identity: Identity, files: list[Path]) -> Attempt:
    ordered = tuple(sorted(files, key=lambda path: (starts_with(path) != "start", path.name)))
    first = next(read_lines(ordered[0]), None)
    event = first.event() if first is not None else {}
    folder = ordered[0].parent
    return Attempt(
        identity,
        ordered,
        reading.text(event.get("step")) or "",
        reading.text(event.get("config_sha256")) or "",
        marked_held(folder, identity) is not None,
        marked_named(folder, identity),
    )


def _identity_inside(path: Path) -> Identity | None:
    """A renamed file still says in its lines whose it is; None for what holds no event."""
    first = next(read_lines(path), None)
    event = first.event() if first is not None else {}
    run, attempt_id = reading.text(event.get("run")), reading.text(event.get("attempt_id"))
    return Identity(run, attempt_id or "") if run is not None else None
