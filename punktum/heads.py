"""Keeps the journal's head as the server told it: an outside witness that no tail was cut off."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

from punktum import instants

EVERY_S: Final = 60.0


class HeadWitness:
    """Appends ``{"number", "sha256", "seen_at"}`` to ``heads.jsonl``, at most once a minute."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "heads.jsonl"
        self._noted: tuple[int, str] | None = None
        self._noted_at = 0.0

    def note(self, head: tuple[int, str] | None, at_once: bool = False) -> None:
        """Note a head that is new; ``at_once`` also within the minute."""
        if head is None or head == self._noted:
            return
        now = time.monotonic()
        if self._noted is not None and not at_once and now - self._noted_at < EVERY_S:
            return
        self._noted, self._noted_at = head, now
        line = {"number": head[0], "sha256": head[1], "seen_at": instants.now_text()}
        try:
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError:
            return
