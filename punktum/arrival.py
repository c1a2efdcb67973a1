"""Whether the files of a deliverable arrived: hashed here, compared with the maker's manifest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from punktum import reading, talk
from punktum.checks import Verdict
from punktum.checks.verdict import some
from punktum.hashing_progress import HashingProgress
from punktum.manifest import FileEntry, ManifestError, is_inside, make_manifest
from punktum.manifest_file import NAME, Listed, files_of, is_foreign, verified_entry

KIND = "retrieved"


@dataclass(frozen=True, slots=True)
class Arrival:
    """What lies here, which runs made it, and the verdict on it."""

    folder: Path
    files: tuple[FileEntry, ...]
    runs: tuple[str, ...]
    proof: Verdict


def arrived(
    home: Path,
    folder: Path,
    deliverable: str,
    machine: str,
    progress: HashingProgress,
    globs: Sequence[str] = (),
) -> Arrival:
    """Hash what the manifest in ``home`` lists of a deliverable and compare. What else lies there
    does not matter: it came after.

    Without a list all files of ``folder`` are hashed, and the server compares. Raises
    ManifestError, ValueError for a manifest that cannot be trusted, OSError.
    """
    head = verified_entry(home, deliverable)
    if head is None:
        hidden = () if folder != home or is_foreign(home) else (NAME,)
        files = make_manifest(folder, globs, progress.add, without=hidden, on_total=progress.begin)
        counted = talk.count(len(files), "file", "files")
        said = f"{counted} here; {NAME} lists none of it, so the server compares"
        return Arrival(folder, files, (), Verdict(KIND, bool(files), said))
    runs = tuple(reading.texts(head.said.get("runs")))
    where = _where(home, head)
    there = (entry.path for entry in files_of(home, deliverable) if _is_there(where, entry.path))
    files = make_manifest(where, (), progress.add, names=there, on_total=progress.begin)
    if head.said.get("machine_id") == machine:
        proof = Verdict(KIND, False, "this is the machine that made it; prove it on another one")
    else:
        proof = _verdict(head, files_of(home, deliverable), files)
    return Arrival(where, files, runs, proof)


def _where(home: Path, head: Listed) -> Path:
    if head.folder == ".":
        return home
    if not is_inside(head.folder):
        raise ManifestError(f"{NAME} names a folder that leads out of this one: {head.folder!r}")
    return home / head.folder


def _is_there(folder: Path, name: str) -> bool:
    if not is_inside(name):
        raise ManifestError(f"{NAME} names a path that leads out of the folder: {name!r}")
    return os.path.lexists(folder / name)


def _verdict(head: Listed, wanted: Iterator[FileEntry], files: tuple[FileEntry, ...]) -> Verdict:
    """Both are in the order of their paths, so that neither is needed whole a second time."""
    missing, changed, count, length = [], [], 0, 0
    here = iter(files)
    next_here = next(here, None)
    for entry in wanted:
        count, length = count + 1, length + entry.size
        if next_here is None or next_here.path != entry.path:
            missing.append(entry.path)
            continue
        if next_here != entry:
            changed.append(entry.path)
        next_here = next(here, None)
    if not count:
        return Verdict(KIND, False, f"{NAME} lists no file of it")
    counted = talk.count(count, "file", "files")
    wrong = [
        f"{len(names)} {word}: {some(names)}"
        for word, names in (("missing", missing), ("not the same", changed))
        if names
    ]
    if wrong:
        return Verdict(KIND, False, f"{'; '.join(wrong)} (of {counted})")
    return Verdict(
        KIND, True, f"{counted}, {talk.size(length)}: the same as on {head.said.get('host')}"
    )
