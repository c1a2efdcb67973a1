"""Signals as messages: they wait in a pipe until the wrapper looks. And TERM as an exception."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Iterable, Iterator


class SignalInbox:
    """Collects signals from now on; only in the main thread."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in numbers:
            signal.signal(number, lambda number, frame: None)

    def wait(self, timeout_s: float) -> list[int]:
        """The signals that came, after waiting at most ``timeout_s`` seconds for the first."""
        ready, _, _ = select.select([self._reader], [], [], timeout_s)
        return list(os.read(self._reader, 4096)) if ready else []


@contextlib.contextmanager
def leaving_on_term() -> Iterator[None]:
    """TERM leaves by an exception meanwhile, so that what was started is ended and cleared away."""
    try:
        before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def leaving_held() -> Iterator[None]:
    """TERM and INT wait meanwhile, and come at the end: so that a process which is being started
    is known to who has to end it."""
    came: list[int] = []
    before = {}
    try:
        for number in (signal.SIGTERM, signal.SIGINT):
            before[number] = signal.signal(number, lambda number, frame: came.append(number))
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for held in came:
            signal.raise_signal(held)
