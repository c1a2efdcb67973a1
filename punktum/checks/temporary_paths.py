"""``no_temporary_paths``: no file names a place that is gone tomorrow, such as ``/tmp/…``.

All files are read as bytes, in blocks; binary ones (a saved model) count as well, but there a name
of some length must follow, so that chance bytes are no finding. Nor does a file lie in a folder
called ``tmp`` (the server looks for that too). Logs and the trainer's state, which no reload needs,
are only warned of. ``except`` names patterns left out, ``notes/*`` say.
"""

from __future__ import annotations

import fnmatch
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

NOT_RELOADED: Final = (
    "*.log", "log/*", "logs/*", "*/log/*", "*/logs/*", "log.txt", "*/log.txt",
    "stdout.txt", "*/stdout.txt", "stderr.txt", "*/stderr.txt", "*.out", "*.err",
    "trainer_state.json", "*/trainer_state.json", "training_args.bin", "*/training_args.bin",
    "optimizer.*", "*/optimizer.*", "scheduler.pt", "*/scheduler.pt",
    "rng_state*.pth", "*/rng_state*.pth", "events.out.tfevents.*", "*/events.out.tfevents.*",
    "wandb/*", "*/wandb/*", "mlruns/*", "*/mlruns/*", "lightning_logs/*", "*/lightning_logs/*",
)  # fmt: skip
"""Logs and trainer state: where a path in them is gone tomorrow, nothing that is loaded breaks."""

_NAME = rb"[A-Za-z0-9_.\-]"
_UNIX = rb"(?<![A-Za-z0-9_.\-])(?:/private)?(?:/var/tmp|/tmp|/dev/shm|/var/folders|/run/user/\d+)"
_WINDOWS = (
    rb"[A-Za-z]:(?:\\{1,2}|/)(?:[^\\/\s\"'<>|:*?]+(?:\\{1,2}|/))*?(?i:te?mp)(?:\\{1,2}|/)" + _NAME
)
_VARIABLE = rb"\$\{?(?:TMPDIR|TMP|TEMP)\b\}?|%(?:TMP|TEMP)%"


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when no file that a reload may need holds a path into a temporary folder."""
    files = but_for(subject.files, reading.texts(announced.get("except")))
    text, binary = _patterns()
    found: list[dict[str, object]] = []
    warned: list[dict[str, object]] = []
    for entry in files:
        path = subject.folder / entry.path
        hit = first_hit(path, binary if _is_binary(path) else text)
        if hit is None and not FOLDERS.isdisjoint(entry.path.lower().split("/")[:-1]):
            hit = entry.path
        if hit is not None:
            places = warned if is_not_reloaded(entry.path) else found
            places.append({"file": entry.path, "path": hit})
    evidence: dict[str, object] = {"warned": warned[:100]} if warned else {}
    if found:
        return Verdict(KIND, False, _named(found), {"found": found[:100], **evidence})
    counted = talk.count(len(files), "file", "files")
    evidence = {"files": len(files), **evidence}
    if warned:
        said = f"none in {counted} but for logs and trainer state: {_named(warned)}"
        return Verdict(KIND, True, said, evidence)
    return Verdict(KIND, True, f"none in {counted}", evidence)


def is_not_reloaded(path: str) -> bool:
    """Whether a file is a log or the trainer's state, by its name."""
    return any(fnmatch.fnmatchcase(path.lower(), pattern) for pattern in NOT_RELOADED)


def _named(places: list[dict[str, object]]) -> str:
    """The first three, and how many more."""
    named = "; ".join(f"{item['file']}: {item['path']}" for item in places[:3])
    return f"{named} and {len(places) - 3} more" if len(places) > 3 else named


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
