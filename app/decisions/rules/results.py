"""What runs said of the decision metric, as exact figures.

A value is the text that the job posted; it becomes a number only here, and only when it is
finite and of a size that a float can have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from app.plan.rules.model import DecisionRule

WIDEST = 400
"""Powers of ten on either side of 1 that a posted figure may have; a float stays within 325."""


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one run as posted: the value that counts at the end, and both extremes.

    `final` is the value sent with `finish`, else the last one by sequence.
    """

    final: str | None
    highest: str | None = None
    lowest: str | None = None


@dataclass(frozen=True, slots=True)
class Fired:
    """The stop rule that ended a run: which, on what, the value it saw, and how far the run was."""

    rule: str
    metric: str | None = None
    value: str | None = None
    progress: int | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run as the decision rule needs it; `corpora` are the hashes its configuration names."""

    run: str
    step: str
    status: str  # planned running completed failed stopped lost
    metrics: Mapping[str, Series] = field(default_factory=dict)
    corpora: tuple[tuple[str, str], ...] = ()
    fired: Fired | None = None
    reason_code: str | None = None


def figure(posted: str | None) -> Decimal | None:
    """The number that a posted text says; None for what is not finite or no figure at all."""
    if posted is None:
        return None
    try:
        found = Decimal(posted.strip())
    except InvalidOperation:
        return None
    if not found.is_finite() or (found and abs(found.adjusted()) > WIDEST):
        return None
    return found


def names_of(rule: DecisionRule) -> tuple[str, ...]:
    """What jobs may call the decision metric: the mapped name first, then our own."""
    mapped = dict(rule.metrics).get(rule.metric)
    return (rule.metric,) if mapped in (None, rule.metric) else (str(mapped), rule.metric)


def posted_value(rule: DecisionRule, result: RunResult) -> tuple[str, str] | None:
    """The job's name of the decision metric and the text that counts, final or best."""
    for name in names_of(rule):
        series = result.metrics.get(name)
        if series is None:
            continue
        best = series.highest if rule.better == "higher" else series.lowest
        taken = best if rule.take == "best" and best is not None else series.final
        if taken is not None:
            return name, taken
    return None


def mean(values: tuple[Decimal, ...]) -> Fraction | None:
    """The exact mean; None of no value."""
    if not values:
        return None
    return sum((Fraction(value) for value in values), Fraction(0)) / len(values)


def plain(value: Fraction | None) -> str | None:
    """A figure for the API: exact where it has an end, else rounded half-even to 12 digits."""
    if value is None:
        return None
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator == 1:
        exact = _ended(value)
        if len(exact) <= 40:
            return exact
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.12g}"


def _ended(value: Fraction) -> str:
    """A fraction whose decimal form ends, written out."""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    whole, rest = (digits[:-places], digits[-places:]) if places else (digits, "")
    sign = "-" if value < 0 else ""
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"
