"""Whether an edited mapping is a plan, and which field each problem belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from app.plan.rules.checks import malformed
from app.plan.rules.document import Problem, from_document
from app.plan.rules.model import Plan
from app.texts import Text, text

ELSEWHERE = "~"
"""Begins the place of a problem that is on no field of the form."""

_MISSING = "Missing; write for example {example}."


def judged(document: Mapping[str, Any], names: Collection[str]) -> Plan | dict[str, Text]:
    """The plan of a mapping, or what is wrong with it by the names of a form's fields."""
    plan = from_document(document)
    problems = malformed(plan) if isinstance(plan, Plan) else plan
    if isinstance(plan, Plan) and not problems:
        return plan
    return named_errors(problems, names)


def named_errors(problems: Iterable[Problem], names: Collection[str]) -> dict[str, Text]:
    """Problems by the field that they belong to, the first of each; others by their place."""
    found: dict[str, Text] = {}
    for problem in problems:
        parts = [str(part) for part in problem.path]
        while parts and ".".join(parts) not in names:
            parts.pop()
        if parts:
            found.setdefault(".".join(parts), _for_forms(problem))
        else:
            said = text("{place}: {why}", place=problem.field, why=problem.message)
            found.setdefault(ELSEWHERE + problem.field, said if problem.path else problem.message)
    return found


def _for_forms(problem: Problem) -> Text:
    """A missing key is an empty field here; how it is written in a file helps nobody."""
    return text("This is needed.") if problem.message.msgid == _MISSING else problem.message
