"""From a table of the campaign file's mapping to the texts that its form shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.plan.rules.typed.fields import FOLD, Control, Field
from app.units import Ambiguous, parse_instant, resolve_local, zone

YES, NO = "yes", "no"


def write_table(
    fields: Iterable[Field], table: Mapping[str, Any], *, zone_name: str = "UTC"
) -> dict[str, str]:
    """The typed form of a table; what it does not say is what then holds, or empty."""
    typed: dict[str, str] = {}
    for one in fields:
        value = value_at(table, one.path)
        if one.control is Control.TICK:
            typed[one.name] = YES if (one.on if value is None else value) else ""
        elif value is None:
            typed[one.name] = one.otherwise
        elif one.control is Control.LOCAL:
            typed |= _local(one.name, str(value), zone_name)
        else:
            typed[one.name] = _typed(one.control, value)
    return typed


def value_at(table: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """The value under a path of keys, or None."""
    value: Any = table
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _typed(control: Control, value: Any) -> str:
    match control:
        case Control.ASKED:
            return YES if value else NO
        case Control.NAMES:
            return ", ".join(value)
        case Control.LINES:
            return "\n".join(value)
        case Control.PAIRS:
            return "\n".join(f"{ours} = {theirs}" for ours, theirs in value.items())
        case _:
            return str(value)


def _local(name: str, instant: str, zone_name: str) -> dict[str, str]:
    """A time on the campaign's clock and, where that happens twice, which of the two."""
    at = parse_instant(instant)
    local = at.astimezone(zone(zone_name))
    typed = {name: f"{local:%Y-%m-%dT%H:%M}"}
    meant = resolve_local(local.replace(tzinfo=None, fold=0), zone_name)
    if isinstance(meant, Ambiguous):
        typed[name + FOLD] = "first" if at == meant.first_at else "second"
    return typed
