"""The spool: a folder with one JSON line per event, written before anything is sent.

One file per run, attempt and source. The caller of ``SpoolWriter.append`` writes and flushes the
line (it survives the death of the process); ``sync`` makes it survive the machine. Beside each
file lie what the server acknowledged (``.state.json``) and the lines it refused
(``.refused.jsonl``), beside all files of an attempt its marks (``marks.py``). Lines are never
deleted or changed.
"""

from __future__ import annotations

import json
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from punktum import reading
from punktum.events import ENDS, LASTING, Identity, encode
from punktum.limits import Bound
from punktum.locks import take_lock
from punktum.reserve import Reserve
from punktum.unwritten import Unwritten

_NAME = re.compile(r"(?P<run>.+)--(?P<attempt>[0-9a-f]{32})--(?P<source>[a-z][a-z0-9-]*)\.jsonl\Z")


@dataclass(frozen=True, slots=True)
class Line:
    """One event in a spool file: where it begins and ends, its number, kind and bytes."""

    start: int
    end: int
    seq: int
    kind: str
    raw: bytes

    def event(self) -> dict[str, object]:
        """The event itself."""
        return reading.record(json.loads(self.raw))


def file_name(identity: Identity) -> str:
    """The spool file's name for one source of one attempt of one run."""
    return f"{identity.run}--{identity.attempt_id}--{identity.source}.jsonl"


def identity_of(path: Path) -> Identity | None:
    """Whose spool file this is by its name; None when it is not one."""
    match = _NAME.match(path.name)
    return Identity(match["run"], match["attempt"], match["source"]) if match else None


def spool_files(folder: Path) -> list[Path]:
    """The spool files of a folder, oldest first."""
    found = [path for path in folder.glob("*.jsonl") if identity_of(path) is not None]
    return sorted(found, key=lambda path: (_begun(path), path.name))


def read_lines(path: Path, start: int = 0) -> Iterator[Line]:
    """Complete, readable lines from byte ``start`` on; torn and foreign ones are passed over.

    A last line without its end is left for later: its writer may still be at it. Only regular
    files are read.
    """
    with path.open("rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return
        stream.seek(start)
        offset = start
        for raw in stream:
            if not raw.endswith(b"\n"):
                return
            begin, offset = offset, offset + len(raw)
            line = line_of(begin, raw)
            if line is not None:
                yield line


def line_of(begin: int, raw: bytes) -> Line | None:
    """Read one line that begins at byte ``begin``; None when it is not an event."""
    try:
        event = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    seq, kind = reading.record(event).get("seq"), reading.record(event).get("kind")
    if reading.whole(seq) is None or not isinstance(seq, int) or not isinstance(kind, str):
        return None
    return Line(begin, begin + len(raw), seq, kind, raw.rstrip(b"\n"))


def last_event(path: Path, wanted: Callable[[dict[str, object]], bool]) -> dict[str, object] | None:
    """The newest event of a file that is wanted, looking at its last 256 kB only."""
    try:
        size = path.stat().st_size
        lines = list(read_lines(path, max(0, size - (1 << 18))))
    except OSError:
        return None
    for line in reversed(lines):
        event = line.event()
        if wanted(event):
            return event
    return None


def _begun(path: Path) -> str:
    try:
        first = next(read_lines(path), None)
    except OSError:
        first = None
    return (reading.text(first.event().get("at")) or "") if first else ""


class SpoolWriter:
    """Writes one source's events. Numbers them, never raises for a disk that refuses.

    What the disk did not take waits in ``in_memory`` for the sender. A second writer of the same
    source (two programs under one wrapper) gets a name of its own: ``main-2``. ``bound`` says what
    is left out of a file that has grown too large; ``holds_room`` has room held back for the end.
    ``has_place`` is whether there is a file that could take anything.
    """

    def __init__(
        self,
        folder: Path,
        identity: Identity,
        bound: Bound | None = None,
        holds_room: bool = False,
    ) -> None:
        self.trouble: str | None = None
        self.bound = bound or Bound()
        self.in_memory = Unwritten()
        self._lock = threading.Lock()
        self._seq = 0
        self._torn = False
        self._dirty = False
        self._is_over = False
        self._descriptor: int | None = None
        self.identity, self.path = identity, folder / file_name(identity)
        self._size = 0
        self._reserve: Reserve | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._open(folder)
            self._reserve = Reserve(folder) if holds_room else None
        except OSError as error:
            self.trouble = _reason(error)
        self.has_place = self._descriptor is not None

    def _open(self, folder: Path) -> None:
        base, number = self.identity, 1
        while True:
            descriptor = os.open(
                self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644
            )
            if _take_lock_patiently(descriptor):
                break
            os.close(descriptor)
            number += 1
            self.identity = Identity(base.run, base.attempt_id, f"{base.source}-{number}")
            self.path = folder / file_name(self.identity)
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
        if self._size > 0:
            self._seq = max((line.seq for line in read_lines(self.path)), default=0)
            self._torn = not _ends_whole(self.path)

    @property
    def seq(self) -> int:
        """The number of the newest event."""
        return self._seq

    @property
    def has_written(self) -> bool:
        """Whether the file holds anything."""
        return self._size > 0

    def append(self, fields: Mapping[str, object]) -> None:
        """Write one event; start, checkpoint and ends are on the disk when this returns.

        An end is the last: a sign of life that comes while the end is being sent is left out. What
        the bound leaves out gets no number.
        """
        kind = fields.get("kind")
        with self._lock:
            fitted = None if self._is_over else self.bound.fit(fields, self._size, time.monotonic())
            if fitted is None:
                return
            self._is_over = kind in ENDS
            self._seq += 1
            identity = self.identity
            event = {
                "run": identity.run,
                "attempt_id": identity.attempt_id,
                "source": identity.source,
                "seq": self._seq,
                **fitted,
            }
            raw = encode(event)
            if self._is_over and self.trouble:
                self._make_room()
            if not self._write(raw) and not (self._is_over and self._make_room(raw)):
                self.in_memory.add(raw)
        if kind in LASTING:
            self.sync()

    def _write(self, raw: bytes) -> bool:
        if self._descriptor is None:
            return False
        whole = b"\n" + raw if self._torn else raw
        try:
            written = os.write(self._descriptor, whole)
            self._size += written
            self._torn = self._torn if written == 0 else written < len(whole)
            self._dirty = True
            if written < len(whole):
                raise OSError("only part of the line was written")
        except OSError as error:
            self.trouble = self.trouble or _reason(error)
            return False
        return True

    def _make_room(self, last: bytes | None = None) -> bool:
        """Give the reserve free for what binds and waits in memory, or for the ``last`` line, which
        is written then; False when that finds no place either."""
        if self._reserve is not None:
            self._reserve.free()
        if last is not None:
            return self._write(last)
        written = [line for line in self.in_memory.binding() if self._write(line + b"\n")]
        self.in_memory.remove(written)
        return True

    def waiting_in_memory(self, most: int) -> list[bytes]:
        """The oldest events that are not on the disk."""
        with self._lock:
            return self.in_memory.first(most)

    def forget(self, sent: list[bytes]) -> None:
        """Events the server has, which need no memory any more."""
        with self._lock:
            self.in_memory.remove(sent)

    def sync(self) -> None:
        """Put what was written on the disk; nothing to do when nothing is new."""
        if not self._dirty or self._descriptor is None:
            return
        self._dirty = False
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            self.trouble = self.trouble or _reason(error)

    def close(self) -> None:
        """Sync and let go of the file and its lock."""
        self.sync()
        with self._lock:
            if self._reserve is not None:
                self._reserve.free()
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is not None:
                os.close(descriptor)

    def abandon(self) -> None:
        """In a forked copy of the process: close this copy's handle, write nothing more."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"


def _take_lock_patiently(descriptor: int) -> bool:
    """Try for a moment: someone who only looks whether the file is held may hold it just now."""
    for _ in range(4):
        if take_lock(descriptor):
            return True
        time.sleep(0.01)
    return False


def starts_with(path: Path) -> str | None:
    """The kind of a file's first event; None when it holds none."""
    try:
        first = next(read_lines(path), None)
    except OSError:
        return None
    return first.kind if first is not None else None


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
