"""Kinds of value that hold several: lists without repeats, and tables of names to names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.plan.rules.document.kinds import Kind, Line
from app.plan.rules.document.problem import Path, Reader, quoted, shown
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class ListOf(Kind):
    """A list of values of one kind, none of them twice."""

    kind: Kind
    longest: int = 500

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return f"[{self.kind.example}]"

    def read(self, reader: Reader, path: Path, value: object) -> tuple[object, ...] | None:
        """All values in their order."""
        if not isinstance(value, (list, tuple)):
            self.wrong_type(reader, path, value, text("a list"))
            return None
        if len(value) > self.longest:
            too_many(reader, path, len(value), self.longest)
            return None
        items: list[object] = []
        seen: set[object] = set()
        for index, item in enumerate(value):
            found = self.kind.read(reader, (*path, index), item)
            if found is not None and found in seen:
                reader.refuse((*path, index), named_twice(item), item)
            seen.add(found)
            items.append(found)
        return tuple(items)

    def write(self, value: object, currency: str) -> object:
        """The values as a list."""
        assert isinstance(value, tuple)
        return [self.kind.write(item, currency) for item in value]


@dataclass(frozen=True, slots=True)
class Pairs(Kind):
    """A table of names to names, kept sorted so that every reading gives the same plan."""

    sample: tuple[str, str] = ("f1", "eval_f1")

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return f"{{ {self.sample[0]} = {quoted(self.sample[1])} }}"

    def read(self, reader: Reader, path: Path, value: object) -> tuple[tuple[str, str], ...] | None:
        """The pairs sorted by their first name."""
        if not isinstance(value, Mapping):
            self.wrong_type(reader, path, value, text("a table"))
            return None
        if len(value) > 200:
            too_many(reader, path, len(value), 200)
            return None
        line = Line(sample=self.sample[1])
        pairs: dict[str, str] = {}
        for key, item in value.items():
            here = (*path, str(key))
            name, other = line.read(reader, here, key), line.read(reader, here, item)
            if name is None or other is None:
                continue
            if name in pairs:
                reader.refuse(here, named_twice(name), item)
            pairs[name] = other
        return tuple(sorted(pairs.items()))

    def write(self, value: object, currency: str) -> object:
        """The pairs as a table."""
        assert isinstance(value, tuple)
        return dict(value)


def named_twice(given: object) -> Text:
    """What is said of a list that names a value again."""
    return text("{given} is named twice.", given=shown(given))


def too_many(reader: Reader, path: Path, count: int, longest: int) -> None:
    """Note that a list holds more than is taken."""
    message = text(
        "{count} entries are too many; at most {longest} are taken.", count=count, longest=longest
    )
    reader.refuse(path, message, count)
