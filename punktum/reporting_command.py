"""A shell command that reports values of a metric: in lines that it prints, or in a file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from punktum.check_values import VALUES
from punktum.comparing import Value, value_printed, values_in_file
from punktum.death import shell_exit_code
from punktum.events import last_line, log_tail
from punktum.signals import leaving_held

LOOK_EVERY_S: Final = 0.05
TAIL_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class Told:
    """What a command reported: values, checkpoints, when it began, and how it failed, if it did."""

    values: tuple[Value, ...]
    checkpoints: tuple[dict[str, object], ...]
    began_s: float
    failure: str | None

    @property
    def numbers(self) -> list[float]:
        """The values alone."""
        return [value.number for value in self.values]


def do_command(
    command: str, environment: Mapping[str, str], metric: str, look: Callable[[], None]
) -> Told:
    """Run a command to its end in a session of its own.

    ``look`` is called meanwhile; what it raises ends the command. Values in the file named by
    ``PUNKTUM_RESTORE_VALUES`` count before those that were printed.
    """
    began_s = time.monotonic()
    values, first_at_s = Path(environment[VALUES]), None
    child: subprocess.Popen[bytes] | None = None
    try:
        with leaving_held():
            child = _started(command, environment)
        printed, complained = _Reader(child.stdout, metric), _Reader(child.stderr, None)
        while child.poll() is None:
            if first_at_s is None and values.exists():
                first_at_s = time.monotonic()
            look()
            time.sleep(LOOK_EVERY_S)
    finally:
        if child is not None:
            with contextlib.suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL)  # what it left running, or itself
            child.wait()
    printed.join()
    complained.join()
    if first_at_s is None and values.exists():
        first_at_s = time.monotonic()
    found, checkpoints = values_in_file(_text(values), metric)
    since_s = first_at_s or began_s
    filed = [Value(number, since_s if at_s is None else at_s) for number, at_s in found]
    failure = _failure(child.returncode, complained.last_line or printed.last_line)
    return Told(tuple(filed or printed.values), tuple(checkpoints), began_s, failure)


def _started(command: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    )


def _failure(returncode: int, said: str) -> str | None:
    if returncode == 0:
        return None
    return f"left with {shell_exit_code(returncode)}{f': {said}' if said else ''}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


class _Reader(threading.Thread):
    """Reads what a command prints, notes values with their moment, passes it on to our stderr."""

    def __init__(self, stream: IO[bytes] | None, metric: str | None) -> None:
        super().__init__(name="punktum-reader", daemon=True)
        self._stream = stream
        self._metric = metric
        self._tail = b""
        self.values: list[Value] = []
        self.start()

    def run(self) -> None:
        """Until the stream ends."""
        for raw in self._stream or ():
            at_s = time.monotonic()
            self._tail = (self._tail + raw)[-TAIL_BYTES:]
            line = raw.decode("utf-8", "replace")
            if self._metric is not None:
                number = value_printed(line.rstrip().rsplit("\r", 1)[-1], self._metric)
                if number is not None:
                    self.values.append(Value(number, at_s))
            with contextlib.suppress(OSError, ValueError, AttributeError):
                sys.stderr.write(line)

    @property
    def last_line(self) -> str:
        """The last line that says something."""
        return last_line(log_tail(self._tail))
