"""``reload``: the announced command loads the files again, in a new process that knows nothing.

It runs in a fresh folder that holds the deliverable alone (copied, or linked when it is large),
with a cleared environment but for ``keep_env``, within ``timeout_s``. Exit 0 passes.
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
from pathlib import Path
from typing import Final

from punktum import reading, talk
from punktum.checks.verdict import Announced, Subject, Verdict
from punktum.events import last_line, log_tail
from punktum.signals import leaving_held

KIND: Final = "reload"
KEPT: Final = ("PATH", "VIRTUAL_ENV", "HF_HOME")
TIMEOUT_S: Final = 600
COPIED_UP_TO: Final = 1 << 30
OUTPUT_BYTES: Final = 2048


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when the command leaves with 0 in time."""
    command = reading.text(announced.get("command"))
    if not command:
        return Verdict(KIND, False, "no command was announced")
    kept = reading.texts(announced.get("keep_env")) if "keep_env" in announced else list(KEPT)
    timeout_s = reading.whole(announced.get("timeout_s")) or TIMEOUT_S
    talk.say(f"reload: {command}")
    with tempfile.TemporaryDirectory(prefix="punktum-reload-") as name:
        folder = Path(name) / "files"
        way = lay_out(subject, folder)
        before, began = _standing(subject), time.monotonic()
        returncode, output = _run(command, folder, clean_environment(kept, os.environ), timeout_s)
        took_s = round(time.monotonic() - began, 1)
        changed = sorted(before.items() ^ _standing(subject).items())
    tail = log_tail(output)[-OUTPUT_BYTES:]
    evidence: dict[str, object] = {
        "command": command,
        "files": way,
        "kept_env": kept,
        "took_s": took_s,
        "output": tail,
    }
    if changed:
        return Verdict(KIND, False, f"the command changed {changed[0][0]}", evidence)
    if returncode is None:
        return Verdict(KIND, False, f"not done after {timeout_s} s", evidence)
    evidence["exit_code"] = returncode
    if returncode != 0:
        said = last_line(tail)
        return Verdict(
            KIND, False, f"exit {returncode}: {said}" if said else f"exit {returncode}", evidence
        )
    return Verdict(KIND, True, f"exit 0 in {took_s} s, new process", evidence)


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
