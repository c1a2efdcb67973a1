"""The members of a tar by its headers alone: ustar, GNU long names, pax."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol

BLOCK: Final = 512
LONGEST_HEADER: Final = 1 << 20
"""A long name or a pax header that is larger than this is none."""
_PAX, _LONG_NAME, _LONG_LINK = b"xg", b"L", b"K"
_SPARSE: Final = b"S"
_LINKS: Final = b"12"
_NO_DATA: Final = b"123456"


class Readable(Protocol):
    """What gives bytes in order."""

    def read(self, length: int, /) -> bytes:
        """At most so many bytes; none at the end."""


class Seekable(Readable, Protocol):
    """What is also read from any place."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to a place; gives where that is."""


def tar_members(
    stream: Readable, skip: Callable[[int], None]
) -> Iterator[tuple[str, int, str | None]]:
    """Name, size and link's target of each member. Raises ValueError where it is no whole tar.

    A hard link's target is a path of the archive, a symbolic one's a path from where it lies; both
    are given as from where it lies.
    """
    said: dict[str, str] = {}
    is_first = True
    while True:
        header = _read(stream, BLOCK, may_end=not is_first)
        if not header or not header.strip(b"\0"):
            if is_first:
                raise ValueError("it is empty")
            return
        is_first = False
        if _checksum(header) != _number(header[148:156]):
            raise ValueError("a header in it is damaged")
        kind, size = header[156:157], _number(header[124:136])
        if kind in (_LONG_NAME, _LONG_LINK) or (kind and kind in _PAX):
            said.update(_said(kind, _long(stream, size)))
            continue
        size = int(said["size"]) if said.get("size", "").isdigit() else size
        name = said.get("path") or _name(header)
        link = said.get("linkpath") or _text(header[157:257])
        said_real = int(said["real"]) if said.get("real", "").isdigit() else 0
        said = {}
        if kind == b"1":  # counted from the archive's root
            link = "../" * name.strip("/").count("/") + link if not link.startswith("/") else link
        holds = 0 if kind and kind in _NO_DATA else size
        real = _sparse(stream, header) if kind == _SPARSE else said_real
        yield name, max(holds, real), link if kind and kind in _LINKS else None
        skip(-(-holds // BLOCK) * BLOCK)


def _read(stream: Readable, length: int, may_end: bool = False) -> bytes:
    parts: list[bytes] = []
    left = length
    while left:
        part = stream.read(left)
        if not part:
            break
        parts.append(part)
        left -= len(part)
    found = b"".join(parts)
    if len(found) == length or (may_end and not found):
        return found
    raise ValueError("it is cut off")


def _long(stream: Readable, size: int) -> bytes:
    if size > LONGEST_HEADER:
        raise ValueError("a header in it is too long")
    return _read(stream, -(-size // BLOCK) * BLOCK)[:size]


def _said(kind: bytes, raw: bytes) -> dict[str, str]:
    """What a header says of the member that follows; of all members where pax says so (``g``),
    which nobody does for names, sizes and links."""
    if kind in (_LONG_NAME, _LONG_LINK):
        return {"path" if kind == _LONG_NAME else "linkpath": _text(raw)}
    if kind == b"g":
        return {}
    found = {}
    while raw:
        length, space, _ = raw.partition(b" ")
        if not space or not length.isdigit() or not len(length) < int(length) <= len(raw):
            raise ValueError("a header in it is damaged")
        record, raw = raw[len(length) + 1 : int(length) - 1], raw[int(length) :]
        name, _, value = record.partition(b"=")
        found[_text(name)] = _text(value)
    real = found.get("GNU.sparse.realsize") or found.get("GNU.sparse.size")
    named = found.get("GNU.sparse.name")
    return {**found, **({"path": named} if named else {}), **({"real": real} if real else {})}


def _sparse(stream: Readable, header: bytes) -> int:
    """The size that an old GNU sparse file unpacks to; the maps behind its header are read over."""
    goes_on = header[482]
    while goes_on:
        goes_on = _read(stream, BLOCK)[504]
    return _number(header[483:495])


def _number(raw: bytes) -> int:
    """Octal digits, or with the first bit set a number of base 256."""
    if raw[:1] in (b"\x80", b"\xff"):
        found = int.from_bytes(raw[1:], "big")
        if raw[:1] == b"\xff":
            raise ValueError("a size in it is below 0")
        return found
    digits = raw.strip(b" \0").split(b"\0")[0]
    if not digits:
        return 0
    if digits.strip(b"01234567"):
        raise ValueError("a number in it is none")
    return int(digits, 8)


def _checksum(header: bytes) -> int:
    return sum(header[:148]) + 8 * 32 + sum(header[156:])


def _name(header: bytes) -> str:
    name, prefix = _text(header[:100]), _text(header[345:500])
    is_ustar = header[257:263] == b"ustar\0"
    return f"{prefix}/{name}" if is_ustar and prefix else name


def _text(raw: bytes) -> str:
    return raw.split(b"\0")[0].decode("utf-8", "replace")
