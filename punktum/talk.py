"""What the client says to a person: lines on stderr that begin with ``punktum:`` and never fail."""

from __future__ import annotations

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


def count(number: int, one: str, many: str) -> str:
    """``1 event``, ``2 events``."""
    return f"{number} {one if number == 1 else many}"
