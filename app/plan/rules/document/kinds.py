"""The plain kinds of value in a campaign file: texts, ids, numbers, choices.

Each kind reads a value found in a file or JSON body (noting what is wrong instead of raising)
and writes a plan's value back in its one canonical form.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum

from app.plan.rules.document.problem import Path, Reader, quoted, shown, visible
from app.plan.rules.slugs import slug
from app.texts import Text, text

ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
LARGEST = 2**53 - 1  # beyond it canonical JSON (RFC 8785) cannot say a number exactly


class Kind(ABC):
    """How one key's value is read and written; `example` shows a right one as TOML."""

    @property
    @abstractmethod
    def example(self) -> str:
        """A right value as one would type it."""

    @abstractmethod
    def read(self, reader: Reader, path: Path, value: object) -> object:
        """The plan's value, or None after noting a problem."""

    def write(self, value: object, currency: str) -> object:
        """The value's canonical form in the document."""
        return value

    def wrong_type(self, reader: Reader, path: Path, value: object, wanted: Text) -> None:
        """Note that the value is of another type than the key needs."""
        message = text(
            "{given} stands where {wanted} is needed, for example {example}.",
            given=shown(value),
            wanted=wanted,
            example=self.example,
        )
        reader.refuse(path, message, value)


@dataclass(frozen=True, slots=True)
class Line(Kind):
    """Text in NFC without control characters; `lines` allows line breaks in it."""

    longest: int = 200
    lines: bool = False
    sample: str = "Control"

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted(self.sample)

    def read(self, reader: Reader, path: Path, value: object) -> str | None:
        """The text in NFC, line ends as line feeds."""
        if not isinstance(value, str):
            self.wrong_type(reader, path, value, text("text in quotes"))
            return None
        return self.checked(reader, path, value)

    def checked(self, reader: Reader, path: Path, value: str) -> str | None:
        """The text unless it is empty, too long, or holds what no text should."""
        plain = value.replace("\r\n", "\n") if self.lines else value
        bad = next((c for c in plain if not self._allowed(c)), None)
        if bad is not None:
            code = f"U+{ord(bad):04X}"
            message = text("The character {code} is not allowed here; remove it.", code=code)
            reader.refuse(path, message, value)
            return None
        plain = unicodedata.normalize("NFC", plain)
        if not plain.strip():
            message = text("Empty; write for example {example}.", example=self.example)
            reader.refuse(path, message, value)
            return None
        if len(plain) > self.longest:
            message = text(
                "{length} characters are too many; at most {longest} are taken.",
                length=len(plain),
                longest=self.longest,
            )
            reader.refuse(path, message, value)
            return None
        return plain

    def _allowed(self, character: str) -> bool:
        if character == "\n":
            return self.lines
        return unicodedata.category(character) not in ("Cc", "Cs")


@dataclass(frozen=True, slots=True)
class Name(Kind):
    """An id: lower-case letters, digits and hyphens; `star` also takes `*` for all else."""

    sample: str = "control"
    star: bool = False

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted(self.sample)

    def read(self, reader: Reader, path: Path, value: object) -> str | None:
        """The id as written."""
        if not isinstance(value, str):
            self.wrong_type(reader, path, value, text("text in quotes"))
            return None
        if ID.fullmatch(value) or (self.star and value == "*"):
            return value
        near = slug(value[:200])
        message = text(
            "“{given}” is not an id of small letters a-z, digits and hyphens, at most 64; "
            "write for example {example}.",
            given=visible(value),
            example=quoted(near) if near else self.example,
        )
        reader.refuse(path, message, value)
        return None


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number between two bounds, both included."""

    lowest: int = 0
    highest: int = LARGEST
    sample: int = 1

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return str(self.sample)

    def read(self, reader: Reader, path: Path, value: object) -> int | None:
        """The number, in bounds."""
        if isinstance(value, bool) or not isinstance(value, int):
            self.wrong_type(reader, path, value, text("a whole number"))
            return None
        if not self.lowest <= value <= self.highest:
            message = text(
                "{given} is outside {lowest} to {highest}.",
                given=shown(value),
                lowest=self.lowest,
                highest=self.highest,
            )
            reader.refuse(path, message, value)
            return None
        return value


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """true or false."""

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return "true"

    def read(self, reader: Reader, path: Path, value: object) -> bool | None:
        """The flag itself; no other value stands for one."""
        if not isinstance(value, bool):
            self.wrong_type(reader, path, value, text("true or false"))
            return None
        return value


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of a few named values, given as an enum or as plain texts."""

    allowed: type[StrEnum] | tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The allowed values as they are typed."""
        return tuple(str(item) for item in self.allowed)

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted(self.names[0])

    def read(self, reader: Reader, path: Path, value: object) -> str | None:
        """The member (or text) with exactly this name."""
        if not isinstance(value, str):
            self.wrong_type(reader, path, value, text("text in quotes"))
            return None
        if value not in self.names:
            message = text(
                "“{given}” is not one of {allowed}.",
                given=visible(value),
                allowed=", ".join(self.names),
            )
            reader.refuse(path, message, value)
            return None
        return value if isinstance(self.allowed, tuple) else self.allowed(value)

    def write(self, value: object, currency: str) -> object:
        """The plain text of the member."""
        return str(value)


@dataclass(frozen=True, slots=True)
class Constant(Kind):
    """A key that has one right value."""

    only: str

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return quoted(self.only)

    def read(self, reader: Reader, path: Path, value: object) -> str | None:
        """The one value."""
        if value != self.only:
            message = text(
                "{given} is not read here; write {only}.", given=shown(value), only=self.example
            )
            reader.refuse(path, message, value)
            return None
        return self.only
