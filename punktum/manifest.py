"""The manifest of a folder: every file with size and SHA-256, read once, in constant memory."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

from punktum.archives import archive_problem
from punktum.hashing import NotRegular, open_regular, stream_sha256

OURS: Final = ".punktum"
_PARTS: Final = re.compile(r"[/\\]")
_DRIVE: Final = re.compile(r"[A-Za-z]:")


class ManifestError(ValueError):
    """The folder holds something a manifest cannot stand for; the text names it."""


class FileEntry:
    """One file: path below the folder with ``/``, size in bytes, SHA-256 hex.

    There may be 100,000 of them, so the hash is kept as its 32 bytes.
    """

    __slots__ = ("_digest", "path", "size")

    def __init__(self, path: str, size: int, sha256: str) -> None:
        self.path, self.size = path, size
        self._digest = bytes.fromhex(sha256)

    @property
    def sha256(self) -> str:
        """The hash in hex."""
        return self._digest.hex()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileEntry) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"FileEntry({self.path!r}, {self.size}, {self.sha256!r})"

    @property
    def _parts(self) -> tuple[str, int, bytes]:
        return self.path, self.size, self._digest

    def form(self) -> dict[str, object]:
        """The wire form."""
        return {"path": self.path, "size": self.size, "sha256": self.sha256}


def make_manifest(
    folder: Path,
    globs: Iterable[str] = (),
    on_bytes: Callable[[int], None] | None = None,
    *,
    names: Iterable[str] | None = None,
    without: Collection[str] = (),
    on_total: Callable[[int], None] | None = None,
) -> tuple[FileEntry, ...]:
    """The files of a folder, sorted; with ``globs`` only those that one of them names, with
    ``names`` exactly these, never those in ``without``.

    Our own ``.punktum`` is left out. ``on_total`` is told the bytes there are before ``on_bytes``
    is told of any. Raises ManifestError for links that lead out of the folder, for what is no
    regular file, for what changes while it is read, and for archives that are not to be unpacked;
    OSError for what cannot be read.
    """
    patterns = list(globs)
    home = Path(os.path.realpath(folder))
    found, total = [], 0
    for name in _names(str(folder)) if names is None else names:
        named = not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
        if named and name not in without:
            found.append(name)
            total += _checked_size(home, folder / name, name)
    if on_total is not None:
        on_total(total)
    found.sort()
    return tuple(_entry(folder, name, on_bytes) for name in found)


def is_inside(name: str) -> bool:
    """Whether a path that somebody else wrote down stays below the folder that it is read in."""
    parts = _PARTS.split(name)
    return not _DRIVE.match(name) and all(part not in ("", ".", "..") for part in parts)


def _names(folder: str) -> Iterator[str]:
    """Paths of all that is no folder, links among them. Raises OSError for a folder that cannot
    be read: what is in it would be missing without a word."""
    waiting = [""]
    while waiting:
        below = waiting.pop()
        with os.scandir(os.path.join(folder, below)) as entries:
            for entry in entries:
                name = f"{below}/{entry.name}" if below else entry.name
                try:
                    name.encode("utf-8")
                except UnicodeEncodeError:
                    raise ManifestError(f"the name {name!r} is not UTF-8") from None
                if not entry.is_dir(follow_symlinks=False):
                    yield name
                elif entry.name != OURS:
                    waiting.append(name)


def _checked_size(home: Path, path: Path, name: str) -> int:
    """The size of a file that may be read; nothing is opened for it."""
    standing = os.lstat(path)
    if stat.S_ISLNK(standing.st_mode):
        target = Path(os.path.realpath(path))
        if not target.is_relative_to(home):
            raise ManifestError(f"{name} is a link that leads out of the folder, to {target}")
        if target.is_dir():
            raise ManifestError(f"{name} is a link to a folder")
        standing = os.stat(path)
    elif not Path(os.path.realpath(path.parent)).is_relative_to(home):
        raise ManifestError(f"{name} lies behind a link that leads out of the folder")
    if not stat.S_ISREG(standing.st_mode):
        raise ManifestError(f"{name} is no regular file but {_kind(standing.st_mode)}")
    return standing.st_size


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISBLK, "a device"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISDIR, "a folder"),
    )
    return next((word for is_one, word in kinds if is_one(mode)), "something else")


def _entry(folder: Path, name: str, on_bytes: Callable[[int], None] | None) -> FileEntry:
    try:
        with open_regular(folder / name) as stream:
            before = os.fstat(stream.fileno())
            digest, size = stream_sha256(stream, on_bytes)
            problem = archive_problem(stream, name)
            after = os.fstat(stream.fileno())
    except NotRegular:
        raise ManifestError(f"{name} is no regular file any more") from None
    if size != after.st_size or _standing(before) != _standing(after):
        raise ManifestError(
            f"{name} changed while it was read; verify again when nothing writes to it"
        )
    if problem is not None:
        raise ManifestError(f"{name} {problem}")
    return FileEntry(name, size, digest)


def _standing(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns
