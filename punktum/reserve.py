"""A few bytes of the disk held back, to be given free for the last line of a run.

The file has no name any more when it is made, so nothing of it outlives the process.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

RESERVE_BYTES: Final = 128 << 10
"""Room for the largest end: its log, the last value of every metric, and what binds before it."""


class Reserve:
    """Room on the disk that holds ``folder``. A disk without it, or that refuses, has none."""

    def __init__(self, folder: Path, size: int = RESERVE_BYTES) -> None:
        self._descriptor: int | None = None
        path = folder / f".reserve-{os.getpid()}-{os.urandom(4).hex()}"
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
            self._descriptor = os.open(path, flags, 0o600)
            path.unlink()
            block = os.urandom(size)  # what could be compressed would hold back nothing
            while block:
                written = os.write(self._descriptor, block)
                if written == 0:
                    break
                block = block[written:]
        except OSError:  # a disk that is full already: what was got is held
            return

    @property
    def is_held(self) -> bool:
        """Whether there is room to give free."""
        return self._descriptor is not None

    def free(self) -> None:
        """Give the room back; also where a forked copy of the process still has the file open."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
        with contextlib.suppress(OSError):
            os.close(descriptor)
