"""From typed texts to a table of the campaign file's mapping.

What cannot be read is passed on as it was typed: the document's own reading then refuses it with
the field and what would be right. Only local times and amounts are judged here, since of them it
may have to be asked which one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.plan.rules.document.figures import figure_of, figure_text
from app.plan.rules.document.lists import named_twice
from app.plan.rules.document.measures import said
from app.plan.rules.typed.fields import FOLD, Control, Field
from app.plan.rules.typed.writing import YES, value_at, write_table
from app.texts import Text, text
from app.units import (
    Ambiguous,
    Missing,
    Resolved,
    UnitError,
    amount_text,
    instant_text,
    parse_amount,
    parse_local,
    resolve_local,
)

_SEPARATORS = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True)
class Question:
    """A local time that happens twice: which one is meant must be asked."""

    first_at: datetime
    second_at: datetime


@dataclass(slots=True)
class Typed:
    """A table as read, with what could not be read and what must be asked, by field name."""

    table: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, Text] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)


def read_table(
    fields: Iterable[Field],
    typed: Mapping[str, str],
    *,
    zone: str = "UTC",
    currency: str = "USD",
    kept: Mapping[str, Any] | None = None,
) -> Typed:
    """The table that typed texts say; an empty field says nothing.

    A field that still reads as it was shown for the table `kept` keeps its value exactly, also
    what a form cannot show: the seconds of a time, white space at the end of a text.
    """
    every = tuple(fields)
    shown = write_table(every, kept, zone_name=zone) if kept is not None else {}
    found = Typed()
    for one in every:
        if kept is not None and _untouched(one, typed, shown):
            value: object = value_at(kept, one.path)
        else:
            value = _read(one, typed, zone, currency, found)
        if value is not None:
            _put(found.table, one.path, value)
    return found


def _untouched(field: Field, typed: Mapping[str, str], shown: Mapping[str, str]) -> bool:
    names = (field.name, field.name + FOLD)
    return all(_sent(typed.get(name, "")) == shown.get(name, "") for name in names)


def _sent(value: str) -> str:
    """A value with the line ends that browsers send put back."""
    return value.replace("\r\n", "\n")


def _read(field: Field, typed: Mapping[str, str], zone: str, currency: str, found: Typed) -> object:
    given = _sent(typed.get(field.name, "")).strip()
    if field.control is Control.TICK:
        return None if bool(given) is field.on else bool(given)
    if not given:
        return None
    if field.control is Control.LOCAL:
        return _instant(field.name, given, typed.get(field.name + FOLD, ""), zone, found)
    if field.control is Control.ASKED:
        return given == YES
    if field.control is Control.AMOUNT:
        return _amount(field.name, given, currency, found)
    if field.control is Control.PAIRS:
        return _pairs(field.name, given, found)
    return _value(field.control, given)


def _put(table: dict[str, Any], path: tuple[str, ...], value: object) -> None:
    for key in path[:-1]:
        table = table.setdefault(key, {})
    table[path[-1]] = value


def _value(control: Control, given: str) -> object:
    match control:
        case Control.WHOLE:
            return int(given) if re.fullmatch(r"[+-]?[0-9]{1,15}", given) else given
        case Control.FIGURE:
            found = figure_of(given.replace(",", ".")) if given.count(",") <= 1 else None
            return figure_text(found) if found is not None else given
        case Control.NAMES:
            return [name for name in _SEPARATORS.split(given) if name]
        case Control.LINES:
            return [line.strip() for line in given.splitlines() if line.strip()]
        case _:
            return given


def _amount(name: str, given: str, currency: str, found: Typed) -> str | None:
    """The plain decimal of "47,14" as of "47.14"; of what is unclear it is asked which is meant."""
    try:
        return amount_text(parse_amount(given, currency, strict=False), currency)
    except UnitError as error:
        found.errors[name] = said(error, "47.14")
        return None


def _pairs(name: str, given: str, found: Typed) -> dict[str, str] | None:
    """The pairs that the lines say; a line that says none, or a name again, is told."""
    pairs: dict[str, str] = {}
    for line in (line.strip() for line in given.splitlines()):
        ours, sign, theirs = (part.strip() for part in line.partition("="))
        if not line:
            continue
        if not (ours and sign and theirs):
            wrong = text("“{line}” is no pair; write for example f1 = eval_f1.", line=line[:80])
            found.errors.setdefault(name, wrong)
        elif ours in pairs:
            found.errors.setdefault(name, named_twice(ours))
        pairs[ours] = theirs
    return None if name in found.errors else pairs


def _instant(name: str, given: str, fold: str, zone: str, found: Typed) -> str | None:
    """The instant of a local time, or None after saying what is wrong or must be asked."""
    try:
        local = parse_local(given)
        meant = resolve_local(local, zone, {"first": 0, "second": 1}.get(fold))
    except UnitError as error:
        found.errors[name] = said(error, "2026-11-30 08:00")
        return None
    match meant:
        case Resolved(at):
            return instant_text(at)
        case Ambiguous(first_at, second_at):
            found.questions[name] = Question(first_at, second_at)
            found.errors[name] = text("This time happens twice in {zone}: which one?", zone=zone)
        case Missing(before, after):
            found.errors[name] = text(
                "This time never happens in {zone}: the clock goes from {before} to {after}.",
                zone=zone,
                before=f"{before:%H:%M}",
                after=f"{after:%H:%M}",
            )
    return None
