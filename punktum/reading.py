"""Reads values out of JSON that others wrote: another type than expected is None or empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Record: TypeAlias = Mapping[str, object]


def record(value: object) -> dict[str, object]:
    """The value as an object with text keys; empty when it is something else."""
    if not isinstance(value, Mapping):
        return {}
    return {str(key): item for key, item in value.items()}


def records(value: object) -> list[dict[str, object]]:
    """The objects of a list; anything else in it is left out."""
    if not isinstance(value, (list, tuple)):
        return []
    return [record(item) for item in value if isinstance(item, Mapping)]


def text(value: object) -> str | None:
    """The value when it is a text, else None."""
    return value if isinstance(value, str) else None


def texts(value: object) -> list[str]:
    """The texts of a list; numbers in it are written out, anything else is left out."""
    if not isinstance(value, (list, tuple)):
        return []
    return [
        str(item) for item in value if isinstance(item, (str, int)) and not isinstance(item, bool)
    ]


def whole(value: object) -> int | None:
    """The value when it is a whole number, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def wholes(value: object) -> list[int]:
    """The whole numbers of a list."""
    if not isinstance(value, (list, tuple)):
        return []
    return [item for item in value if isinstance(item, int) and not isinstance(item, bool)]
