"""What a check looks at and what it says."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from punktum.manifest import FileEntry
from punktum.sheet import Sheet

NAMED_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class Subject:
    """The deliverable's folder, its files, and the campaign's sheet.

    ``waits``: commands wait while a run of ours goes on; else they are left out.
    """

    folder: Path
    files: tuple[FileEntry, ...]
    sheet: Sheet
    waits: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """Passed or not, why in one line, and what was seen; ``not_run`` where it was not tried.

    ``at`` is when it was run, by the machine's clock.
    """

    kind: str
    passed: bool
    detail: str
    evidence: dict[str, object] = field(default_factory=dict)
    not_run: bool = False
    at: str = field(default="", compare=False)

    def form(self) -> dict[str, object]:
        """The wire form."""
        form: dict[str, object] = {"kind": self.kind, "passed": self.passed, "detail": self.detail}
        if self.not_run:
            form["not_run"] = True
        evidence = {**self.evidence, "at": self.at} if self.at else self.evidence
        return {**form, "evidence": evidence} if evidence else form


def but_for(files: Iterable[FileEntry], globs: Iterable[str]) -> list[FileEntry]:
    """The files that none of the patterns names (``*`` also crosses folders)."""
    patterns = list(globs)
    return [
        entry
        for entry in files
        if not any(fnmatch.fnmatchcase(entry.path, pattern) for pattern in patterns)
    ]


def some(names: Iterable[str]) -> str:
    """The first few names, and how many more: ``a, b and 3 more``."""
    listed = list(names)
    shown = ", ".join(listed[:NAMED_AT_MOST])
    more = len(listed) - NAMED_AT_MOST
    return f"{shown} and {more} more" if more > 0 else shown


def inside(subject: Subject, name: str) -> Path | None:
    """A file named by a check, when it lies in the folder; None when it leads out of it."""
    path = subject.folder / name
    try:
        path.resolve().relative_to(subject.folder.resolve())
    except (ValueError, OSError):
        return None
    return path


Announced = Mapping[str, object]
