"""What an archive would unpack to, seen without unpacking it: zip, tar, tar.gz.

Names, sizes and links are read, nothing is written, and memory stays small whatever the archive
says of itself.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from punktum.tars import Readable, Seekable, tar_members
from punktum.zips import zip_members

MOST_TIMES: Final = 100
SMALL: Final = 1 << 30
MOST_UNPACKED: Final = 1 << 40
MOST_MEMBERS: Final = 1_000_000
_GZIP: Final = (".tar.gz", ".tgz")


class NotWhole(ValueError):
    """The archive ends too early, or is none."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive: its path as written, bytes unpacked, where a link leads."""

    name: str
    size: int
    link: str | None = None


def most_unpacked(packed: int) -> int:
    """How many bytes an archive of ``packed`` bytes may unpack to: 100 times as many, at least
    1 GiB and at most 1 TiB; a plain tar is always fine."""
    return max(packed, min(MOST_UNPACKED, max(SMALL, MOST_TIMES * packed)))


def archive_problem(stream: io.FileIO, name: str) -> str | None:
    """What is wrong with an archive by its file's name; None for what is none, or is fine.

    Raises OSError where it cannot be read.
    """
    read = _reader(name.lower())
    if read is None:
        return None
    packed = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    most = most_unpacked(packed)
    unpacked = 0
    try:
        for number, member in enumerate(read(stream, most), 1):
            if number > MOST_MEMBERS:
                return f"is an archive of more than {MOST_MEMBERS} files"
            if leads_out(member.name):
                return f"is an archive that holds a path out of its folder: {member.name[:200]!r}"
            if member.link is not None and link_leads_out(member.name, member.link):
                link = f"{member.name[:200]!r} to {member.link[:200]!r}"
                return f"is an archive that holds a link out of its folder: {link}"
            unpacked += member.size
            if unpacked > most:
                return _too_large(packed, most)
    except TooMuch:
        return _too_large(packed, most)
    except (NotWhole, EOFError, zlib.error, gzip.BadGzipFile, ValueError) as error:
        return f"is no whole archive: {error}"
    return None


def _too_large(packed: int, most: int) -> str:
    size, limit = f"{packed / 2**20:.1f} MiB", f"{most / 2**30:.0f} GiB"
    return f"is an archive of {size} that would unpack to more than {limit}"


def leads_out(name: str) -> bool:
    """Whether a path, once unpacked, lies outside the folder: absolute, or by ``..``."""
    path = name.replace("\\", "/")
    return path.startswith("/") or path[1:2] == ":" or ".." in path.split("/")


def link_leads_out(name: str, link: str) -> bool:
    """Whether a link leads out of the folder that the archive is unpacked in."""
    target = link.replace("\\", "/")
    if target.startswith("/") or target[1:2] == ":":
        return True
    depth = len([part for part in name.split("/")[:-1] if part not in ("", ".")])
    for part in target.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


Reader = Callable[[io.FileIO, int], Iterator[Member]]


def _reader(name: str) -> Reader | None:
    if name.endswith(".zip"):
        return _in_zip
    if name.endswith(_GZIP):
        return _in_gzip
    return _in_tar if name.endswith(".tar") else None


def _in_zip(stream: io.FileIO, most: int) -> Iterator[Member]:
    with io.BufferedReader(_Borrowed(stream), 1 << 16) as buffered:
        for name, size, link in zip_members(buffered):
            yield Member(name, size, link)


def _in_tar(stream: io.FileIO, most: int) -> Iterator[Member]:
    with io.BufferedReader(_Borrowed(stream), 1 << 16) as buffered:
        for name, size, link in tar_members(buffered, lambda length: _skip(buffered, length)):
            yield Member(name, size, link)


def _in_gzip(stream: io.FileIO, most: int) -> Iterator[Member]:
    """What is unpacked on the way is counted too: a bomb may lie between two members."""
    with gzip.GzipFile(fileobj=stream, mode="rb") as unpacking:
        counted = _Counted(unpacking, most)
        for name, size, link in tar_members(counted, counted.skip):
            yield Member(name, size, link)


def _skip(stream: Seekable, length: int) -> None:
    end = stream.seek(0, io.SEEK_CUR) + length
    if end > stream.seek(0, io.SEEK_END):
        raise NotWhole("it is cut off")
    stream.seek(end)


class TooMuch(Exception):
    """More was unpacked than may be."""


class _Counted:
    """Reads what a decompressor gives, up to a limit."""

    def __init__(self, stream: Readable, most: int) -> None:
        self._stream, self._left = stream, most

    def read(self, length: int) -> bytes:
        """At most so many bytes; raises TooMuch beyond the limit."""
        found = self._stream.read(length)
        self._left -= len(found)
        if self._left < 0:
            raise TooMuch
        return found

    def skip(self, length: int) -> None:
        """Pass over so many bytes, which must be there."""
        while length > 0:
            found = self.read(min(length, 1 << 18))
            if not found:
                raise NotWhole("it is cut off")
            length -= len(found)


class _Borrowed(io.RawIOBase):
    """A stream that stays open when what reads it is closed."""

    def __init__(self, stream: io.FileIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """It is read."""
        return True

    def seekable(self) -> bool:
        """It is a file."""
        return True

    def readinto(self, block: object) -> int:
        """Read on."""
        return self._stream.readinto(block)  # type: ignore[arg-type]

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        return self._stream.seek(offset, whence)
