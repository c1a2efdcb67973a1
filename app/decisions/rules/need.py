"""Whether a step can still change the choice, from the verdicts so far."""

from __future__ import annotations

from collections.abc import Mapping

from app.plan.rules.conditions import Mistake, Verdict, parse_needed_if

_KNOWN = {"passes": True, "does_not_pass": False}


def is_needed(condition: str, verdicts: Mapping[str, str]) -> bool | None:
    """Whether `needed_if` holds; None while a verdict that it asks for is not in.

    A condition that cannot be read never makes a step unneeded.
    """
    parsed = parse_needed_if(condition)
    if isinstance(parsed, Mistake):
        return None
    found = [_holds(wanted, verdicts) for wanted in parsed.verdicts]
    settled = not parsed.every
    if settled in found:
        return settled
    return None if None in found else not settled


def _holds(wanted: Verdict, verdicts: Mapping[str, str]) -> bool | None:
    known = _KNOWN.get(verdicts.get(wanted.step, ""))
    return None if known is None else known == wanted.passes
