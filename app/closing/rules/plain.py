"""Frozen dataclasses as JSON: exactly and back for the journal, readably for the API."""

from __future__ import annotations

import functools
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from app.texts import Text, sentence_of, sentence_record
from app.units import amount_text, instant_text, stored_instant

_MINOR = "_minor"
T = TypeVar("T")


def to_record(value: Any) -> Any:
    """Dataclasses as objects, tuples as lists, instants as text, sentences with their values."""
    return _plain(value, sentence_record)


def to_json(value: Any) -> Any:
    """The same for people's scripts: sentences in plain English, amounts as text in their
    currency's decimals (`price_minor` 4714 is `price` "47.14")."""
    return _spelled(_plain(value, str))


def from_record(kind: type[T], data: Any) -> T:
    """The dataclass that `to_record` wrote; a field that has a default may be missing, since
    records of earlier versions lack it. Raises KeyError where another one is."""
    made: T = _read(kind, data)
    return made


def _plain(value: Any, say: Any) -> Any:
    if isinstance(value, Text):
        return say(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), say) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item, say) for item in value]
    if isinstance(value, datetime):
        return instant_text(value)
    return str(value) if isinstance(value, Decimal) else value


def _spelled(value: Any) -> Any:
    """Minor units beside their currency as the amounts that they are."""
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if not isinstance(value, dict):
        return value
    currency = value.get("currency")
    found: dict[str, Any] = {}
    for name, inner in value.items():
        if name.endswith(_MINOR) and currency is not None:
            amount = None if inner is None else amount_text(inner, currency)
            found[name.removesuffix(_MINOR)] = amount
        else:
            found[name] = _spelled(inner)
    return found


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, data: Any) -> Any:
    if isinstance(kind, UnionType):
        if data is None:
            return None
        (kind,) = [one for one in get_args(kind) if one is not type(None)]
    if kind is Text:
        return sentence_of(data)
    if get_origin(kind) is tuple:
        return tuple(_read(get_args(kind)[0], item) for item in data)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        since = {one.name for one in fields(kind) if one.default is not MISSING} - set(data)
        named = [name for name in hints if name not in since]
        return kind(**{name: _read(hints[name], data[name]) for name in named})
    if kind is Decimal:
        return Decimal(data)
    return stored_instant(data) if kind is datetime else data
