"""What the client says to a person: lines on stderr that begin with ``punktum:`` and never fail."""

from __future__ import annotations

import contextlib
import sys
from typing import Final

from punktum.events import visible

PREFIX: Final = "punktum:"


def say(text: str) -> None:
    """Write one message; a closed, vanished or full stderr is no reason to disturb a training.

    Much of it came from a server: its control characters are shown, not obeyed by the terminal.
    """
    try:
        for line in text.splitlines() or [""]:
            sys.stderr.write(f"{PREFIX} {visible(line)}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return


def on_a_new_line(shown: bytes) -> None:
    """Begin a new line where the output that was shown on stderr so far did not end in one."""
    if shown and not shown.endswith(b"\n"):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write("\n")


def count(number: int, one: str, many: str) -> str:
    """``1 event``, ``2 events``."""
    return f"{number} {one if number == 1 else many}"


def duration(seconds: float) -> str:
    """``54 s``, ``12 min``, ``3 h 05 min``."""
    whole = max(0, round(seconds))
    if whole < 100:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02} min"


def size(length: float) -> str:
    """Bytes as ``512 B``, ``3.2 MiB``, ``20.0 GiB``."""
    for power, unit in ((3, "GiB"), (2, "MiB"), (1, "KiB")):
        if length >= 1024**power:
            return f"{length / 1024**power:.1f} {unit}"
    return f"{round(length)} B"
