"""What a tracker told, as events of ours: planned until the first value, then a start, an end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from app.runs.rules.events import TRACKER, Event, Kind
from app.runs.rules.tracker import STEP_TAG, Created, Logged, Moment, Reference, shown
from punktum.configuration import configuration

_COMMIT_TAG: Final = "mlflow.source.git.commit"
_NOTE_TAG: Final = "mlflow.note.content"
_REVISION: Final = re.compile(r"[0-9a-f]{7,64}\Z")
ENDS_AS: Final[Mapping[str, tuple[Kind, str | None]]] = {
    "FINISHED": (Kind.FINISH, None),
    "FAILED": (Kind.FAIL, "code_error"),
    "KILLED": (Kind.STOP, "operator"),
}
"""A tracker's word for an end → the kind of our event and its reason."""
GOES_ON: Final = frozenset({"RUNNING", "SCHEDULED"})


def creation_event(ref: Reference, said: Created) -> Event:
    """The first word of a run: planned, until a start is written."""
    named = f" “{said.name}”" if said.name else ""
    note = shown(f"told by a tracker: run{named}", 500)
    fields: dict[str, Any] = {"event_id": "created", "note": note}
    if not ref.attached:
        fields |= {"step": said.step, "tags": _kept(said.tags)}
    at_us = None if ref.attached else said.started_us
    return _event(ref.attempt_id, ref.run, Kind.BEAT, at_us, fields)


def start_event(
    attempt_id: str,
    run: str,
    step: str,
    params: Mapping[str, str],
    tags: Mapping[str, str],
    at_us: int | None,
) -> Event:
    """A start with the parameters that are known by now as its configuration."""
    commit = tags.get(_COMMIT_TAG, "")
    found = configuration(params, git_commit=commit if _REVISION.match(commit) else None)
    fields: dict[str, Any] = {
        "event_id": "start",
        "step": shown(tags.get(STEP_TAG) or step, 64),
        "config_sha256": found.sha256,
        "config": found.parts,
        "client": "a tracker's client",
    }
    if found.not_config:
        fields["not_config"] = found.not_config
    return _event(attempt_id, run, Kind.START, at_us, fields)


def log_events(
    attempt_id: str,
    run: str,
    said: Logged,
    *,
    began_us: int | None,
    progress: int | None,
    started: bool,
    event_id: str,
) -> list[Event]:
    """The events of one call, the last of which carries the name that a repetition is known by.

    `began_us` is when the attempt began, so that its hours can be judged; None where another
    source measures them. `progress` never goes back: trackers number some metrics by epoch.
    """
    notes = [*said.notes, *_tag_notes(said.tags)]
    fields: dict[str, Any] = {}
    if said.params:
        fields["params"] = _cleaned(said.params)
        if not started:
            notes.append(f"parameters told: {', '.join(fields['params'])}")
        else:
            late = ", ".join(f"{name} = {value}" for name, value in fields["params"].items())
            notes.append(f"told after the start, no part of the configuration: {late}")
    if said.tags:
        fields["tags"] = _kept(said.tags)
    notes_left = [shown(note, 500) for note in notes]
    bodies: list[tuple[int | None, dict[str, Any]]] = []
    if fields or notes_left:
        first = {"note": notes_left.pop(0)} if notes_left else {}
        bodies.append((None, {**fields, **first}))
    bodies += [(None, {"note": note}) for note in notes_left]
    for moment in said.values:
        if moment.step > 0:
            progress = max(moment.step, progress or 0)
        bodies.append((moment.at_us, _measured(moment, progress, began_us)))
    if bodies:
        bodies[-1][1]["event_id"] = event_id
    return [_event(attempt_id, run, Kind.BEAT, at_us, body) for at_us, body in bodies]


def end_event(attempt_id: str, run: str, status: str, at_us: int | None) -> Event:
    """How the tracker says that its run ended."""
    kind, reason = ENDS_AS[status]
    fields: dict[str, Any] = {"event_id": f"ended {status}"}
    if reason is not None:
        fields |= {"reason_code": reason, "reason_text": f"the tracker was told: {status}"}
    return _event(attempt_id, run, kind, at_us, fields)


def note_event(attempt_id: str, run: str, note: str, event_id: str) -> Event:
    """A line for the run's log."""
    fields = {"note": shown(note, 500), "event_id": event_id}
    return _event(attempt_id, run, Kind.BEAT, None, fields)


def _event(
    attempt_id: str, run: str, kind: Kind, at_us: int | None, fields: Mapping[str, Any]
) -> Event:
    return Event(run, attempt_id, TRACKER, None, kind, at_us, fields)


def _measured(moment: Moment, progress: int | None, began_us: int | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"metrics": dict(moment.values)}
    if progress is not None:
        fields["progress"] = progress
    if began_us is not None and moment.at_us is not None:
        fields["elapsed_s"] = min(max(0, moment.at_us - began_us) // 1_000_000, 10**9)
    return fields


def _cleaned(params: Mapping[str, str]) -> dict[str, str]:
    """Parameters as they may be written down: secrets and logins hidden, long values by hash."""
    found = configuration(params)
    counted = found.parts["params"]
    return {**(counted if isinstance(counted, dict) else {}), **found.not_config}


def _kept(tags: Mapping[str, str]) -> dict[str, str]:
    wanted = (STEP_TAG, _COMMIT_TAG)
    return {name: shown(tags[name], 200) for name in wanted if name in tags}


def _tag_notes(tags: Mapping[str, str]) -> list[str]:
    """Tags that people set; those that the tracker sets for itself say nothing new."""
    ours = {
        name: said for name, said in tags.items() if not name.startswith(("mlflow.", "punktum."))
    }
    notes = [tags[_NOTE_TAG]] if tags.get(_NOTE_TAG) else []
    return notes + [f"tag {name}: {said}" for name, said in ours.items()]
