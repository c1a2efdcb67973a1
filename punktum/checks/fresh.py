"""A command in a new process that knows nothing: new folder, cleared environment, its own time.

The folder holds the deliverable alone (copied, or linked when it is large). While a run of ours
goes on it waits, so that the two do not fight for the GPU.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from punktum import reading, talk
from punktum.checks.verdict import Announced, Subject
from punktum.events import log_tail
from punktum.machine import gpu_is_idle
from punktum.naming import known_attempts
from punktum.signals import leaving_held

KEPT: Final = ("PATH", "VIRTUAL_ENV", "HF_HOME")
TIMEOUT_S: Final = 600
COPIED_UP_TO: Final = 1 << 30
OUTPUT_BYTES: Final = 2048
ASKED_EVERY_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. ``returncode`` None: not in time. ``changed`` is a file that it
    changed where it lies, ``output`` the end of what it printed."""

    returncode: int | None
    output: str
    changed: str | None
    timeout_s: int
    took_s: float
    evidence: dict[str, object]

    @property
    def fault(self) -> str | None:
        """Why it proves nothing; None where it ended with 0 and left the files alone."""
        if self.changed is not None:
            return f"the command changed {self.changed}"
        if self.returncode is None:
            return f"not done after {self.timeout_s} s"
        if self.returncode == 0:
            return None
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        said = f"exit {self.returncode}"
        return f"{said}: {lines[-1][:500]}" if lines else said


def run_fresh(command: str, announced: Announced, subject: Subject) -> Ran:
    """Run a command of a check on the deliverable's files alone."""
    kept = reading.texts(announced.get("keep_env")) if "keep_env" in announced else list(KEPT)
    timeout_s = reading.whole(announced.get("timeout_s")) or TIMEOUT_S
    with tempfile.TemporaryDirectory(prefix="punktum-reload-") as name:
        folder = Path(name) / "files"
        way = lay_out(subject, folder)
        before, began = _standing(subject), time.monotonic()
        returncode, raw = _run(command, folder, clean_environment(kept, os.environ), timeout_s)
        took_s = round(time.monotonic() - began, 1)
        changed = sorted(before.items() ^ _standing(subject).items())
    output = log_tail(raw)[-OUTPUT_BYTES:]
    evidence: dict[str, object] = {
        "command": command,
        "files": way,
        "kept_env": kept,
        "took_s": took_s,
        "output": output,
    }
    if returncode is not None:
        evidence["exit_code"] = returncode
    return Ran(returncode, output, changed[0][0] if changed else None, timeout_s, took_s, evidence)


def busy_with(subject: Subject) -> str | None:
    """A run of ours that goes on beside this process, as the spools tell; None where none does,
    or where the machine's GPUs work for nobody."""
    own = os.environ.get("PUNKTUM_ATTEMPT_ID")
    for folder in _spools(subject):
        for attempt in known_attempts(folder):
            if attempt.alive and attempt.attempt_id != own:
                return None if gpu_is_idle() else attempt.run
    return None


def wait_for_runs(subject: Subject) -> str | None:
    """Wait until no run of ours goes on; where there is to be no waiting, the run that does."""
    run = busy_with(subject)
    if run is None or not subject.waits:
        return run
    talk.say(f"waiting: {run} goes on and may need the GPU; --no-wait leaves this check out")
    while busy_with(subject) is not None:
        time.sleep(ASKED_EVERY_S)
    return None


def _spools(subject: Subject) -> list[Path]:
    """Where a run of ours may write: the named spool, else those around the deliverable."""
    named = os.environ.get("PUNKTUM_SPOOL")
    if named:
        return [Path(named)]
    around = (subject.folder, subject.folder.parent, Path())
    found = {(folder / ".punktum" / "spool").resolve(): None for folder in around}
    return [folder for folder in found if folder.is_dir()]


def clean_environment(kept: list[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Only what was announced, a neutral language, and no downloads from a model hub."""
    clean = {"LANG": "C.UTF-8", "HF_HUB_OFFLINE": "1"}
    clean.update({name: environment[name] for name in kept if name in environment})
    return clean


def lay_out(subject: Subject, folder: Path) -> str:
    """Put the deliverable's files into a fresh folder; says whether as ``copy`` or ``links``."""
    small = sum(entry.size for entry in subject.files) <= COPIED_UP_TO
    folder.mkdir()
    for entry in subject.files:
        source, target = subject.folder / entry.path, folder / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if small:
            shutil.copy2(source, target)
        else:
            target.symlink_to(source.resolve())
    return "copy" if small else "links"


def _standing(subject: Subject) -> dict[str, tuple[int, int]]:
    """Size and time of the last change of every file in the manifest, as it lies there now."""
    found = {}
    for entry in subject.files:
        with contextlib.suppress(OSError):
            standing = (subject.folder / entry.path).stat()
            found[entry.path] = (standing.st_size, standing.st_mtime_ns)
    return found


def _run(
    command: str, folder: Path, environment: dict[str, str], timeout_s: int
) -> tuple[int | None, bytes]:
    """Exit code (None: not in time) and the end of the output, kept in a file meanwhile."""
    with tempfile.TemporaryFile() as output:
        returncode: int | None = None
        process: subprocess.Popen[bytes] | None = None
        try:
            with leaving_held():
                process = subprocess.Popen(
                    ["/bin/sh", "-c", command],
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            with contextlib.suppress(subprocess.TimeoutExpired):
                returncode = process.wait(timeout_s)
        finally:  # also when we are interrupted: its session hears no Ctrl-C
            if process is not None:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - 4 * OUTPUT_BYTES))
        return returncode, output.read()
