"""Question, decision rule and deliverables with their checks, as one form types them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.plan.rules.slugs import free_slug
from app.plan.rules.typed.delivering import CHECK, CHECK_FIELDS, DELIVERABLE
from app.plan.rules.typed.editing import WAS, Edited, merged
from app.plan.rules.typed.fields import Field
from app.plan.rules.typed.labels import CHECK_KINDS
from app.plan.rules.typed.reading import read_table
from app.plan.rules.typed.rows import NUMBER, Row, numbered, place_of, stated
from app.plan.rules.typed.tables import CAMPAIGN, DECISION_RULE
from app.plan.rules.typed.writing import YES, write_table
from app.texts import Text, text

USE, MORE = "use", "more"
"""The box that announces a check, and the button that offers one more of its kind."""

_TELLING = ("title", "id", WAS)


@dataclass(frozen=True, slots=True)
class CheckSlot:
    """A check that is announced, or one of a kind that may be: its box and its fields."""

    kind: str
    label: Text
    used: bool
    fields: tuple[Field, ...]
    values: Row


@dataclass(frozen=True, slots=True)
class DeliverableRow:
    """A deliverable as typed, with a slot for each of its checks and for each kind left."""

    values: Row
    checks: tuple[CheckSlot, ...]


BLANK_DELIVERABLE: Row = {**{field.name: "" for field in DELIVERABLE}, "essential": YES, WAS: ""}


def shown_tables(document: Mapping[str, Any]) -> dict[str, str]:
    """The typed texts of the question and the decision rule, by the full names of their fields."""
    typed: dict[str, str] = {}
    for key, fields in (("campaign", CAMPAIGN), ("decision_rule", DECISION_RULE)):
        table = write_table(fields, document.get(key, {}))
        typed |= {f"{key}.{name}": value for name, value in table.items()}
    return typed


def shown_deliverables(document: Mapping[str, Any]) -> tuple[DeliverableRow, ...]:
    """The deliverables of a mapping as the form shows them."""
    rows = []
    for table in document.get("deliverables", ()):
        row = {**write_table(DELIVERABLE, table), WAS: str(table.get("id", ""))}
        for number, check in enumerate(table.get("checks", ())):
            typed = {**write_table(CHECK, check), USE: YES, WAS: str(number)}
            row |= {f"checks.{number}.{name}": value for name, value in typed.items()}
        rows.append(row)
    return typed_deliverables(rows)


def typed_deliverables(rows: Iterable[Row]) -> tuple[DeliverableRow, ...]:
    """Typed rows as the form shows them again."""
    return tuple(DeliverableRow({**BLANK_DELIVERABLE, **row}, _slots(row)) for row in rows)


def one_more(rows: list[Row], action: str) -> list[Row]:
    """The rows after the button that offers one more check: `more:deliverables:2:reload`."""
    verb, _, rest = action.partition(":")
    number, _, kind = rest.partition(":")[2].partition(":")
    at = place_of(rows, number)
    if verb != MORE or at is None or kind not in CHECK_FIELDS:
        return rows
    place = f"checks.{len(_slots(rows[at]))}"
    row = {**rows[at], f"{place}.kind": kind, f"{place}.{USE}": YES}
    return [*rows[:at], row, *rows[at + 1 :]]


def edited_campaign(document: Mapping[str, Any], typed: Mapping[str, str]) -> Edited:
    """The mapping with what the campaign's form says in it; its steps and lots stay as they are."""
    result = Edited(copy.deepcopy(dict(document)))
    for key, fields in (("campaign", CAMPAIGN), ("decision_rule", DECISION_RULE)):
        row = {field.name: typed.get(f"{key}.{field.name}", "") for field in fields}
        currency = typed.get("campaign.currency", "USD")
        before = result.document.get(key, {})
        read = read_table(fields, row, currency=currency, kept=before)
        result.errors |= {f"{key}.{name}": said for name, said in read.errors.items()}
        result.document[key] = merged(before, fields, read.table)
    result.rows = stated(numbered(typed, "deliverables"), _TELLING)
    old = {str(one.get("id")): one for one in document.get("deliverables", ())}
    taken = {row["id"].strip() for row in result.rows if row.get("id", "").strip()}
    deliverables = []
    for row in result.rows:
        table = _deliverable(row, old.get(row.get(WAS, ""), {}))
        if "id" not in table:
            table["id"] = free_slug(row.get("title", ""), taken, "deliverable")
            taken.add(table["id"])
        deliverables.append(table)
    result.document["deliverables"] = deliverables
    return result


def campaign_names(rows: Sequence[Row]) -> dict[str, Text]:
    """The full names of all fields of the form with their labels, to find a problem's field by."""
    names = {"campaign.id": text("Id")}
    names |= {f"campaign.{field.name}": field.label for field in CAMPAIGN}
    names |= {f"decision_rule.{field.name}": field.label for field in DECISION_RULE}
    for number, row in enumerate(rows):
        prefix = f"deliverables.{number}"
        names |= {f"{prefix}.{field.name}": field.label for field in DELIVERABLE}
        for at, check in enumerate(_used(row)):
            kind = check.get("kind", "")
            known = {one.name: one.label for one in CHECK if one.name in CHECK_FIELDS.get(kind, ())}
            known[USE] = CHECK_KINDS.get(kind, text("Check"))
            names |= {f"{prefix}.checks.{at}.{name}": label for name, label in known.items()}
    return names


def settled(row: Row) -> Row:
    """A typed row with its announced checks numbered as the mapping numbers them."""
    kept = {name: value for name, value in row.items() if not name.startswith("checks.")}
    for at, check in enumerate(_used(row)):
        kept |= {f"checks.{at}.{name}": said for name, said in check.items() if name != NUMBER}
    return kept


def _deliverable(row: Row, kept: Mapping[str, Any]) -> dict[str, Any]:
    table = merged(kept, DELIVERABLE, read_table(DELIVERABLE, row, kept=kept or None).table)
    old = kept.get("checks", [])
    checks = []
    for check in _used(row):
        was = check.get(WAS, "")
        before = old[int(was)] if was.isdecimal() and int(was) < len(old) else {}
        known = CHECK_FIELDS.get(check.get("kind", ""), ())
        said = {name: value for name, value in check.items() if name in known or name == "kind"}
        table_of = read_table(CHECK, said, kept=before or None).table
        checks.append(merged(before, CHECK, table_of))
    table["checks"] = checks
    return {key: value for key, value in table.items() if key != "checks" or value}


def _used(row: Row) -> list[Row]:
    """The checks whose box is ticked, or whose fields say something without it."""
    return [
        check
        for check in numbered(row, "checks")
        if check.get(USE)
        or any(check.get(name, "").strip() for name in CHECK_FIELDS.get(check.get("kind", ""), ()))
    ]


def _slots(row: Row) -> tuple[CheckSlot, ...]:
    """The typed checks in their order, then an empty slot for each kind that is not there."""
    typed = [check for check in numbered(row, "checks") if check.get("kind") in CHECK_FIELDS]
    there = {check["kind"] for check in typed}
    left = [{"kind": str(kind)} for kind in CHECK_KINDS if kind not in there]
    return tuple(_slot(check) for check in (*typed, *left))


def _slot(check: Row) -> CheckSlot:
    kind = check["kind"]
    fields = tuple(field for field in CHECK if field.name in CHECK_FIELDS[kind])
    values = {WAS: "", **{field.name: "" for field in fields}, **check}
    return CheckSlot(kind, CHECK_KINDS[kind], bool(check.get(USE)), fields, values)
