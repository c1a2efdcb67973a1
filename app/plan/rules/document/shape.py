"""Tables of the campaign file, declared once as a list of keys, read and written by it.

The order of the keys is the order in which a table is written; a value that equals the plan's
default is left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.plan.rules.document.kinds import Kind
from app.plan.rules.document.lists import too_many
from app.plan.rules.document.problem import Path, Reader, dotted, unknown_name, visible
from app.texts import ntext, text

Values = Mapping[str, object]

MOST_UNKNOWN = 50  # unknown keys that are told one by one in a table


@dataclass(frozen=True, slots=True)
class Key:
    """One key: its name in the file, its kind, and its attribute where the name differs."""

    name: str
    kind: Kind
    attribute: str = ""

    @property
    def attr(self) -> str:
        """The attribute of the plan that holds it."""
        return self.attribute or self.name


def no_own_defaults(values: Values) -> Values:
    """Most tables have the same defaults whatever else they say."""
    return {}


@dataclass(frozen=True, slots=True)
class Shape:
    """A table: the dataclass it belongs to and its keys in order.

    `own_defaults` gives defaults that depend on other values of the same table.
    """

    of: type
    keys: tuple[Key, ...]
    own_defaults: Callable[[Values], Values] = no_own_defaults

    def values(self, reader: Reader, path: Path, table: object) -> dict[str, object]:
        """The attribute values that a table states; problems are noted."""
        if not isinstance(table, Mapping):
            TableOf(self).wrong_type(reader, path, table, text("a table"))
            return {}
        self._refuse_unknown(reader, path, table)
        found: dict[str, object] = {}
        for key in self.keys:
            value = table.get(key.name)
            if value is not None:
                found[key.attr] = key.kind.read(reader, (*path, key.name), value)
            elif key.attr not in self.defaults():
                message = text(
                    "Missing; write for example {example}.",
                    example=f"{key.name} = {key.kind.example}",
                )
                reader.refuse((*path, key.name), message)
        return {**self.own_defaults(found), **found}

    def _refuse_unknown(self, reader: Reader, path: Path, table: Mapping[object, object]) -> None:
        names = tuple(key.name for key in self.keys)
        unknown = [name for name in table if name not in names]
        for name in unknown[:MOST_UNKNOWN]:
            message = text("Unknown key: {why}", why=unknown_name(str(name), names))
            reader.refuse((*path, str(name)), message, table[name])
        rest = len(unknown) - MOST_UNKNOWN
        if rest > 0:
            reader.refuse(path, ntext("{n} more unknown key.", "{n} more unknown keys.", rest))

    def read(self, reader: Reader, path: Path, table: object) -> object:
        """The table as its dataclass, or None when anything in it is wrong."""
        before = len(reader.problems)
        values = self.values(reader, path, table)
        return self.of(**values) if len(reader.problems) == before else None

    def write(self, item: object, currency: str) -> dict[str, object]:
        """The table of a dataclass: keys in order, None and defaults left out."""
        values = {key.attr: getattr(item, key.attr) for key in self.keys}
        defaults = {**self.defaults(), **self.own_defaults(values)}
        return {
            key.name: key.kind.write(values[key.attr], currency)
            for key in self.keys
            if values[key.attr] is not None
            and (key.attr not in defaults or values[key.attr] != defaults[key.attr])
        }

    def defaults(self) -> dict[str, object]:
        """The values that attributes have where nothing is said."""
        defaults: dict[str, object] = {}
        for field in dataclasses.fields(self.of):
            if field.default is not dataclasses.MISSING:
                defaults[field.name] = field.default
            elif field.default_factory is not dataclasses.MISSING:
                defaults[field.name] = field.default_factory()
        return defaults


@dataclass(frozen=True, slots=True)
class TableOf(Kind):
    """One table inside another, as in `parts = { … }`."""

    shape: Shape

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        needed = [key for key in self.shape.keys if key.attr not in self.shape.defaults()]
        stated = needed or self.shape.keys[:2]
        return f"{{ {', '.join(f'{key.name} = {key.kind.example}' for key in stated)} }}"

    def read(self, reader: Reader, path: Path, value: object) -> object:
        """The table as its dataclass."""
        return self.shape.read(reader, path, value)

    def write(self, value: object, currency: str) -> object:
        """The table of a dataclass."""
        return self.shape.write(value, currency)


@dataclass(frozen=True, slots=True)
class Tables(Kind):
    """A list of tables; with `unique` the key whose values no two of them share."""

    shape: Shape
    longest: int = 500
    unique: str = "id"

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return f"[{TableOf(self.shape).example}]"

    def read(self, reader: Reader, path: Path, value: object) -> tuple[object, ...] | None:
        """All tables in their order."""
        if not isinstance(value, (list, tuple)):
            self.wrong_type(reader, path, value, text("a list"))
            return None
        if len(value) > self.longest:
            too_many(reader, path, len(value), self.longest)
            return None
        items = tuple(self.shape.read(reader, (*path, i), item) for i, item in enumerate(value))
        if self.unique:
            self._refuse_repeated(reader, path, value)
        return items

    def _refuse_repeated(
        self, reader: Reader, path: Path, tables: list[object] | tuple[object, ...]
    ) -> None:
        first: dict[str, int] = {}
        for index, table in enumerate(tables):
            name = table.get(self.unique) if isinstance(table, Mapping) else None
            if not isinstance(name, str):
                continue
            if name in first:
                message = text(
                    "“{given}” is already the {key} of {first}; each is used once.",
                    given=visible(name),
                    key=self.unique,
                    first=dotted((*path, first[name])),
                )
                reader.refuse((*path, index, self.unique), message, name)
            first.setdefault(name, index)

    def write(self, value: object, currency: str) -> object:
        """The tables as a list."""
        assert isinstance(value, tuple)
        return [self.shape.write(item, currency) for item in value]
