"""Leaving the terminal: ``punktum run --detach``, and the hint for those who did not.

The wrapper goes on in a process of its own session, with its output in a file. The process that
was called waits for its first word, at most as long as a start is tried, and leaves.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from punktum import reading, talk
from punktum.calling import line
from punktum.naming import first_id

FIRST_WORD_S: Final = 8.0
"""A start is tried for 5 s. Nobody waits for a large corpus to be hashed beforehand."""
ROOM_BYTES: Final = 1 << 16
"""A disk without room for so much output is full."""
HINT: Final = "if this terminal goes, the run continues; --detach leaves it"

Tell = Callable[[str | None, int | None], None]
"""Tells the run id once the command runs, or the exit code of one that does not."""


@dataclass(frozen=True, slots=True)
class Left:
    """What went on in the background; ``code`` is set where nothing did."""

    pid: int
    log: str
    run: str | None = None
    code: int | None = None

    def form(self, output: str | None) -> dict[str, object]:
        """For ``--json``."""
        return {"run": self.run, "pid": self.pid, "log": self.log, **_ways(self.pid, output)}

    def lines(self, output: str | None) -> list[str]:
        """For a person."""
        form = {**self.form(output), "run": self.run or "not known yet"}
        return [f"{name:<5} {text}" for name, text in form.items()]


def needs_hint(environment: Mapping[str, str]) -> bool:
    """Whether the run hangs on a terminal that may go: on one, outside tmux, screen and nohup."""
    if any(environment.get(name) for name in ("TMUX", "STY")):
        return False
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # nohup
        return False
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:
        return False


def leave_terminal(step: str, output: str | None, go_on: Callable[[Tell], int]) -> Left:
    """Fork: the copy leaves the terminal and does ``go_on``; this process hears its first word.

    To be called before any thread is started. Never returns in the copy.
    """
    log, descriptor = _open_log(Path(output or "."), step)
    reader, writer = os.pipe()
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        os.close(reader)
        _become_background(descriptor, writer, go_on)
    os.close(writer)
    os.close(descriptor)
    try:
        word = _first_word(reader)
    except KeyboardInterrupt:  # it goes on all the same, so it must be said how to end it
        word = {}
    _repeat(log)
    return Left(process, log, reading.text(word.get("run")), reading.whole(word.get("code")))


def _ways(pid: int, output: str | None) -> dict[str, object]:
    where = ("--output", output) if output else ()
    return {"look": line("status", *where), "end": f"kill -INT {pid}"}


def _open_log(output: Path, step: str) -> tuple[str, int]:
    """A new file beside the spool, where no manifest looks for deliverables."""
    name = f"{first_id(step)[:-3]}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    folder = output / ".punktum" / "logs"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, 1000):
            path = folder / (f"{name}.log" if number == 1 else f"{name}-{number}.log")
            with contextlib.suppress(FileExistsError):
                descriptor = os.open(path, flags, 0o644)
                _find_room(descriptor)
                return str(path), descriptor
    except OSError as error:
        talk.say(f"cannot write {folder}: {error.strerror}; the output is not kept")
    return os.devnull, os.open(os.devnull, os.O_WRONLY)


def _find_room(descriptor: int) -> None:
    """Raises OSError where the disk takes nothing: a full one would break the training's prints."""
    reserve = getattr(os, "posix_fallocate", None)
    if reserve is None:
        return
    try:
        reserve(descriptor, 0, ROOM_BYTES)
        os.ftruncate(descriptor, 0)
    except OSError:
        os.close(descriptor)
        raise


def _become_background(log: int, writer: int, go_on: Callable[[Tell], int]) -> None:
    """The copy's whole life; leaves the process."""
    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, stream in ((0, nothing), (1, log), (2, log)):
            os.dup2(stream, number)
        for spare in {nothing, log} - {0, 1, 2}:
            os.close(spare)

        def tell(run: str | None, ended: int | None) -> None:
            with contextlib.suppress(OSError):
                os.write(writer, json.dumps({"run": run, "code": ended}).encode())
                os.close(writer)

        code = go_on(tell)
    except BaseException as error:
        talk.say(f"{type(error).__name__}: {error}")
    finally:
        os._exit(code & 0xFF)


def _first_word(reader: int) -> dict[str, object]:
    """What the copy told; empty when it is slow, an exit code when it died."""
    ready, _, _ = select.select([reader], [], [], FIRST_WORD_S)
    told = os.read(reader, 1 << 16) if ready else b"{}"
    os.close(reader)
    return reading.record(json.loads(told)) if told else {"code": 1}


def _repeat(log: str) -> None:
    """What the copy said so far is said here too: whether it records, and under which id."""
    try:
        with open(log, encoding="utf-8", errors="replace") as stream:
            lines = stream.read(1 << 16).splitlines()
    except OSError:
        return
    for said in lines:
        if said.startswith(f"{talk.PREFIX} "):
            talk.say(said[len(talk.PREFIX) + 1 :])
