"""What the address of a trial asks for: everything that is tried stands in it, as typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import QueryParams

from app.plan.rules.document.measures import said as unit_said
from app.plan.rules.model import Plan
from app.plan.rules.what_if import Trial
from app.texts import Text, text
from app.units import UnitError, parse_duration

MOST_LOTS = 9


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for: texts as typed, and what could be read of them."""

    trial: Trial
    typed: Mapping[str, str]
    errors: Mapping[str, Text]


def asked_of(plan: Plan, said: QueryParams) -> Asked:
    """Read the address; a text that cannot be read stays in its field with what would be right."""
    typed, errors = dict(said), {}
    estimates: dict[str, int] = {}
    for step in plan.steps:
        seconds, error = _length(typed.get(f"p50.{step.id}", ""))
        if error is not None:
            errors[f"p50.{step.id}"] = error
        if seconds is not None:
            estimates[step.id] = seconds
    added_s, error = _length(typed.get("added_p50", ""))
    if error is not None:
        errors["added_p50"] = error
    title = typed.get("added_title", "").strip()[:200]
    count, error = _count(typed.get("lots", "1"))
    if error is not None:
        errors["lots"] = error
    if title and added_s is None and "added_p50" not in errors:
        errors["added_p50"] = text("How long would {title} take? For example 10h.", title=title)
    trial = Trial(
        estimates=estimates,
        out=frozenset(said.getlist("out")),
        included=frozenset(said.getlist("include")) if "tried" in said else None,
        added_title=title if added_s else "",
        added_s=added_s if title else None,
        offer=typed.get("offer") or None,
        lots=count,
    )
    return Asked(trial, typed, errors)


def _length(typed: str) -> tuple[int | None, Text | None]:
    if not typed.strip():
        return None, None
    try:
        return parse_duration(typed), None
    except UnitError as error:
        return None, unit_said(error, "12h")


def _count(typed: str) -> tuple[int, Text | None]:
    """How many lots; one where it cannot be read, and what would be right."""
    given = typed.strip() or "1"
    if given.isascii() and given.isdecimal() and 1 <= int(given[:3]) <= MOST_LOTS:
        return int(given[:3]), None
    return 1, text("Write a whole number from 1 to {most}.", most=MOST_LOTS)
