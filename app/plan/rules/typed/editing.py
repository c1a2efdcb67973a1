"""One form's rows put into a plan's mapping: what the form does not show is kept as it was."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.plan.rules.slugs import free_slug
from app.plan.rules.typed.fields import Field
from app.plan.rules.typed.reading import Question, read_table
from app.plan.rules.typed.references import forget_steps, rename_corpora, rename_steps
from app.plan.rules.typed.rows import Row, stated
from app.plan.rules.typed.sections import STEPS, Section
from app.plan.rules.typed.steps import STEP_ALL
from app.plan.rules.typed.writing import write_table
from app.texts import Text

MOST_IDS = 2000
"""A longer list of ids is not shown in a form, only kept."""

KEPT = "ids_kept"
"""The hidden field with the number of ids that are kept although the form does not show them."""

WAS = "was"
"""The hidden field that says which row of the plan this was when the form was shown."""


@dataclass(slots=True)
class Edited:
    """A mapping after an edit, its rows, and what is wrong or must be asked, by field name."""

    document: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    errors: dict[str, Text] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)


def shown(document: Mapping[str, Any], section: Section) -> list[Row]:
    """The rows that a section's form shows."""
    zone = str(document["campaign"]["zone"])
    rows = []
    for table in document.get(section.key, ()):
        row = write_table(section.fields, table, zone_name=zone)
        row[WAS] = str(table.get(section.name_key, ""))
        if len(table.get("ids", ())) > MOST_IDS:
            row |= {"ids": "", KEPT: str(len(table["ids"]))}
        rows.append(row)
    return rows


def _without_prefilled(section: Section, row: Row) -> Row:
    """A row without what it came with where that has no effect on the kind that was chosen."""
    ours = {
        field.name for field in section.fields if field.kinds and row.get("kind") not in field.kinds
    }
    return {
        name: "" if name in ours and value == section.blank.get(name) else value
        for name, value in row.items()
    }


def _tells_by_kind(section: Section, row: Row) -> bool:
    """Whether a row says something by its kind alone: another one than it came with."""
    has_kinds = any(field.kinds for field in section.fields)
    return has_kinds and row.get("kind", "") not in ("", section.blank.get("kind"))


def edited(document: Mapping[str, Any], section: Section, rows: Sequence[Row]) -> Edited:
    """The mapping with a section's rows in the place of those that were there."""
    result = Edited(copy.deepcopy(dict(document)))
    telling = (*section.telling, WAS)
    before = {str(one.get(section.name_key)): one for one in document.get(section.key, ())}
    chosen = [row for row in rows if _tells_by_kind(section, row) or stated([row], telling)]
    result.rows = [_without_prefilled(section, row) for row in chosen]
    taken = {row["id"].strip() for row in result.rows if row.get("id", "").strip()}
    tables = []
    for number, row in enumerate(result.rows):
        prefix = f"{section.key}.{number}"
        kept = before.get(row.get(WAS, ""), {})
        table = _table(result, section.fields, row, prefix, kept)
        if row.get(KEPT) and "ids" in kept:
            table.setdefault("ids", kept["ids"])
        if section.name_key == "id" and "id" not in table:
            table["id"] = _new_id(section, row, taken)
            taken.add(table["id"])
        tables.append(_fitting(section, table, kept))
    result.document[section.key] = tables
    _follow(result, section, tables, before)
    return result


def edited_step(document: Mapping[str, Any], index: int, row: Row) -> Edited:
    """The mapping with one step as its own page states it, under its number in the list."""
    result = Edited(copy.deepcopy(dict(document)), [row])
    steps = result.document["steps"]
    old = str(steps[index]["id"])
    table = _table(result, STEP_ALL, row, f"steps.{index}", steps[index])
    if "id" not in table:
        taken = {str(step["id"]) for step in steps} - {old}
        table["id"] = free_slug(row.get("title", ""), taken, STEPS.otherwise)
    steps[index] = fitting_step(table)
    if table["id"] != old:
        rename_steps(result.document, {old: table["id"]})
    return result


def merged(
    kept: Mapping[str, Any], fields: Iterable[Field], table: Mapping[str, Any]
) -> dict[str, Any]:
    """A kept table with every key that the fields cover taken from the typed one."""
    whole = copy.deepcopy(dict(kept))
    for one in fields:
        inner = whole
        for key in one.path[:-1]:
            inner = inner.get(key, {})
        inner.pop(one.path[-1], None)
    for key, value in table.items():
        both = isinstance(value, dict) and isinstance(whole.get(key), dict)
        whole[key] = {**whole[key], **value} if both else value
    return {key: value for key, value in whole.items() if value != {} or kept.get(key) == {}}


def _table(
    result: Edited, fields: Sequence[Field], row: Row, prefix: str, kept: Mapping[str, Any]
) -> dict[str, Any]:
    campaign = result.document["campaign"]
    typed = read_table(
        fields, row, zone=campaign["zone"], currency=campaign["currency"], kept=kept or None
    )
    result.errors |= {f"{prefix}.{name}": said for name, said in typed.errors.items()}
    result.questions |= {f"{prefix}.{name}": asked for name, asked in typed.questions.items()}
    return merged(kept, fields, typed.table)


def _new_id(section: Section, row: Row, taken: Collection[str]) -> str:
    if section.named_by:
        words = " ".join(row.get(name, "") for name in section.named_by)
        return free_slug(words, taken, section.otherwise)
    numbers = range(1, len(taken) + 2)
    return next(name for n in numbers if (name := f"{section.otherwise}-{n}") not in taken)


def _fitting(section: Section, table: dict[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """What a change of one field means for others that the person did not touch."""
    if section.key == "steps":
        return fitting_step(table)
    if section.key == "lots" and kept.get("offer") != table.get("offer"):
        # Figures that came from another offer do not belong to the new one.
        own = ("gpus", "hours", "price")
        return {
            key: value
            for key, value in table.items()
            if key not in own or value != kept.get(key) or "offer" not in kept
        }
    return table


def fitting_step(table: dict[str, Any]) -> dict[str, Any]:
    """A step takes GPUs by its kind: one where a machine step says nothing, else none."""
    if table.get("kind") == "machine":
        return {"gpus": 1, **table}
    return {key: value for key, value in table.items() if key != "gpus"}


def _follow(
    result: Edited,
    section: Section,
    tables: Sequence[Mapping[str, Any]],
    before: Mapping[str, Any],
) -> None:
    """Renamed and removed rows, wherever the plan names them."""
    now = {str(table.get(section.name_key)) for table in tables}
    was = [row.get(WAS, "") for row in result.rows]
    names = {
        old: str(table.get(section.name_key))
        for old, table in zip(was, tables, strict=True)
        if old and old not in now
    }
    if section.key == "steps":
        rename_steps(result.document, names)
        forget_steps(result.document, set(before) - set(was) - now)
    elif section.key == "corpora":
        rename_corpora(result.document, names)
