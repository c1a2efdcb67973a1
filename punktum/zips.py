"""The members of a zip by its central directory alone, one at a time."""

from __future__ import annotations

import io
import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from punktum.tars import Seekable

_END, _END64, _PLACE64, _RECORD, _LOCAL = b"PK\5\6", b"PK\6\6", b"PK\6\7", b"PK\1\2", b"PK\3\4"
_LAST_PART: Final = (1 << 16) + 22
_FULL: Final = 0xFFFFFFFF
LONGEST_LINK: Final = 4096


@dataclass(frozen=True, slots=True)
class _Record:
    name: str
    size: int
    packed: int
    place: int
    method: int
    mode: int


def zip_members(stream: Seekable) -> Iterator[tuple[str, int, str | None]]:
    """Name, unpacked size and link's target of each member. Raises ValueError where it is no
    whole zip."""
    count, place, shift = _directory(stream)
    for _ in range(count):
        stream.seek(place)
        record, place = _record(stream, place)
        link = _link(stream, record, shift) if stat.S_ISLNK(record.mode) else None
        yield record.name, record.size, link


def _directory(stream: Seekable) -> tuple[int, int, int]:
    """How many members, where their list begins, and what stands before the first."""
    length = stream.seek(0, io.SEEK_END)
    begin = max(0, length - _LAST_PART)
    stream.seek(begin)
    last = stream.read(_LAST_PART)
    found = last.rfind(_END)
    if found < 0 or len(last) - found < 22:
        raise ValueError("its list of files is missing")
    end = begin + found
    count, size, offset = struct.unpack("<10xHLL2x", last[found : found + 22])
    if _FULL in (size, offset) or count == 0xFFFF:
        count, size, offset, end = _directory64(stream, end) or (count, size, offset, end)
    shift = end - size - offset
    if shift < 0:
        raise ValueError("its list of files is damaged")
    return count, offset + shift, shift


def _directory64(stream: Seekable, end: int) -> tuple[int, int, int, int] | None:
    if end < 20:
        return None
    stream.seek(end - 20)
    place = stream.read(20)
    if not place.startswith(_PLACE64):
        return None
    (offset,) = struct.unpack("<8xQ4x", place)
    stream.seek(offset)
    raw = stream.read(56)
    if len(raw) < 56 or not raw.startswith(_END64):
        raise ValueError("its list of files is damaged")
    count, size, begin = struct.unpack("<32xQQQ", raw)
    return count, size, begin, offset


def _record(stream: Seekable, place: int) -> tuple[_Record, int]:
    raw = stream.read(46)
    if len(raw) < 46 or not raw.startswith(_RECORD):
        raise ValueError("its list of files is damaged")
    flags, method, packed, size, named, extra, said, mode, offset = struct.unpack(
        "<8xHH8xLLHHH4xLL", raw
    )
    name, more = stream.read(named), stream.read(extra)
    if len(name) < named or len(more) < extra:
        raise ValueError("it is cut off")
    size, packed, offset = _wide(more, size, packed, offset)
    text = name.decode("utf-8" if flags & 0x800 else "cp437", "replace")
    record = _Record(text, size, packed, offset, method, mode >> 16)
    return record, place + 46 + named + extra + said


def _wide(extra: bytes, *numbers: int) -> tuple[int, int, int]:
    """The numbers that 32 bits do not hold stand in an extra field, in their order."""
    found = list(numbers)
    while len(extra) >= 4:
        kind, length = struct.unpack("<HH", extra[:4])
        field, extra = extra[4 : 4 + length], extra[4 + length :]
        if kind != 1:
            continue
        for index, number in enumerate(found):
            if number == _FULL and len(field) >= 8:
                found[index], field = struct.unpack("<Q", field[:8])[0], field[8:]
    return found[0], found[1], found[2]


def _link(stream: Seekable, record: _Record, shift: int) -> str:
    """Where a symbolic link leads: it is what the member holds."""
    if record.size > LONGEST_LINK or record.packed > 2 * LONGEST_LINK:
        raise ValueError("a link in it is too long")
    stream.seek(record.place + shift)
    raw = stream.read(30)
    if len(raw) < 30 or not raw.startswith(_LOCAL):
        raise ValueError("a link in it cannot be read")
    named, extra = struct.unpack("<26xHH", raw)
    stream.seek(named + extra, io.SEEK_CUR)
    held = stream.read(record.packed)
    if record.method == 8:
        held = zlib.decompressobj(-15).decompress(held, LONGEST_LINK)
    elif record.method != 0:
        raise ValueError("a link in it cannot be read")
    return held.decode("utf-8", "replace")
