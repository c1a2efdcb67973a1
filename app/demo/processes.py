"""Everything that the demo starts, each in a session of its own, and the end of it all."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final

GRACE_S: Final = 10.0
"""How long a process may take to leave after TERM."""


class Ending(RuntimeError):
    """The demo is ending; nothing is started any more."""


class Processes:
    """Child processes that end with the block, whatever ended it.

    They lead their own sessions, so that an interrupt typed in a terminal reaches the demo
    alone, which then ends them in its order: the last one started goes first.
    """

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s
        self._lock = threading.Lock()
        self._running: list[subprocess.Popen[bytes]] = []
        self._ending = False

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    @property
    def ending(self) -> bool:
        """Whether `end` was called."""
        return self._ending

    def start(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        output: IO[bytes] | int | None = None,
        errors: IO[bytes] | int | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a process; raises `Ending` where that is too late."""
        with self._lock:
            if self._ending:
                raise Ending("the demo is ending")
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
            self._running.append(process)
            return process

    def run(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        log: Path,
        timeout_s: float,
    ) -> int:
        """Run a process to its end, its output appended to `log`; the exit code as a shell's.

        Raises `Ending` when the demo ended meanwhile and `TimeoutExpired` after `timeout_s`.
        """
        with log.open("ab") as output:
            process = self.start(
                command,
                folder=folder,
                environment=environment,
                output=output,
                errors=subprocess.STDOUT,
            )
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            _end(process, self._grace_s)
            raise
        with self._lock:
            if self._ending:
                raise Ending("the demo is ending")
            self._running.remove(process)
        return 128 - code if code < 0 else code

    def end(self) -> None:
        """End what still runs; returns when all of it is gone."""
        with self._lock:
            self._ending = True
            running = self._running[::-1]
        for process in running:
            _end(process, self._grace_s)


def _end(process: subprocess.Popen[bytes], grace_s: float) -> None:
    """TERM, some time to leave, then KILL for its whole group."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace_s)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
