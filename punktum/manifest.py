"""The manifest of a folder: every file with size and SHA-256, read once, in constant memory."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from punktum.hashing import file_sha256

OURS: Final = ".punktum"


class ManifestError(ValueError):
    """The folder holds something a manifest cannot stand for; the text names it."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file: path below the folder with ``/``, size in bytes, SHA-256 hex."""

    path: str
    size: int
    sha256: str

    def form(self) -> dict[str, object]:
        """The wire form."""
        return {"path": self.path, "size": self.size, "sha256": self.sha256}


def make_manifest(
    folder: Path,
    globs: Iterable[str] = (),
    on_bytes: Callable[[int], None] | None = None,
) -> tuple[FileEntry, ...]:
    """The files of a folder, sorted; with ``globs`` only those that one of them names.

    Our own ``.punktum`` is left out. Raises ManifestError for links that lead out of the folder
    and for what is no regular file, OSError for what cannot be read.
    """
    patterns = list(globs)
    entries = []
    for name in sorted(_names(folder)):
        if patterns and not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            continue
        path = folder / name
        _check_kind(folder, path, name)
        digest, size = file_sha256(path, on_bytes)
        entries.append(FileEntry(name, size, digest))
    return tuple(entries)


def _names(folder: Path) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != OURS]
        linked = [name for name in folders if (Path(root) / name).is_symlink()]
        for name in [*files, *linked]:
            relative = (Path(root) / name).relative_to(folder).as_posix()
            try:
                relative.encode("utf-8")
            except UnicodeEncodeError:
                raise ManifestError(f"the name {relative!r} is not UTF-8") from None
            yield relative


def _check_kind(folder: Path, path: Path, name: str) -> None:
    if path.is_symlink():
        target = path.resolve()
        if not target.is_relative_to(folder.resolve()):
            raise ManifestError(f"{name} is a link that leads out of the folder, to {target}")
        if target.is_dir():
            raise ManifestError(f"{name} is a link to a folder")
    if not stat.S_ISREG(path.stat().st_mode):
        raise ManifestError(f"{name} is no regular file")
