"""Which keys each kind of stop rule is judged by."""

from __future__ import annotations

from typing import Final

from app.plan.rules.model import StopKind

_OF_VALUE: Final = ("metric", "value")
NEEDED: Final[dict[str, tuple[str, ...]]] = {
    StopKind.NON_FINITE: ("metric",),
    StopKind.BELOW: _OF_VALUE,
    StopKind.ABOVE: _OF_VALUE,
    StopKind.NOT_BETTER: ("metric",),
    StopKind.NO_RESTORE: ("after_hours",),
    StopKind.SILENT: ("after_hours",),
}
"""Kind → the keys without which nobody could judge it."""
TAKEN: Final[dict[str, tuple[str, ...]]] = {
    StopKind.NON_FINITE: ("metric", "for", "after_step", "after_hours"),
    StopKind.BELOW: ("metric", "value", "for", "after_step", "after_hours"),
    StopKind.ABOVE: ("metric", "value", "for", "after_step", "after_hours"),
    StopKind.NOT_BETTER: ("metric", "value", "after_step", "after_hours", "better"),
    StopKind.INPUT_TRUNCATED: ("metric", "value"),
    StopKind.NO_RESTORE: ("after_hours",),
    StopKind.SILENT: ("after_hours",),
    StopKind.OVERTIME: ("after_hours",),
    StopKind.CUSTOM: (),
}
"""Kind → the keys that have an effect beside id, kind, act and steps."""


def kinds_of(key: str) -> tuple[str, ...]:
    """The kinds that a key has an effect for."""
    return tuple(str(kind) for kind, keys in TAKEN.items() if key in keys)
