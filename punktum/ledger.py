"""What became of a spool file: how far the server acknowledged it, and which lines it refused."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from punktum import instants, reading
from punktum.marks import read_whole, write_whole
from punktum.spool import Line

SAVE_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Bytes and events acknowledged, lines refused, and the newest answer in short."""

    offset: int = 0
    acked_seq: int = 0
    refused: int = 0
    answered_at: str | None = None
    status: str | None = None
    attempt: int | None = None
    window_ends_at: str | None = None
    trouble: str | None = None


def standing_path(spool_file: Path) -> Path:
    """The side file with the standing of a spool file."""
    return spool_file.with_name(f"{spool_file.stem}.state.json")


def refused_path(spool_file: Path) -> Path:
    """The side file with the numbers of refused lines and why."""
    return spool_file.with_name(f"{spool_file.stem}.refused.jsonl")


def note_left_out(spool_file: Path, count: int) -> None:
    """Keep how many beats were left out of a spool file for its limit."""
    write_whole(_left_out_path(spool_file), {"beats": count})


def read_left_out(spool_file: Path) -> int:
    """How many beats were left out of a spool file, as far as its writer had time to say."""
    found = read_whole(_left_out_path(spool_file)) or {}
    return reading.whole(found.get("beats")) or 0


def _left_out_path(spool_file: Path) -> Path:
    return spool_file.with_name(f"{spool_file.stem}.left-out.json")


def read_standing(spool_file: Path) -> Standing:
    """The kept standing; a fresh one when there is none or it does not fit the file."""
    found = read_whole(standing_path(spool_file)) or {}
    offset = reading.whole(found.get("offset")) or 0
    try:
        fits = 0 <= offset <= spool_file.stat().st_size
    except OSError:
        fits = False
    if not fits:
        return Standing()
    return Standing(
        offset=offset,
        acked_seq=reading.whole(found.get("acked_seq")) or 0,
        refused=reading.whole(found.get("refused")) or 0,
        answered_at=reading.text(found.get("answered_at")),
        status=reading.text(found.get("status")),
        attempt=reading.whole(found.get("attempt")),
        window_ends_at=reading.text(found.get("window_ends_at")),
        trouble=reading.text(found.get("trouble")),
    )


class Ledger:
    """Keeps the standing of one spool file; with ``kept`` False it lives in memory only."""

    def __init__(self, spool_file: Path, *, kept: bool = True, fresh: bool = False) -> None:
        self._file = spool_file
        self._kept = kept
        self._saved_at = 0.0
        self._noted: set[tuple[int, int]] = set()
        self.now = Standing() if fresh else read_standing(spool_file)

    def update(self, now: Standing) -> None:
        """Note a new standing; it reaches the disk at most once a second, and with ``save``."""
        self.now = now
        if time.monotonic() - self._saved_at >= SAVE_EVERY_S:
            self.save()

    def save(self) -> None:
        """Write the standing now."""
        self._saved_at = time.monotonic()
        if self._kept:
            write_whole(standing_path(self._file), asdict(self.now))

    def note_refused(self, line: Line, status: int, problem: Mapping[str, object]) -> None:
        """Mark one line as refused. The line itself stays in the spool."""
        if (line.seq, status) in self._noted:
            return
        self._noted.add((line.seq, status))
        self.update(replace(self.now, refused=self.now.refused + 1))
        if not self._kept:
            return
        note = {
            "seq": line.seq,
            "kind": line.kind,
            "status": status,
            "problem": dict(problem),
            "at": instants.now_text(),
        }
        try:
            with refused_path(self._file).open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(note, ensure_ascii=True) + "\n")
        except OSError:
            return
