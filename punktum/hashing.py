"""SHA-256 of files and folders in constant memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

BLOCK: Final = 1 << 20


def file_sha256(path: Path, on_bytes: Callable[[int], None] | None = None) -> tuple[str, int]:
    """SHA-256 hex and size in bytes of a file, read once; OSError when it cannot be read.

    ``on_bytes`` is told the length of every block read.
    """
    digest, size = hashlib.sha256(), 0
    block = memoryview(bytearray(BLOCK))
    with path.open("rb", buffering=0) as stream:
        while length := stream.readinto(block):
            digest.update(block[:length])
            size += length
            if on_bytes is not None:
                on_bytes(length)
    return digest.hexdigest(), size


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
