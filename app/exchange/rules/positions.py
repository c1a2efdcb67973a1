"""Where each key of a TOML document stands.

No Python library tells the line of a key (tomllib and tomlkit keep none), so this walks once more
over a text that tomllib has already accepted; it may therefore take the grammar for granted and
only has to know where keys, values and tables begin and end.
"""

from __future__ import annotations

import re
from bisect import bisect_right

import tomllib

Path = tuple[str | int, ...]

SPACE = re.compile(r"[ \t]*")
BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
PLAIN = re.compile(r"[^,\]}#\n]*")


def positions(source: str) -> dict[Path, int]:
    """The line, counted from 1, of every table, key and list item of a valid TOML document."""
    walk = _Walk(source)
    walk.document()
    return walk.lines


def line_of(path: Path, lines: dict[Path, int]) -> int:
    """The line of a path, or of the nearest thing around it that is there; 1 for the whole."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Walk:
    """One pass over the text; `at` is the next character."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.lines: dict[Path, int] = {}
        self._breaks = [match.start() for match in re.finditer("\n", source)]
        self._lengths: dict[Path, int] = {}  # of the lists of tables met so far

    def document(self) -> None:
        """Tables and keys up to the end."""
        table: Path = ()
        self._skip(BLANK)
        while self.at < len(self.source):
            if self.source.startswith("[", self.at):
                table = self._header()
            else:
                self._pair(table)
            self._skip(BLANK)

    def _header(self) -> Path:
        """`[a.b]` or `[[a.b]]`, as the path of the table that begins there."""
        start = self.at
        several = self.source.startswith("[[", self.at)
        self.at += 2 if several else 1
        *outer, last = self._key()
        self.at += 2 if several else 1
        path: Path = ()
        for part in outer:
            path = self._inside((*path, part), start)
        path = (*path, last)
        if several:
            self._mark(path, start)
            self._lengths[path] = self._lengths.get(path, 0) + 1
        return self._inside(path, start)

    def _inside(self, path: Path, start: int) -> Path:
        """A table's path, or that of the newest one where it is a list of tables."""
        if path in self._lengths:
            path = (*path, self._lengths[path] - 1)
        self._mark(path, start)
        return path

    def _pair(self, table: Path) -> None:
        """`a.b = value`."""
        start = self.at
        path = table
        for part in self._key():
            path = (*path, part)
            self._mark(path, start)
        self.at += 1
        self._skip(SPACE)
        self._value(path)

    def _key(self) -> list[str]:
        """The parts of a dotted key, and the spaces after it."""
        parts: list[str] = []
        while True:
            self._skip(SPACE)
            bare = BARE_KEY.match(self.source, self.at)
            parts.append(bare.group() if bare else self._quoted_key())
            self.at += len(bare.group()) if bare else 0
            self._skip(SPACE)
            if not self.source.startswith(".", self.at):
                return parts
            self.at += 1

    def _quoted_key(self) -> str:
        start = self.at
        self._skip(STRING)
        text = tomllib.loads(f"key = {self.source[start : self.at]}")["key"]
        assert isinstance(text, str)
        return text

    def _value(self, path: Path) -> None:
        """Pass over a value, marking what lies in it."""
        first = self.source[self.at]
        if first == "[":
            self._list(path)
        elif first == "{":
            self._table(path)
        else:
            self._skip(STRING if first in "\"'" else PLAIN)

    def _list(self, path: Path) -> None:
        self.at += 1
        self._skip(BLANK)
        index = 0
        while self.source[self.at] != "]":
            self._mark((*path, index), self.at)
            self._value((*path, index))
            index += 1
            self._skip(BLANK)
            self.at += self.source[self.at] == ","
            self._skip(BLANK)
        self.at += 1

    def _table(self, path: Path) -> None:
        self.at += 1
        self._skip(BLANK)
        while self.source[self.at] != "}":
            self._pair(path)
            self._skip(BLANK)
            self.at += self.source[self.at] == ","
            self._skip(BLANK)
        self.at += 1

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.source, self.at)
        assert match is not None, "only a text that tomllib accepted is walked over"
        self.at = match.end()

    def _mark(self, path: Path, at: int) -> None:
        """Note where something first begins."""
        self.lines.setdefault(path, bisect_right(self._breaks, at - 1) + 1)
