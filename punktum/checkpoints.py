"""What a saved checkpoint says: where it lies, how large it is, which states it holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from punktum.events import plain, whole

STATES: Final = (
    "parameters",
    "optimizer",
    "scheduler",
    "scaler",
    "random",
    "data_position",
    "progress",
)
"""States that a resume may need."""


def checkpoint_fields(
    path: Path, size: int | None, states: Sequence[str], write_s: float | None
) -> dict[str, object]:
    """The fields of a checkpoint event: ``size`` in bytes (a file's own when None), seconds.

    States that have no name in ``STATES`` are left out.
    """
    if size is None and path.is_file():
        size = path.stat().st_size
    return {
        "path": plain(str(path), 1000),
        "size": None if size is None else whole(size),
        "states": [state for state in STATES if state in states] or None,
        "write_s": None if write_s is None else round(max(0.0, float(write_s)), 3),
    }
