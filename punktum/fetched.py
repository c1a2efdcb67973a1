"""In which order files are fetched: what the sheet and the manifest say of them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from punktum import instants, reading, talk
from punktum.manifest import FileEntry
from punktum.manifest_file import Listed, is_ours, read_manifest_file
from punktum.rsync import File
from punktum.server import Server
from punktum.settings import Settings
from punktum.sheet import Sheet, campaigns_differ, fetch_sheet, kept_sheet, sheet_in
from punktum.spool import identity_of, read_lines, spool_files

ESSENTIAL, OTHER, SPOOL, CHECKPOINTS, REST = range(5)


@dataclass(frozen=True, slots=True)
class Known:
    """The deliverables' folders, and files that lie in the output folder itself, each with their
    group; when the window ends (seconds since 1970)."""

    folders: Mapping[str, int]
    files: Mapping[str, int]
    has_deliverables: bool
    window_ends_s: float | None

    @classmethod
    def at(cls, home: Path, settings: Settings) -> Known:
        """What the server or the fetched sheet, and the fetched manifest, say."""
        sheet = _sheet(home / ".punktum" / "spool", settings)
        folders = {
            one.id: ESSENTIAL if one.is_essential else OTHER
            for one in (sheet.deliverables if sheet else ())
        }
        files: dict[str, int] = {}
        try:
            _read_manifest(home, folders, files)
        except (OSError, ValueError) as error:
            talk.say(f"the manifest does not tell the order: {error}")
        ends = sheet.last_window_ends_at if sheet else None
        ends_s = instants.epoch_s(ends) if ends else None
        return cls(folders, files, sheet is not None and bool(sheet.deliverables), ends_s)

    def in_order(self, files: Iterable[File]) -> list[list[File]]:
        """The files by their groups."""
        groups: list[list[File]] = [[] for _ in range(REST + 1)]
        for file in files:
            groups[self.group_of(file.name)].append(file)
        return groups

    def group_of(self, name: str) -> int:
        """The group of one file."""
        top, slash, _ = name.partition("/")
        if name in self.files:
            return self.files[name]
        if top == ".punktum":
            return SPOOL
        if slash and top in self.folders:
            return self.folders[top]
        return REST


def _sheet(spool: Path, settings: Settings) -> Sheet | None:
    if settings.url is not None:
        server = Server(settings)
        found = sheet_in(fetch_sheet(server, spool)) if server.has_token else None
        server.close()
        if found is not None and campaigns_differ(spool, found) is None:
            return found
    return kept_sheet(spool)


def _read_manifest(home: Path, folders: dict[str, int], files: dict[str, int]) -> None:
    """Files of a deliverable without a folder of its own are known by name alone."""
    if not is_ours(home):
        return
    head: Listed | None = None
    for one in read_manifest_file(home):
        if isinstance(one, Listed):
            head = one
            if one.folder != ".":
                group = ESSENTIAL if one.is_essential else OTHER
                folders[one.folder] = folders.get(one.id, group)
        elif isinstance(one, FileEntry) and head is not None and head.folder == ".":
            group = folders.get(head.id, ESSENTIAL if head.is_essential else OTHER)
            files[one.path] = min(group, files.get(one.path, group))


@dataclass(slots=True)
class Newest:
    """The newest checkpoint of each run: paths below the folder, and those that lie elsewhere."""

    inside: set[str] = field(default_factory=set)
    outside: list[tuple[str, str]] = field(default_factory=list)

    def holds(self, name: str) -> bool:
        """Whether a file is one of them, or lies in one that is a folder."""
        parts = name.split("/")
        return any("/".join(parts[:end]) in self.inside for end in range(1, len(parts) + 1))


def newest_checkpoints(spool: Path, directory: str) -> Newest:
    """What the spool says of checkpoints. ``directory`` is the output folder there; a path that
    is not absolute is one from where the job was started, so it is met by its end."""
    paths: dict[str, str] = {}
    for file in spool_files(spool):
        identity = identity_of(file)
        for line in read_lines(file):
            if line.kind == "checkpoint" and identity is not None:
                path = reading.text(line.event().get("path"))
                if path:
                    paths[identity.run] = path
    found = Newest()
    base = posixpath.normpath(directory)
    for run, path in paths.items():
        below = _below(posixpath.normpath(path), base)
        if below is None:
            found.outside.append((run, path))
        else:
            found.inside.add(below)
    return found


def _below(path: str, base: str) -> str | None:
    """The path from the output folder on; None for one that lies elsewhere."""
    if base.startswith("/") and path.startswith(f"{base}/"):
        return path[len(base) + 1 :]
    name = posixpath.basename(base)
    if name not in ("", ".", "..") and f"/{name}/" in f"/{path}":
        return f"/{path}".split(f"/{name}/", 1)[1]
    return None if path.startswith(("/", "..")) else path
