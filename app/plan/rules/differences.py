"""What two documents of a campaign say differently, entry by entry.

Rows of a list are matched by their id, so that moving a step is one difference and not many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.plan.rules.document import dotted

ABSENT = None
_NAMES = ("id", "step")


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two documents differ; None stands for nothing there."""

    path: str
    before: object
    after: object


def differences(
    before: Mapping[str, object], after: Mapping[str, object]
) -> tuple[Difference, ...]:
    """Every differing place in the order of the older document, then what is new."""
    return tuple(_between("", before, after))


def changed_paths(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[str, ...]:
    """The differing places alone, each once."""
    return tuple(dict.fromkeys(found.path for found in differences(before, after)))


def _between(path: str, before: object, after: object) -> Iterator[Difference]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in (*before, *(key for key in after if key not in before)):
            yield from _between(_joined(path, str(key)), before.get(key), after.get(key))
    elif (names := _named(before)) is not None and (others := _named(after)) is not None:
        for name in (*names, *(name for name in others if name not in names)):
            yield from _between(f"{path}[{name}]", names.get(name), others.get(name))
        kept = [name for name in names if name in others]
        if kept != [name for name in others if name in names]:
            yield Difference(path, list(names), list(others))
    else:
        yield Difference(path, before, after)


def _joined(path: str, key: str) -> str:
    said = dotted((key,))
    return f"{path}.{said}" if path else said


def _named(rows: object) -> dict[str, object] | None:
    """Rows by their id, or None where the value is no list of named rows."""
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return {} if rows is None else None
    named: dict[str, object] = {}
    for row in rows:
        name = _name(row)
        if name is None or name in named:
            return None
        named[name] = row
    return named


def _name(row: object) -> str | None:
    if not isinstance(row, Mapping):
        return None
    found = next((row[key] for key in _NAMES if key in row), None)
    return found if isinstance(found, str) else None
