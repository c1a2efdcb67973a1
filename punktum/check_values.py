"""Inside a command of ``punktum restore-check``: what the training measures goes to its file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from punktum import talk
from punktum.checkpoints import checkpoint_fields
from punktum.values import number_of

FOLDER: Final = "PUNKTUM_RESTORE_FOLDER"
STEPS: Final = "PUNKTUM_RESTORE_STEPS"
VALUES: Final = "PUNKTUM_RESTORE_VALUES"
AT: Final = "at_s"
"""Name of the moment in a line of values, by the clock that all processes of a machine share."""
SAVED: Final = "checkpoint"
"""Name of what a checkpoint says in a line of values."""


class CheckValues:
    """Appends one JSON line for each report. Says once what goes wrong, raises nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._failed = False

    @classmethod
    def of_environment(cls, environment: Mapping[str, str]) -> CheckValues | None:
        """The file that a restore check named; None where there is none, and where this is not the
        process of its group that reports."""
        named = environment.get(VALUES)
        reports = environment.get("RANK", "0") in ("", "0")
        return cls(Path(named)) if named and reports else None

    def values(self, values: Mapping[str, object]) -> None:
        """Metrics of one moment; what is no number is left out."""
        self._write(lambda: _numbers(values))

    def checkpoint(
        self,
        path: str | os.PathLike[str],
        size: int | None,
        states: Sequence[str],
        write_s: float | None,
    ) -> None:
        """A checkpoint that was saved."""
        self._write(lambda: {SAVED: checkpoint_fields(Path(path), size, states, write_s)})

    def _write(self, line: Callable[[], dict[str, object]]) -> None:
        try:
            text = json.dumps({**line(), AT: time.monotonic()})
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(f"{text}\n")
        except Exception as error:
            if not self._failed:
                self._failed = True
                talk.say(f"the restore check does not see the values: {error}")


def _numbers(values: Mapping[str, object]) -> dict[str, object]:
    numbers = {str(name): number_of(value) for name, value in values.items()}
    return {name: number for name, number in numbers.items() if number is not None}
