"""How a process's end is told: completed, failed or stopped, and for which reason. Pure.

The rows of the death matrix: exit 0 is completed; another exit code or an exception failed by
``code_error``; TERM is stopped by ``infra`` (also when the job saved and left with 0), and so is
a HUP that was passed on; INT is stopped by ``operator``; other signals failed by ``infra``. Where
a stop was asked for, every end is that stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from punktum.events import plain
from punktum.marks import StopRequest

HUP, INT, ABRT, KILL, SEGV, TERM = 1, 2, 6, 9, 11, 15
TOLD_BY_EXIT_CODE: Final = frozenset({HUP, INT, ABRT, KILL, SEGV, TERM})
"""Signals a shell reports as exit code 128 + n for the program it ran."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The terminal event: its kind and fields. ``outcome`` is the run's status after it."""

    kind: str
    reason_code: str | None = None
    reason_text: str | None = None
    rule: str | None = None
    exit_code: int | None = None
    signal: int | None = None

    @property
    def outcome(self) -> str:
        """The status the run has after this end."""
        return {"finish": "completed", "fail": "failed"}.get(self.kind, "stopped")

    def fields(self) -> dict[str, object]:
        """The fields of the terminal event; absent ones are None."""
        return {
            "reason_code": self.reason_code,
            "reason_text": self.reason_text,
            "rule": self.rule,
            "exit_code": self.exit_code,
            "signal": self.signal,
        }


def ending_of_process(
    returncode: int,
    *,
    forwarded: tuple[int, ...] = (),
    stop: StopRequest | None = None,
    last_line: str = "",
    memory_kills: int = 0,
) -> Ending:
    """Judge the end of a child process.

    ``returncode`` as subprocess gives it (negative: died of a signal); ``forwarded`` are the
    signals the wrapper passed on while the child lived; ``memory_kills`` how many kills for want
    of memory the kernel counted meanwhile.
    """
    exit_code, number = _read(returncode)
    if stop is not None:
        return ending_by_stop(stop, exit_code, number)
    for passed, reason in ((TERM, "infra"), (INT, "operator"), (HUP, "infra")):
        if passed in forwarded or (number == passed and passed != HUP):
            text = _interrupted(exit_code, number)
            return Ending("stop", reason, text, exit_code=exit_code, signal=number)
    if number is not None:
        text = f"signal {number}"
        if number == KILL and memory_kills > 0:
            text = f"signal 9, out of memory (the kernel counted {memory_kills})"
        return Ending("fail", "infra", text, exit_code=exit_code, signal=number)
    if returncode != 0:
        text = plain(f"exit {returncode}: {last_line}" if last_line else f"exit {returncode}")
        return Ending("fail", "code_error", text, exit_code=returncode)
    return Ending("finish", exit_code=0)


def ending_of_exception(error: BaseException | None, stop: StopRequest | None) -> Ending:
    """Judge how a ``with punktum.run`` block was left."""
    exit_code = _exit_code(error)
    if stop is not None:
        return ending_by_stop(stop, exit_code, None)
    if isinstance(error, KeyboardInterrupt):
        return Ending("stop", "operator", "signal 2", signal=INT)
    if exit_code == 0:
        return Ending("finish", exit_code=0)
    if exit_code == 128 + TERM:
        return Ending("stop", "infra", f"signal {TERM}", exit_code=exit_code, signal=TERM)
    if isinstance(error, SystemExit):
        said = f": {error.code}" if isinstance(error.code, str) else ""
        return Ending("fail", "code_error", plain(f"exit {exit_code}{said}"), exit_code=exit_code)
    text = plain(f"{type(error).__name__}: {error}")
    return Ending("fail", "code_error", text, exit_code=exit_code)


def ending_by_stop(stop: StopRequest, exit_code: int | None, number: int | None) -> Ending:
    """The end of a run that was asked to stop, however its process went."""
    rule = plain(stop.rule, 64) if stop.rule else None
    code = f"rule:{rule}" if rule else "operator"
    return Ending("stop", code, plain(stop.text), rule, exit_code, number)


def shell_exit_code(returncode: int) -> int:
    """The exit code a shell would give: 128 + n after signal n."""
    return 128 - returncode if returncode < 0 else returncode


def _read(returncode: int) -> tuple[int | None, int | None]:
    """Exit code and signal; a shell's 128 + n gives both."""
    if returncode < 0:
        return None, -returncode
    number = returncode - 128
    return returncode, number if number in TOLD_BY_EXIT_CODE else None


def _interrupted(exit_code: int | None, number: int | None) -> str:
    if exit_code == 0:
        return "interrupted, clean"
    if number is not None:
        return f"signal {number}"
    return f"interrupted, exit {exit_code}"


def _exit_code(error: BaseException | None) -> int:
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None:
            return 0
        return error.code & 0xFF if isinstance(error.code, int) else 1
    return 130 if isinstance(error, KeyboardInterrupt) else 1
