"""What the client says to a person: lines on stderr that begin with ``punktum:`` and never fail."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Write one message; a closed, vanished or full stderr is no reason to disturb a training."""
    try:
        for line in text.splitlines() or [""]:
            sys.stderr.write(f"punktum: {line}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return


def count(number: int, one: str, many: str) -> str:
    """``1 event``, ``2 events``."""
    return f"{number} {one if number == 1 else many}"
