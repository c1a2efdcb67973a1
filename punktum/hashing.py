"""SHA-256 of files and folders in constant memory. Only regular files are opened: a pipe that
nobody writes to, or a device, would be waited for without an end."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

BLOCK: Final = 1 << 20
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_WITHOUT_WAITING: Final = getattr(os, "O_NONBLOCK", 0)


class NotRegular(OSError):
    """What was to be read is a folder, a pipe, a socket or a device."""


def open_regular(path: str | os.PathLike[str]) -> io.FileIO:
    """Open a file for reading, and never wait for it. Raises NotRegular, or another OSError.

    It is looked at before it is opened, for opening a device may set it in motion; and again
    after, for another file may have come to its place.
    """
    if stat.S_ISREG(os.stat(path).st_mode):
        stream = io.FileIO(os.open(path, _FLAGS | _WITHOUT_WAITING), "rb")
        if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return stream
        stream.close()
    raise NotRegular(errno.EINVAL, "is no regular file", os.fspath(path))


def stream_sha256(
    stream: io.FileIO, on_bytes: Callable[[int], None] | None = None
) -> tuple[str, int]:
    """SHA-256 hex and size in bytes of a file from here on, read once.

    ``on_bytes`` is told the length of every block read. One that grows as fast as it is read has
    no end: what is read ends with the block that goes beyond the size it had at first.
    """
    digest, size = hashlib.sha256(), 0
    most = os.fstat(stream.fileno()).st_size
    block = memoryview(bytearray(min(BLOCK, most + 1)))
    while length := stream.readinto(block):
        digest.update(block[:length])
        size += length
        if on_bytes is not None:
            on_bytes(length)
        if size > most:
            break
    return digest.hexdigest(), size


def file_sha256(path: Path, on_bytes: Callable[[int], None] | None = None) -> tuple[str, int]:
    """SHA-256 hex and size in bytes of a file, read once; OSError when it cannot be read."""
    with open_regular(path) as stream:
        return stream_sha256(stream, on_bytes)


def path_sha256(path: Path) -> str:
    """Hash of a file's bytes, or of a folder: the hash over its sorted paths and their hashes."""
    if not path.is_dir():
        return file_sha256(path)[0]
    digest = hashlib.sha256()
    for name in sorted(_files_below(path)):
        digest.update(f"{file_sha256(path / name)[0]}  {name}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _files_below(folder: Path) -> list[str]:
    found = []
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        found += [(Path(root) / name).relative_to(folder).as_posix() for name in files]
    return found
