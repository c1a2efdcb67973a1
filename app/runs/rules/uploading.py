"""What a person hands in of a box's spool: files of events, their marks, packed or not.

Nothing is unpacked to where an archive says; only files of a spool's own names are read, and no
more of them than a limit, whatever an archive says of itself.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.texts import Text, text

MOST_UNPACKED: Final = 256 << 20
MOST_FILES: Final = 10_000
MOST_OF_A_MARK: Final = 1 << 20
_EVENTS: Final = re.compile(r"(.+)--([0-9a-f]{32})--([a-z][a-z0-9-]*)\.jsonl\Z")
_MARK: Final = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}--[0-9a-f]{32}\.(named|proposed)\.json\Z"
)
_SUBMISSION: Final = re.compile(r"[0-9a-f]{32}\.json\Z")
_RUN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_ATTEMPT: Final = re.compile(r"[0-9a-f]{32}\Z")
_SOURCE: Final = re.compile(r"[a-z][a-z0-9-]{0,31}\Z")
_NO_EVENTS: Final = ("heads.jsonl",)
_BROKEN: Final = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError,
    NotImplementedError, ValueError,
)  # fmt: skip


class NotTaken(ValueError):
    """A file that is not taken, and what would be right."""

    def __init__(self, said: Text) -> None:
        super().__init__(str(said))
        self.said = said


@dataclass(frozen=True, slots=True)
class Handed:
    """One file as it was chosen in the browser."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Spooled:
    """One file of a spool, under the name that a spool gives it; `lines` that are no event."""

    name: str
    content: bytes
    strange: int = 0


@dataclass(frozen=True, slots=True)
class Spool:
    """What was found: files of events, marks, the campaign that the kept sheet names, and how
    much evidence of deliverables lies beside them."""

    events: tuple[Spooled, ...]
    marks: tuple[Spooled, ...]
    campaign: str | None
    submissions: int = 0


def read_spool(handed: list[Handed]) -> Spool:
    """The spool in these files, of which some may be archives. Raises `NotTaken`."""
    events: dict[str, Spooled] = {}
    marks: dict[str, Spooled] = {}
    campaign, submissions = None, set()
    for name, content in _files(handed):
        if name in _NO_EVENTS or name.endswith(".refused.jsonl"):
            continue
        if _MARK.match(name) and len(content) <= MOST_OF_A_MARK:
            marks[name] = Spooled(name, content)
        elif _SUBMISSION.match(name):
            submissions.add(name)
        elif name == "sheet.json":
            campaign = campaign or _campaign_of(content)
        elif name.endswith(".jsonl"):
            found = _events_of(name, content)
            before = events.get(found.name)
            events[found.name] = found if before is None else _together(before, found)
    if not events:
        raise NotTaken(
            text("There are no events in it. Choose the .jsonl files of a spool, or the whole"
                 " spool folder packed as .tar.gz or .zip.")
        )  # fmt: skip
    return Spool(tuple(events.values()), tuple(marks.values()), campaign, len(submissions))


def named_as_recorded(spool: Spool, runs_of: Callable[[str], Sequence[str]]) -> Spool:
    """The spool with word of each attempt that is recorded under another id than its lines say.

    The marks that tell so lie on the box: lines that come without them are there already all the
    same. `runs_of` tells the runs that hold an attempt.
    """
    marks = {mark.name: mark for mark in spool.marks}
    for file in spool.events:
        found = _EVENTS.match(file.name)
        if found is None:
            continue
        run, attempt = found[1], found[2]
        runs, name = runs_of(attempt), f"{run}--{attempt}.named.json"
        if runs and run not in runs and name not in marks:
            marks[name] = Spooled(name, json.dumps({"run": runs[0]}).encode())
    return replace(spool, marks=tuple(marks.values()))


def is_run_id(said: str) -> bool:
    """Whether a run may be called so."""
    return _RUN.match(said) is not None


def _files(handed: list[Handed]) -> Iterator[tuple[str, bytes]]:
    """Names without folders, and contents; archives are looked into."""
    left = MOST_UNPACKED
    for one in handed:
        base = one.name.replace("\\", "/").rsplit("/", 1)[-1]
        if one.content[:2] == b"\x1f\x8b":
            inside = _in_tar(base, one.content, left)
        elif one.content[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            inside = _in_zip(base, one.content, left)
        elif base.endswith((".jsonl", ".json")):
            inside = iter([(base, one.content)])
        else:
            raise NotTaken(
                text("{name}: not a file of a spool. Choose .jsonl files, or the spool folder"
                     " packed as .tar.gz or .zip.", name=base)
            )  # fmt: skip
        for name, content in inside:
            left -= len(content)
            yield name, content


def _is_wanted(name: str) -> bool:
    kinds = (_EVENTS, _MARK, _SUBMISSION)
    return name == "sheet.json" or any(kind.match(name) for kind in kinds)


def _in_tar(name: str, packed: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    """Members of a packed tar, read in one pass; what they unpack to is counted as it comes."""
    plain = _Counted(gzip.GzipFile(fileobj=io.BytesIO(packed)), most, name)
    try:
        with tarfile.open(fileobj=plain, mode="r|") as archive:
            for number, member in enumerate(archive):
                if number >= MOST_FILES:
                    raise _too_many(name)
                base = member.name.rsplit("/", 1)[-1]
                stream = archive.extractfile(member) if member.isreg() else None
                if stream is not None and _is_wanted(base):
                    yield base, stream.read()
    except NotTaken:
        raise
    except _BROKEN:
        raise _broken(name) from None


def _in_zip(name: str, packed: bytes, most: int) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            members, is_any = archive.infolist(), False
            if len(members) > MOST_FILES:
                raise _too_many(name)
            for member in members:
                base = member.filename.rsplit("/", 1)[-1]
                if member.is_dir() or not _is_wanted(base):
                    continue
                with archive.open(member) as stream:
                    content = stream.read(most + 1)
                most -= len(content)
                if most < 0:
                    raise _too_large(name)
                is_any = True
                yield base, content
            if not is_any and sum(member.file_size for member in members) > most:
                raise _too_large(name)  # whatever lies in it, it is no packed spool
    except NotTaken:
        raise
    except _BROKEN:
        raise _broken(name) from None


class _Counted(io.RawIOBase):
    """A stream that ends with `NotTaken` where it holds more than it may."""

    def __init__(self, stream: gzip.GzipFile, most: int, name: str) -> None:
        self._stream, self._left, self._name = stream, most, name

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(min(size, 1 << 20) if size >= 0 else 1 << 20)
        self._left -= len(block)
        if self._left < 0:
            raise _too_large(self._name)
        return block


def _events_of(name: str, content: bytes) -> Spooled:
    """A file of events under its name in a spool; a renamed one says inside whose it is."""
    strange, first = 0, None
    for line in content.splitlines():
        event = _event_in(line)
        strange += event is None and bool(line.strip())
        first = first or event
    if _EVENTS.match(name):
        return Spooled(name, content, strange)
    if first is None:
        raise NotTaken(text("{name}: it holds no events.", name=name))
    run, attempt = str(first.get("run")), str(first.get("attempt_id"))
    source = str(first.get("source", "main"))
    if not (_RUN.match(run) and _ATTEMPT.match(attempt) and _SOURCE.match(source)):
        raise NotTaken(text("{name}: it does not say which run it is of.", name=name))
    return Spooled(f"{run}--{attempt}--{source}.jsonl", content, strange)


def _event_in(line: bytes) -> dict[str, object] | None:
    """The event of a line, as the client reads it."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or not isinstance(event.get("kind"), str):
        return None
    return event if type(event.get("seq")) is int else None


def _together(one: Spooled, other: Spooled) -> Spooled:
    """Two copies of a file, one perhaps older: the server knows each event by its number."""
    if other.content == one.content:
        return one
    whole = one.content if one.content.endswith(b"\n") else one.content + b"\n"
    return Spooled(one.name, whole + other.content, one.strange + other.strange)


def _campaign_of(content: bytes) -> str | None:
    try:
        said = json.loads(content)["campaign"]["id"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    return said if isinstance(said, str) else None


def _broken(name: str) -> NotTaken:
    return NotTaken(
        text("{name}: the archive is broken. Pack the spool folder once more.", name=name)
    )


def _too_large(name: str) -> NotTaken:
    said = text(
        "{name}: it unpacks to more than the {n} MiB that are taken at once. Pack the spool folder"
        " alone, or upload its .jsonl files in several goes.",
        name=name, n=MOST_UNPACKED >> 20,
    )  # fmt: skip
    return NotTaken(said)


def _too_many(name: str) -> NotTaken:
    said = text(
        "{name}: it holds more than the {n} files that are looked through. Pack the spool folder"
        " alone.",
        name=name, n=MOST_FILES,
    )  # fmt: skip
    return NotTaken(said)
