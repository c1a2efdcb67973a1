"""What the client knows of its runs, written into a folder that ``punktum init`` laid out.

All of it is read from the spool: parameters from the start, measurements from the beats, reasons
from the ends. Lines are only ever added, and a file that is there already is not written again.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from punktum import reading, talk
from punktum.events import ENDS
from punktum.locks import is_held
from punktum.marks import read_whole, write_whole
from punktum.naming import recorded_run
from punktum.spool import identity_of, read_lines, spool_files

PARAMETERS, MEASUREMENTS, REASONS = "parameters.json", "measurements.jsonl", "stop_reasons.jsonl"
EVERY_S: Final = 10.0
AT_ONCE: Final = 10_000
"""So many lines wait in memory at most."""
_OUTCOMES: Final = {"finish": "completed", "fail": "failed", "stop": "stopped"}
_MEASURED: Final = ("progress", "total", "metrics", "inputs")
_ENDED: Final = ("reason_code", "reason_text", "rule", "exit_code", "signal", "progress")
_KNOWN: Final = ("step", "config_sha256", "parent", "command", "host", "lot", "gpus", "client")


def runs_folder(output: Path) -> Path | None:
    """Where the record of runs goes; None for a folder that was not laid out."""
    layout = read_whole(output / ".punktum" / "layout.json")
    name = reading.text((layout or {}).get("runs"))
    if name is None or "/" in name or name.startswith("."):
        return None
    return output / name


class Filler:
    """Fills in one attempt while it lasts. Its faults are said once and disturb nothing."""

    def __init__(self, output: Path, spool: Path, attempt_id: str) -> None:
        self._output = Path(os.path.abspath(output))
        self._spool, self._attempt_id = spool, attempt_id
        self._lock = threading.Lock()
        self._filled_at = time.monotonic()  # by the first time the run's id is settled
        self._has_failed = False

    def tick(self) -> None:
        """Fill in what is new, now and then."""
        if time.monotonic() - self._filled_at >= EVERY_S:
            self.fill()

    def fill(self) -> None:
        """Fill in what is new."""
        with self._lock:
            self._filled_at = time.monotonic()
            try:
                fill_attempt(self._output, self._spool, self._attempt_id)
            except (OSError, ValueError) as error:
                if not self._has_failed:
                    talk.say(f"{self._output} is not filled in: {error}; the spool has it all")
                self._has_failed = True


def fill_all(output: Path, spool: Path) -> None:
    """Fill in every attempt of a spool that nobody works on: a killed wrapper left it behind."""
    attempts: dict[str, list[Path]] = {}
    for path in spool_files(spool):
        identity = identity_of(path)
        if identity is not None:
            attempts.setdefault(identity.attempt_id, []).append(path)
    for attempt_id, files in attempts.items():
        if not any(is_held(path) for path in files):
            fill_attempt(output, spool, attempt_id)


def fill_attempt(output: Path, spool: Path, attempt_id: str) -> None:
    """Add what the spool holds of an attempt since the last time. Raises OSError."""
    runs = runs_folder(output)
    if runs is None:
        return
    files = [path for path in spool_files(spool) if _attempt_of(path) == attempt_id]
    if not files:
        return
    place = output / ".punktum" / "filled" / f"{attempt_id}.json"
    state = read_whole(place) or {}
    name = reading.text(state.get("run")) or _recorded(spool, files[0])
    copied = dict(reading.record(state.get("copied")))
    measurements: list[Mapping[str, object]] = []
    reasons: list[Mapping[str, object]] = []
    for path in files:
        for line in read_lines(path, reading.whole(copied.get(path.name)) or 0):
            event = line.event()
            if line.kind == "start":
                _write_parameters(runs / name, name, event)
            measurements += _measurement(event)
            reasons += _reason(event)
            copied[path.name] = line.end
            if len(measurements) >= AT_ONCE:
                _add(runs / name / MEASUREMENTS, measurements)
                measurements = []
    if copied == reading.record(state.get("copied")):
        return
    _add(runs / name / MEASUREMENTS, measurements)
    _add(runs / name / REASONS, reasons)
    write_whole(place, {"run": name, "copied": copied})


def _attempt_of(path: Path) -> str | None:
    identity = identity_of(path)
    return identity.attempt_id if identity is not None else None


def _recorded(spool: Path, path: Path) -> str:
    identity = identity_of(path)
    assert identity is not None
    return recorded_run(spool, identity.run, identity.attempt_id)


def _write_parameters(folder: Path, run: str, start: Mapping[str, object]) -> None:
    """The configuration of a run; all its attempts have the same."""
    config = reading.record(start.get("config"))
    said: dict[str, object] = {"run": run}
    said.update({key: start[key] for key in _KNOWN if key in start})
    said["parameters"] = config.pop("params", {})
    said.update(config)
    said["not_counted"] = start.get("not_config", {})
    said["started_at"] = start.get("at")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(folder / PARAMETERS, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return
    with open(descriptor, "w", encoding="utf-8") as stream:
        json.dump(said, stream, ensure_ascii=False, indent=2)
        stream.write("\n")


def _measurement(event: Mapping[str, object]) -> list[Mapping[str, object]]:
    """A line where the event says values; an end repeats the newest ones, which are there."""
    if event.get("kind") in ENDS or not (event.get("metrics") or event.get("inputs")):
        return []
    return [{**_whose(event), **{key: event[key] for key in _MEASURED if key in event}}]


def _reason(event: Mapping[str, object]) -> list[Mapping[str, object]]:
    kind = reading.text(event.get("kind")) or ""
    if kind in ENDS:
        ended = {key: event[key] for key in _ENDED if key in event}
        return [{**_whose(event), "outcome": _OUTCOMES[kind], **ended}]
    fired = event.get("fired")
    return [{**_whose(event), "fired": fired}] if fired else []


def _whose(event: Mapping[str, object]) -> dict[str, object]:
    return {key: event.get(key) for key in ("at", "elapsed_s", "attempt_id", "source", "seq")}


def _add(path: Path, lines: Iterable[Mapping[str, object]]) -> None:
    """Add lines in one write, so that two processes do not tear each other's."""
    raw = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()
    if not raw:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    descriptor = os.open(path, flags, 0o644)
    try:
        os.write(descriptor, raw)
    finally:
        os.close(descriptor)
