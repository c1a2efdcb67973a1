"""JSON written piece by piece, so that a list of 100,000 files is never whole in memory."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

PIECE: Final = 1 << 16


def json_pieces(value: object) -> Iterator[bytes]:
    """The value as UTF-8 JSON in pieces of about 64 KiB. What has a ``form()`` is written as that,
    made when its turn comes."""
    encoder = json.JSONEncoder(ensure_ascii=False, default=_form, separators=(",", ":"))
    return gathered(encoder.iterencode(value))


def gathered(texts: Iterable[str]) -> Iterator[bytes]:
    """Small texts put together to pieces of about 64 KiB, as UTF-8."""
    waiting: list[str] = []
    length = 0
    for text in texts:
        waiting.append(text)
        length += len(text)
        if length >= PIECE:
            yield "".join(waiting).encode("utf-8", "replace")
            waiting, length = [], 0
    if waiting:
        yield "".join(waiting).encode("utf-8", "replace")


def write_pieces(path: Path, pieces: Iterable[bytes], mode: int = 0o644) -> bool:
    """Replace a file in one step; False when the disk does not take it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        return False
    return True


def _form(value: Any) -> object:
    return value.form()
