"""What differs between two versions of a plan, in the words of the forms that they are typed in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.plan.rules.differences import Difference
from app.plan.rules.typed.delivering import DELIVERABLE
from app.plan.rules.typed.fields import Field
from app.plan.rules.typed.sections import SECTIONS
from app.plan.rules.typed.steps import STEP_ALL
from app.plan.rules.typed.tables import CAMPAIGN, DECISION_RULE
from app.texts import Text, ntext, text

_PATH = re.compile(r"(?P<key>\w+)(?:\[(?P<row>[^\]]*)\])?(?:\.(?P<field>.+))?")
_TITLES: Mapping[str, Text] = {
    "campaign": text("Campaign"),
    "decision_rule": text("Decision rule"),
    "deliverables": text("Deliverables"),
    **{section.key: section.title for section in SECTIONS},
}
_FIELDS: Mapping[str, Sequence[Field]] = {
    **{section.key: section.fields for section in SECTIONS},
    "steps": STEP_ALL,
    "campaign": CAMPAIGN,
    "decision_rule": DECISION_RULE,
    "deliverables": DELIVERABLE,
}
_OTHER: Mapping[str, Text] = {"checks": text("Checks"), "parts": text("Estimate from its parts")}

Said = Text | str


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: the part of the plan, the row, the field, and both sides as people read them.

    `row` and `field` are None where the whole part or row is meant; a side that is None says
    nothing there.
    """

    part: Text
    row: str | None
    field: Said | None
    before: Said | None
    after: Said | None


def readable(
    found: Iterable[Difference], before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Change, ...]:
    """The differences of two documents of a campaign, in their order."""
    return tuple(_change(one, before, after) for one in found)


def _change(found: Difference, before: Mapping[str, Any], after: Mapping[str, Any]) -> Change:
    match = _PATH.fullmatch(found.path)
    if match is None:
        raise ValueError(f"no path of a difference: {found.path!r}")
    key, row, path = match["key"], match["row"], match["field"]
    field = next((one for one in _FIELDS.get(key, ()) if one.name == path), None)
    label: Said | None = None
    if field is not None:
        label = field.label
    elif path is not None:
        label = _OTHER.get(path, path)
    elif row is None and isinstance(found.before, list) and isinstance(found.after, list):
        names = (_in_order(key, side, (after, before)) for side in (found.before, found.after))
        return Change(_part(key), None, text("Order"), *names)
    return Change(
        _part(key),
        None if row is None else _title(key, row, (after, before)),
        label,
        _said(found.before, field, is_row=path is None),
        _said(found.after, field, is_row=path is None),
    )


def _part(key: str) -> Text:
    return _TITLES.get(key, text("{part}", part=key))


def _in_order(key: str, ids: Sequence[object], documents: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(_title(key, str(one), documents) for one in ids)


def _title(key: str, row: str, documents: Sequence[Mapping[str, Any]]) -> str:
    """What a row is called: its title, its text, else its id."""
    for document in documents:
        for one in document.get(key, ()):
            if row in (one.get("id"), one.get("step")):
                return str(one.get("title") or one.get("text") or row)
    return row


def _said(value: object, field: Field | None, *, is_row: bool) -> Said | None:
    if value is None:
        return None
    if is_row and isinstance(value, Mapping):
        return text("there")
    if isinstance(value, bool):
        return text("yes") if value else text("no")
    if isinstance(value, list | tuple):
        return _listed(value)
    if isinstance(value, Mapping):
        return ", ".join(_pairs(value))
    chosen = dict(field.options).get(str(value)) if field is not None and field.options else None
    return chosen or str(value)


def _listed(values: Sequence[object]) -> Said:
    if all(isinstance(one, str) for one in values):
        return ", ".join(str(one) for one in values)
    return ntext("{n} entry", "{n} entries", len(values))


def _pairs(value: Mapping[str, object]) -> Iterator[str]:
    for name, one in value.items():
        yield f"{name} = {one}"
