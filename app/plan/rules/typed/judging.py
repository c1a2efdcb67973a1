"""Whether an edited mapping is a plan, and which field each problem belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.plan.rules.checks import malformed
from app.plan.rules.document import Problem, from_document
from app.plan.rules.model import Plan
from app.plan.rules.typed.speaking import Names, place_said, spoken
from app.texts import Text, text

ELSEWHERE = "~"
"""Begins the place of a problem that is on no field of the form."""


def judged(document: Mapping[str, Any], names: Names) -> Plan | dict[str, Text]:
    """The plan of a mapping, or what is wrong with it by the names of a form's fields."""
    plan = from_document(document)
    problems = malformed(plan) if isinstance(plan, Plan) else plan
    if isinstance(plan, Plan) and not problems:
        return plan
    return named_errors(problems, names)


def named_errors(problems: Iterable[Problem], names: Names) -> dict[str, Text]:
    """Problems by the field that they belong to, the first of each; others by their place."""
    found: dict[str, Text] = {}
    for problem in problems:
        parts = [str(part) for part in problem.path]
        while parts and ".".join(parts) not in names:
            parts.pop()
        if parts:
            found.setdefault(".".join(parts), spoken(problem, names))
        else:
            found.setdefault(ELSEWHERE + problem.field, located(problem, names))
    return found


def located(problem: Problem, names: Names) -> Text:
    """A problem with its place before it, for a list of what is wrong."""
    why = spoken(problem, names)
    if not problem.path:
        return why
    place = place_said(problem.path, names)
    return text("{place}: {why}", place=place or problem.field, why=why)


def listed(errors: Mapping[str, Text], names: Names) -> tuple[tuple[str | None, Text], ...]:
    """What is wrong with a form for its head: each with its field's place, and what it leads to."""
    return tuple(_listed(name, said, names) for name, said in errors.items())


def _listed(name: str, said: Text, names: Names) -> tuple[str | None, Text]:
    if name.startswith(ELSEWHERE):
        return None, said
    place = place_said(name.split("."), names)
    return name, said if place is None else text("{place}: {why}", place=place, why=said)
