"""``MANIFEST.json``: which files each deliverable of an output folder has, as they were verified.

It is JSON, written with one line for each deliverable and each file, so that it is read and changed
line by line however many files it names. It is no part of what it lists.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from punktum import reading
from punktum.hashing import open_regular
from punktum.manifest import FileEntry
from punktum.streaming import gathered, write_pieces

NAME: Final = "MANIFEST.json"
FORMAT: Final = "punktum-manifest/1"
LONGEST_LINE: Final = 1 << 20
_FIRST: Final = f'{{"format": "{FORMAT}",'
_FILES: Final = ', "files": ['
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Listed:
    """What the file says of one deliverable but for its files; ``folder`` is ``.`` or a path."""

    said: Mapping[str, object]

    @property
    def id(self) -> str:
        """The deliverable's id."""
        return reading.text(self.said.get("id")) or ""

    @property
    def folder(self) -> str:
        """Where its files lie, below the output folder."""
        return reading.text(self.said.get("folder")) or "."

    @property
    def is_verified(self) -> bool:
        """Whether files were listed for it."""
        return reading.text(self.said.get("verified_at")) is not None

    @property
    def is_essential(self) -> bool:
        """Whether the campaign cannot do without it."""
        return self.said.get("essential") is not False


def is_ours(folder: Path) -> bool:
    """Whether there is a manifest file, and it is one that was written here."""
    return _first(folder / NAME).startswith(_FIRST)


def is_foreign(folder: Path) -> bool:
    """Whether somebody else's file has that name: it is a file like any other, and stays."""
    try:
        (folder / NAME).lstat()
    except OSError:
        return False
    return not is_ours(folder)


def _first(path: Path) -> str:
    try:
        with open_regular(path) as stream:
            return stream.read(len(_FIRST)).decode("utf-8", "replace")
    except OSError:
        return ""


def read_manifest_file(folder: Path) -> Iterator[Listed | FileEntry]:
    """Each deliverable, followed by its files. Raises ValueError for a line that is not as it was
    written, OSError where it cannot be read."""
    for number, line in enumerate(_lines(folder / NAME), 1):
        said = line.rstrip().rstrip(",")
        if number == 1 or said in ("]}", ""):
            continue
        try:
            if said.endswith(_FILES):
                head = reading.record(json.loads(f"{said}]}}"))
                head.pop("files", None)
                yield Listed(head)
                continue
            found = reading.record(json.loads(said))
        except (ValueError, RecursionError):
            raise ValueError(f"line {number} of {NAME} is not as it was written") from None
        yield _entry(found, number)


def _entry(found: Mapping[str, object], number: int) -> FileEntry:
    path, size = reading.text(found.get("path")), reading.whole(found.get("size"))
    sha256 = reading.text(found.get("sha256")) or ""
    if path is None or size is None or not _SHA256.fullmatch(sha256):
        raise ValueError(f"line {number} of {NAME} is not as it was written")
    return FileEntry(path, size, sha256)


def listed(folder: Path) -> list[Listed]:
    """The deliverables that it names; none where there is no such file of ours."""
    if not is_ours(folder):
        return []
    return [one for one in read_manifest_file(folder) if isinstance(one, Listed)]


def verified_entry(folder: Path, deliverable: str) -> Listed | None:
    """What was verified of a deliverable; None where nothing was."""
    there = (one for one in listed(folder) if one.id == deliverable and one.is_verified)
    return next(there, None)


def files_of(folder: Path, deliverable: str) -> Iterator[FileEntry]:
    """The files that are listed of a deliverable, in the order of their paths. Raises ValueError
    where they are in another order."""
    is_its = False
    last = ""
    for one in read_manifest_file(folder):
        if isinstance(one, Listed):
            if is_its:
                return
            is_its = one.id == deliverable
        elif is_its:
            if one.path <= last:
                raise ValueError(f"{NAME} is not as it was written: {one.path!r} is out of order")
            last = one.path
            yield one


def write_manifest_file(
    folder: Path,
    campaign: str | None,
    found: Mapping[str, tuple[Listed, Iterable[FileEntry]]],
) -> bool:
    """Write what was found, and keep what the file says of other deliverables; False when the
    disk does not take it. Raises ValueError where the file there is not as it was written."""
    return write_pieces(folder / NAME, gathered(_texts(folder, campaign, found)))


def _texts(
    folder: Path,
    campaign: str | None,
    found: Mapping[str, tuple[Listed, Iterable[FileEntry]]],
) -> Iterator[str]:
    yield f'{_FIRST} "campaign": {json.dumps(campaign, ensure_ascii=False)}, "deliverables": ['
    is_first = True
    for head, files in _blocks(folder, found):
        yield "\n" if is_first else ",\n"
        is_first = False
        yield f"{json.dumps(dict(head.said), ensure_ascii=False)[:-1]}{_FILES}"
        mark = "\n"
        for entry in files:
            yield f"{mark}{json.dumps(entry.form(), ensure_ascii=False)}"
            mark = ",\n"
        yield "\n]}"
    yield "\n]}\n"


def _blocks(
    folder: Path, found: Mapping[str, tuple[Listed, Iterable[FileEntry]]]
) -> Iterator[tuple[Listed, Iterable[FileEntry]]]:
    """Those that were there in their order, renewed where they were found, then the new ones."""
    there = listed(folder)
    for head in there:
        if head.id in found:
            yield found[head.id]
        else:
            yield head, files_of(folder, head.id)
    for name, block in found.items():
        if all(head.id != name for head in there):
            yield block


def _lines(path: Path) -> Iterator[str]:
    """Its lines; a line that does not end is refused, for it would be read whole."""
    with io.TextIOWrapper(io.BufferedReader(open_regular(path)), encoding="utf-8") as stream:
        while line := stream.readline(LONGEST_LINE):
            if not line.endswith("\n"):
                raise ValueError(f"a line of {NAME} has no end")
            yield line
