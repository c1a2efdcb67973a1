"""Small files beside the spool that the processes of one attempt leave for each other.

``stop``: a stop was asked for (by the server, or by a sealed rule judged here). ``held``: the
server refused the start, so later events wait. ``rules``: the sealed rules the start's answer
brought. ``proposed``: nobody named the run id, and the server has not taken it yet. ``named``: the
run id and step under which the attempt is recorded instead. Each is written whole or not at all;
where the folder cannot be written, this process keeps those of its own attempts in memory.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from punktum import reading
from punktum.events import Identity


@dataclass(frozen=True, slots=True)
class StopRequest:
    """Who asked for the end and why. ``rule`` None: a person, or ``on_box`` the job itself;
    ``on_box`` with a rule: it was judged by the client."""

    rule: str | None
    text: str
    on_box: bool = False

    @property
    def by(self) -> str:
        """Who asked, in words."""
        if self.rule is None:
            return "the job itself" if self.on_box else "a person"
        return f"rule {self.rule} (fired on the box)" if self.on_box else f"rule {self.rule}"


def write_whole(path: Path, value: object) -> bool:
    """Replace a JSON file in one step; False when the disk does not take it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        os.replace(beside, path)
    except (OSError, UnicodeError):
        with contextlib.suppress(OSError):
            beside.unlink()
        return False
    return True


def read_whole(path: Path) -> dict[str, object] | None:
    """A JSON object from a file; None when it is absent or cannot be read."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return reading.record(value)


_NO_PLACE: dict[tuple[Path, str], dict[str, dict[str, object]]] = {}
"""The marks of attempts of this process whose folder cannot be written: by folder and attempt."""


def keep_in_memory(folder: Path, identity: Identity) -> None:
    """The folder takes nothing of this attempt, so its marks are known to this process alone."""
    _NO_PLACE.setdefault((folder, identity.attempt_id), {})


def waiting_place(folder: Path, identity: Identity) -> str:
    """Where events of this attempt wait, in words: a folder that there is not is never named."""
    has_place = (folder, identity.attempt_id) not in _NO_PLACE
    return f"in {folder}" if has_place else "in memory only"


def _put(folder: Path, identity: Identity, name: str, value: Mapping[str, object]) -> bool:
    marks = _NO_PLACE.get((folder, identity.attempt_id))
    if marks is None:
        return write_whole(_mark(folder, identity, name), dict(value))
    marks[name] = dict(value)
    return True


def _found(folder: Path, identity: Identity, name: str) -> dict[str, object] | None:
    marks = _NO_PLACE.get((folder, identity.attempt_id))
    return read_whole(_mark(folder, identity, name)) if marks is None else marks.get(name)


def _mark(folder: Path, identity: Identity, name: str) -> Path:
    return folder / f"{identity.run}--{identity.attempt_id}.{name}.json"


def mark_stop(folder: Path, identity: Identity, stop: StopRequest) -> None:
    """Leave word of the first stop asked for; a later one changes nothing."""
    if _found(folder, identity, "stop") is None:
        value = {"rule": stop.rule, "text": stop.text, "on_box": stop.on_box}
        _put(folder, identity, "stop", value)


def marked_stop(folder: Path, identity: Identity) -> StopRequest | None:
    """The stop another process of this attempt learned of."""
    found = _found(folder, identity, "stop")
    if found is None:
        return None
    return StopRequest(
        reading.text(found.get("rule")),
        reading.text(found.get("text")) or "",
        bool(found.get("on_box")),
    )


def mark_held(folder: Path, identity: Identity, problem: Mapping[str, object]) -> bool:
    """Leave word that the start was refused, with the server's reason; False when the disk does
    not take it."""
    return _put(folder, identity, "held", problem)


def marked_held(folder: Path, identity: Identity) -> dict[str, object] | None:
    """The reason for which this attempt's start was refused, None when it was not."""
    return _found(folder, identity, "held")


def settle(folder: Path, identity: Identity) -> None:
    """The start was taken, at once or after all: nothing is held back, and the run id holds."""
    marks = _NO_PLACE.get((folder, identity.attempt_id), {})
    for name in ("held", "proposed"):
        marks.pop(name, None)
        with contextlib.suppress(OSError):  # nothing there, or no folder to leave marks in
            _mark(folder, identity, name).unlink()


def mark_rules(folder: Path, identity: Identity, rules: Mapping[str, object]) -> None:
    """Leave the sealed rules for the code that measures."""
    _put(folder, identity, "rules", rules)


def marked_rules(folder: Path, identity: Identity) -> dict[str, object] | None:
    """The sealed rules the start's answer brought, in their wire form."""
    return _found(folder, identity, "rules")


def mark_proposed(folder: Path, identity: Identity) -> None:
    """Leave word that the run id was proposed by us, and which source tells of the start."""
    _put(folder, identity, "proposed", {"source": identity.source})


def marked_proposed(folder: Path, identity: Identity) -> str | None:
    """The source whose start decides about a proposed id; None once it did, or for a named id."""
    found = _found(folder, identity, "proposed")
    return reading.text(found.get("source")) if found is not None else None


def awaits_start(folder: Path, identity: Identity) -> bool:
    """Whether another source's start has yet to decide which run this source belongs to."""
    return marked_proposed(folder, identity) not in (None, identity.source)


def mark_named(folder: Path, identity: Identity, names: Mapping[str, str]) -> bool:
    """Leave word of the ``run`` and ``step`` that this attempt is recorded under instead, and of
    the ``parent`` it follows then; False when the disk does not take it."""
    return _put(folder, identity, "named", names)


def mark_taken(folder: Path, identity: Identity, names: Mapping[str, str], was_known: bool) -> None:
    """The start was taken under these names; a step that was known before stays what it was: that
    of the lines, or the one that it was recorded with instead."""
    kept = dict(names)
    if was_known:
        kept.pop("step", None)
        before = marked_named(folder, identity).get("step")
        kept.update({} if before is None else {"step": before})
    if kept:
        mark_named(folder, identity, kept)


def marked_named(folder: Path, identity: Identity) -> dict[str, str]:
    """The ``run`` and ``step`` that count instead of those in the lines, and the ``parent`` of a
    start that names none; empty when the lines count."""
    found = _found(folder, identity, "named") or {}
    names = ("run", "step", "parent")
    return {name: said for name in names if (said := reading.text(found.get(name)))}
