"""Who ran a check, when, with which tool, and the last lines of what it printed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.deliverables.rules.evidence import Result
from app.deliverables.rules.standing import SubmissionLine
from app.units import UnitError, parse_instant

LINES = 12
"""As many lines of a check's output are shown."""
OWN = ("at", "output")
"""Evidence that has a place of its own where a check is shown."""


@dataclass(frozen=True, slots=True)
class Ran:
    """`at` is by the client's clock where it says so, else when the submission came."""

    by: str
    host: str | None
    at: datetime
    tool: str | None
    output: str | None


def ran(result: Result, line: SubmissionLine) -> Ran:
    """How one check of a submission was run."""
    said = result.evidence.get("output")
    output = said.rstrip() if isinstance(said, str) else ""
    last = "\n".join(output.split("\n")[-LINES:])
    at = _instant(result.evidence.get("at")) or line.made_at or line.at
    return Ran(line.actor_name, line.host, at, line.tool, last or None)


def _instant(given: object) -> datetime | None:
    try:
        return parse_instant(given) if isinstance(given, str) else None
    except UnitError:
        return None
