"""What the control has measured, for rules that compare with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from app.runs.rules.events import Status


def control_values(
    ends: Iterable[Mapping[str, Any]], steps: frozenset[str]
) -> Mapping[str, str] | None:
    """The control's values by name; the mean where it ran several times, None while none has
    completed.

    `ends` are what the journal says of ended runs, the oldest first; the newest word on a run
    counts. Values that are not finite are left out.
    """
    newest = {said["run"]: said for said in ends if said["step"] in steps}
    completed = [said for said in newest.values() if said["status"] == Status.COMPLETED]
    if not completed:
        return None
    found: dict[str, list[Decimal]] = {}
    for said in completed:
        for name, seen in said["metrics"].items():
            value = _finite(seen.get("final") or seen.get("last"))
            if value is not None:
                found.setdefault(name, []).append(value)
    return {name: str(sum(values) / len(values)) for name, values in found.items()}


def _finite(said: str | None) -> Decimal | None:
    try:
        number = Decimal(said or "")
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
