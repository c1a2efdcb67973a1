"""``non_empty``: there are files, and none of them is empty. ``except`` names patterns left out."""

from __future__ import annotations

from punktum import reading, talk
from punktum.checks.verdict import Announced, Subject, Verdict, but_for, some

KIND = "non_empty"


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when at least one file is there and every one has bytes in it."""
    name = reading.text(announced.get("file"))
    files = but_for(subject.files, reading.texts(announced.get("except")))
    if name is not None:
        files = [entry for entry in files if entry.path == name]
    if not files:
        return Verdict(KIND, False, f"{name} is not there" if name else "there is no file")
    empty = [entry.path for entry in files if entry.size == 0]
    counted = talk.count(len(files), "file", "files")
    evidence: dict[str, object] = {"files": len(files), "empty": empty[:100]}
    if empty:
        return Verdict(KIND, False, f"empty: {some(empty)} ({counted})", evidence)
    return Verdict(KIND, True, f"{counted}, none empty", evidence)
