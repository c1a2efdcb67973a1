"""``no_temporary_paths``: no file names a place that is gone tomorrow, such as ``/tmp/…``.

All files are read as bytes, in blocks; binary ones (a saved model) count as well, but there a name
of some length must follow, so that chance bytes are no finding. Nor does a file lie in a folder
called ``tmp`` (the server looks for that too). ``except`` names patterns left out, ``logs/*`` say.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Final

from punktum import reading, talk
from punktum.checks.verdict import Announced, Subject, Verdict, but_for

KIND: Final = "no_temporary_paths"
BLOCK: Final = 1 << 20
OVERLAP: Final = 512
LOOKED_AT_FOR_BINARY: Final = 8192
FOLDERS: Final = frozenset({"tmp", "temp", ".tmp"})
"""Folder names inside an output folder that say: not meant to stay."""

_NAME = rb"[A-Za-z0-9_.\-]"
_UNIX = rb"(?<![A-Za-z0-9_.\-])(?:/private)?(?:/var/tmp|/tmp|/dev/shm|/var/folders|/run/user/\d+)"
_WINDOWS = (
    rb"[A-Za-z]:(?:\\{1,2}|/)(?:[^\\/\s\"'<>|:*?]+(?:\\{1,2}|/))*?(?i:te?mp)(?:\\{1,2}|/)" + _NAME
)
_VARIABLE = rb"\$\{?(?:TMPDIR|TMP|TEMP)\b\}?|%(?:TMP|TEMP)%"


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when no file holds a path into a temporary folder."""
    files = but_for(subject.files, reading.texts(announced.get("except")))
    text, binary = _patterns()
    found: list[dict[str, object]] = []
    for entry in files:
        path = subject.folder / entry.path
        hit = first_hit(path, binary if _is_binary(path) else text)
        if hit is None and not FOLDERS.isdisjoint(entry.path.lower().split("/")[:-1]):
            hit = entry.path
        if hit is not None:
            found.append({"file": entry.path, "path": hit})
    counted = talk.count(len(files), "file", "files")
    if found:
        named = "; ".join(f"{item['file']}: {item['path']}" for item in found[:3])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        return Verdict(KIND, False, f"{named}{more}", {"found": found[:100]})
    return Verdict(KIND, True, f"none in {counted}", {"files": len(files)})


def first_hit(path: Path, pattern: re.Pattern[bytes]) -> str | None:
    """The first path found in a file, reading it in blocks that overlap."""
    kept = b""
    with path.open("rb", buffering=0) as stream:
        while block := stream.read(BLOCK):
            window = kept + block
            match = pattern.search(window, 1 if kept else 0)
            if match is not None and (match.end() < len(window) or len(block) < BLOCK):
                return _whole_name(window, match)
            kept = window[-OVERLAP:]
    match = pattern.search(kept, 1 if len(kept) == OVERLAP else 0)
    return _whole_name(kept, match) if match is not None else None


def _whole_name(window: bytes, match: re.Match[bytes]) -> str:
    rest = re.match(rb"[A-Za-z0-9_.\-/\\ ]{0,80}", window[match.end() :])
    return (match[0] + (rest[0] if rest else b"")).decode("utf-8", "replace").strip()


def _patterns() -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """For text and for binary files; this machine's own temporary folder is one of the places."""
    places = [_UNIX]
    own = os.fsencode(tempfile.gettempdir()).rstrip(b"/")
    if own.count(b"/") > 1:
        places.append(re.escape(own))
    unix = rb"(?:" + rb"|".join(places) + rb")"
    text = unix + rb"(?!" + _NAME + rb")|" + _WINDOWS + rb"|" + _VARIABLE
    binary = unix + rb"/" + _NAME + rb"{3}|" + _WINDOWS + _NAME + rb"{2}"
    return re.compile(text), re.compile(binary)


def _is_binary(path: Path) -> bool:
    with path.open("rb") as stream:
        return b"\0" in stream.read(LOOKED_AT_FOR_BINARY)
