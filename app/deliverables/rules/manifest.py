"""Manifests: which files there are, by path, size and SHA-256, and how two of them differ.

Paths are counted from the output folder, so that the same files give the same manifest on
every machine.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.deliverables.rules.objection import Objection
from app.texts import Text, text

LONGEST_PATH = 1024
MOST_FILES = 100_000
LARGEST = 2**53 - 1  # beyond it canonical JSON cannot say a number exactly
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class File:
    """One file of an output folder; `size` in bytes."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Difference:
    """How a manifest differs from another: paths in their order."""

    missing: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.added or self.changed)


def path_problem(path: str) -> Text | None:
    """What is wrong with a path of a manifest; None when it stays inside its folder."""
    shown = visible(path)[:200]
    if not path:
        return text("A path is empty.")
    if len(path) > LONGEST_PATH:
        return text("“{path}” is longer than {n} characters.", path=shown, n=LONGEST_PATH)
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in path):
        return text("“{path}” holds a control character.", path=shown)
    if path.startswith(("/", "\\")) or _DRIVE.match(path):
        return text("“{path}” is not relative to the output folder.", path=shown)
    if ".." in re.split(r"[/\\]", path):
        return text("“{path}” leads out of the output folder.", path=shown)
    if any(part in ("", ".") for part in path.split("/")):
        return text("“{path}” is not in its shortest form.", path=shown)
    return None


def manifest_objection(files: Sequence[File]) -> Objection | None:
    """The first thing that makes a manifest unreadable, or None."""
    if not files:
        return Objection("manifest.files", text("The manifest names no file."))
    if len(files) > MOST_FILES:
        message = text("{n} files are too many; at most {most}.", n=len(files), most=MOST_FILES)
        return Objection("manifest.files", message)
    seen: set[str] = set()
    for index, file in enumerate(files):
        problem = path_problem(file.path)
        if problem is not None:
            return Objection(f"manifest.files.{index}.path", problem)
        if file.path in seen:
            message = text("“{path}” is there twice.", path=file.path)
            return Objection(f"manifest.files.{index}.path", message)
        seen.add(file.path)
        if not 0 <= file.size <= LARGEST:
            message = text("A size is a whole number of bytes from 0 on.")
            return Objection(f"manifest.files.{index}.size", message)
        if not _SHA256.fullmatch(file.sha256):
            message = text("A SHA-256 is written as 64 small hex digits.")
            return Objection(f"manifest.files.{index}.sha256", message)
    return None


def in_order(files: Iterable[File]) -> tuple[File, ...]:
    """The files by their paths: the one order of a manifest."""
    return tuple(sorted(files, key=lambda file: file.path))


def manifest_sha256(files: Iterable[File]) -> str:
    """SHA-256 over the files in order, as `[path, size, sha256]` in compact JSON."""
    rows = [[file.path, file.size, file.sha256] for file in in_order(files)]
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def difference(wanted: Iterable[File], found: Iterable[File]) -> Difference:
    """What `found` lacks, adds or has otherwise, against `wanted`."""
    right = {file.path: file for file in wanted}
    there = {file.path: file for file in found}
    return Difference(
        tuple(sorted(set(right) - set(there))),
        tuple(sorted(set(there) - set(right))),
        tuple(sorted(path for path in set(right) & set(there) if right[path] != there[path])),
    )


def visible(given: str) -> str:
    """A text with control characters and lone surrogates made visible; line breaks stay."""
    return "".join(_sign(sign) for sign in given.replace("\r\n", "\n"))


def _sign(sign: str) -> str:
    if sign == "\n" or unicodedata.category(sign) not in ("Cc", "Cs"):
        return sign
    code = ord(sign)
    return chr(0x2400 + code) if code < 0x20 else f"\\u{code:04x}"
