"""What a saved checkpoint says, and the result of loading one in a new process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from punktum.events import TEXT_LENGTH, plain

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
    """The fields of a checkpoint event: ``size`` in bytes (a file's own when None), seconds; both
    as ``counts`` read them.

    States that have no name in ``STATES`` are left out.
    """
    if size is None and path.is_file():
        size = path.stat().st_size
    return {
        "path": plain(str(path), 1000),
        "size": size,
        "states": [state for state in STATES if state in states] or None,
        "write_s": write_s,
    }


RESTORE_TEXTS: Final = {
    "reason": TEXT_LENGTH,
    "compared": 128,
    "expected": 100,
    "found": 100,
    "path": 1000,
}
"""Texts of a restore check and how long they may be."""


def restore_fields(passed: bool, result: Mapping[str, object]) -> dict[str, object]:
    """The wire's ``restore``; what is None, or has no name there, is left out."""
    fields: dict[str, object] = {"passed": bool(passed)}
    for name, value in result.items():
        if value is None:
            continue
        if name in RESTORE_TEXTS:
            fields[name] = plain(str(value), RESTORE_TEXTS[name])
        elif name in ("save_s", "restore_s", "size", "steps"):
            fields[name] = value
        elif name == "states" and isinstance(value, (list, tuple)):
            fields[name] = [state for state in STATES if state in value]
    return fields
