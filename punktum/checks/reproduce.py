"""``reproduce``: the announced command, run as ``reload`` is, prints the announced value again.

The last number in its output is compared with ``value``; the absolute difference may be
``tolerance`` at most (none where it is not announced). Figures are compared exactly, as decimals.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from punktum import reading, talk
from punktum.checks.fresh import run_fresh, wait_for_runs
from punktum.checks.verdict import Announced, Subject, Verdict

KIND: Final = "reproduce"

_NUMBER: Final = re.compile(
    r"(?<![\w.+-])[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?|nan|inf(?:inity)?)"
    r"(?![\w%]|\.[0-9])",
    re.IGNORECASE,
)


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when the command leaves with 0 and its last number is the value."""
    command = reading.text(announced.get("command"))
    value = _figure(announced.get("value"))
    if not command or value is None:
        return Verdict(KIND, False, "command and value were not announced")
    tolerance = _figure(announced.get("tolerance")) or Decimal(0)
    run = wait_for_runs(subject)
    if run is not None:
        return Verdict(KIND, False, f"{run} goes on and may need the GPU", not_run=True)
    talk.say(f"reproduce: {command}")
    ran = run_fresh(command, announced, subject)
    found = last_number(ran.output)
    evidence = {**ran.evidence, "expected": str(value), "tolerance": str(tolerance)}
    if ran.fault is not None:
        return Verdict(KIND, False, ran.fault, evidence)
    if found is None:
        return Verdict(KIND, False, "the command printed no number", evidence)
    evidence["found"] = str(found)
    if not found.is_finite() or abs(found - value) > tolerance:
        away = f", {abs(found - value):f} away" if found.is_finite() else ""
        return Verdict(KIND, False, f"printed {found}, announced is {value}{away}", evidence)
    return Verdict(KIND, True, f"printed {found}, announced is {value} ± {tolerance}", evidence)


def last_number(output: str) -> Decimal | None:
    """The last number that stands by itself, ``nan`` and ``inf`` too; None where there is none."""
    found = [match[0] for match in _NUMBER.finditer(output)]
    return Decimal(found[-1]) if found else None


def _figure(value: object) -> Decimal | None:
    """A finite figure of the sheet, text or number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        figure = Decimal(str(value))
    except ArithmeticError:
        return None
    return figure if figure.is_finite() else None
