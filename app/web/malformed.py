"""A request that does not fit its address: the field, and what would be right, in our words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.errors import Malformed
from app.texts import Text, text

_PLACES = ("body", "query", "path", "header", "cookie")
_QUOTED = re.compile(r"'([^']*)'")


def malformed(problems: Sequence[Mapping[str, object]]) -> Malformed:
    """The first problem of a request; the input itself is never echoed."""
    if not problems:
        return Malformed(text("This request cannot be read."))
    first = problems[0]
    location = first.get("loc")
    parts = [str(part) for part in location] if isinstance(location, tuple) else []
    place = parts[0] if parts else ""
    field = ".".join(parts[1:] if place in _PLACES else parts)
    kind = str(first.get("type"))
    if kind == "json_invalid":
        return Malformed(
            text("The body is not JSON at character {at}: {why}.", at=field, why=_why(first))
        )
    if not field:
        needed = text("This address needs a JSON object as its body.")
        return Malformed(needed, field="body")
    allowed = _QUOTED.findall(str(_context(first).get("expected"))) if kind.startswith(
        ("literal", "enum")
    ) else None  # fmt: skip
    return Malformed(_said(kind, field, first), field=field, allowed=allowed or None)


def _said(kind: str, field: str, problem: Mapping[str, object]) -> Text:
    if kind == "missing":
        return text("{field} is needed.", field=field)
    if kind == "extra_forbidden":
        return text("There is no field {field} here.", field=field)
    return text("{field}: {reason}", field=field, reason=str(problem.get("msg", "not readable")))


def _why(problem: Mapping[str, object]) -> str:
    return str(_context(problem).get("error", "not readable")).rstrip(".")


def _context(problem: Mapping[str, object]) -> Mapping[str, object]:
    found = problem.get("ctx")
    return found if isinstance(found, Mapping) else {}
