"""The run that the trainers of one process report to, whichever framework and however many.

A callback tells what its framework tells it; when the run begins and how it ends is known here.
Under ``punktum run`` it is the wrapper's attempt, which the wrapper ends. Alone, a script's run
ends with its process, since the evaluation after the training is part of it; in a notebook it ends
with the training.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from punktum import talk
from punktum.arguments import own_params
from punktum.marks import StopRequest
from punktum.raised import StopRun
from punktum.recording import Run

_NAMELESS: Final = "training"


class Session:
    """A process's one run, opened by the first trainer that trains. No method raises."""

    def __init__(self) -> None:
        self._run: Run | None = None
        self._is_lent = False
        self._is_training = False
        self._error: BaseException | None = None
        self._pid = 0

    @property
    def stop_requested(self) -> StopRequest | None:
        """The stop that was asked for, None while the training may go on."""
        return self._run.stop_requested if self._run is not None else None

    def begin(
        self,
        step: str | None,
        params: Mapping[str, object],
        options: Mapping[str, Any],
        run: Run | None = None,
        resumed_at: int = 0,
    ) -> None:
        """A training begins. ``run`` is one that the caller has entered and ends himself; where
        this process is in the block of one anyway, it is that.

        ``options`` are further arguments of ``punktum.run``; ``params`` what the framework knows
        of its configuration, beside the command line; ``resumed_at`` the steps that were loaded.
        """
        if self._run is not None and _is_interactive() and self._is_training:
            self._leave(SystemExit("left before the end of the training"))
        self._is_training, self._error = True, None
        if self._run is not None and not self._is_lent:
            return
        self._pid = os.getpid()
        self._run = run or Run.current
        self._is_lent = self._run is not None
        if self._run is None:
            _quietly(
                lambda: self._open(step, params, {"resumed_at": resumed_at or None, **options})
            )

    def _open(
        self, step: str | None, params: Mapping[str, object], options: Mapping[str, Any]
    ) -> None:
        told = {"params": {**params, **own_params()}, **options, "raise_on_stop": False}
        run = Run(step or _step_of_the_process(), **told)
        run.__enter__()
        self._run = run
        atexit.register(self._at_exit)

    def progress(self, done: int, total: int | None) -> None:
        """How far the training is, in the framework's own steps."""
        run = self._run
        if run is not None:
            _quietly(lambda: run.progress(done, total))

    def metrics(self, values: Mapping[str, object]) -> None:
        """Values of one moment; what is no number is left out."""
        run = self._run
        if run is not None and values:
            _quietly(lambda: run.metrics(values))

    def checkpoint(
        self, path: str | Path, states: Sequence[str], write_s: float | None, size: int | None
    ) -> None:
        """A checkpoint is on the disk; a folder's size is that of its files."""
        run = self._run
        if run is not None:
            size = size_of(Path(path)) if size is None else size
            _quietly(lambda: run.checkpoint(path, size, states=states, write_s=write_s))

    def ended(self) -> None:
        """The training came to its end, or to a stop."""
        self._is_training = False
        if _is_interactive():
            self._leave(None)

    def failed(self, error: BaseException) -> None:
        """The training broke; what is raised in the end may be something else."""
        self._error = error
        if _is_interactive():
            self._leave(error)

    def _at_exit(self) -> None:
        if os.getpid() != self._pid:
            return  # a forked copy, a worker of a data loader say
        self._leave(self._error or _unhandled() or self._cut_short())

    def _cut_short(self) -> BaseException | None:
        if self._is_training and self.stop_requested is None:
            return SystemExit("left before the end of the training")
        return None

    def _leave(self, error: BaseException | None) -> None:
        run, self._run, self._is_training = self._run, None, False
        if run is None or self._is_lent:
            return
        trace = error.__traceback__ if error is not None else None
        _quietly(lambda: run.__exit__(None if error is None else type(error), error, trace))


session: Final = Session()
"""The process's own."""


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether somebody said where to report: an address, or a wrapper around this process."""
    return bool(environment.get("PUNKTUM_URL") or environment.get("PUNKTUM_ATTEMPT_ID"))


def size_of(path: Path) -> int | None:
    """Bytes of a file, or of all files in a folder; None where nothing is there."""
    try:
        if path.is_file():
            return path.stat().st_size
        return sum(one.stat().st_size for one in path.rglob("*") if one.is_file()) or None
    except OSError:
        return None


def _step_of_the_process() -> str:
    """``PUNKTUM_STEP``, else the script's name: recorded as unplanned work where no step has it."""
    script = Path(sys.argv[0]).stem if sys.argv and sys.argv[0] not in ("", "-c", "-m") else ""
    return os.environ.get("PUNKTUM_STEP") or script or _NAMELESS


def _unhandled() -> BaseException | None:
    """The exception that this process dies of: Python notes it before it calls us at the exit."""
    found = getattr(sys, "last_value", None)
    return found if isinstance(found, BaseException) else None


def _is_interactive() -> bool:
    return hasattr(sys, "ps1") or "ipykernel" in sys.modules


def _quietly(act: Callable[[], object]) -> None:
    """Whatever goes wrong in here is no reason not to train."""
    try:
        act()
    except StopRun:
        return  # the callback asks for the stop and sets its framework's flag
    except Exception as error:
        talk.say(f"{type(error).__name__} while reporting: {error}. Training goes on")
