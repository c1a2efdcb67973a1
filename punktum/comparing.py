"""Whether a resumed training gives the values of one that was never interrupted. Pure."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from punktum import reading
from punktum.check_values import AT, SAVED
from punktum.values import as_number, as_text


@dataclass(frozen=True, slots=True)
class Value:
    """One value that a command reported, and when, by the monotonic clock."""

    number: float
    at_s: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of comparing. ``first`` is the first step after the checkpoint that differs."""

    passed: bool
    reason: str | None = None
    steps: int = 0
    expected: str | None = None
    found: str | None = None
    first: int | None = None


def compare(
    saved: Sequence[float], resumed: Sequence[float], *, name: str, steps: int, tolerance: float
) -> Comparison:
    """Compare the last ``steps`` values of the training that went on with those after the resume.

    Two values agree when they differ by at most ``tolerance``, or that part of the larger one
    where it is above 1. A value that is not finite agrees with none.
    """
    if len(saved) < steps:
        return Comparison(False, _few("--save", name, len(saved), steps))
    if len(resumed) < steps:
        return Comparison(False, _few("--resume", name, len(resumed), steps))
    if len(resumed) > steps:
        text = f"--resume reported {len(resumed)} values of {name}, {steps} are expected"
        return Comparison(False, f"{text}: it does not go on from the checkpoint")
    reference = saved[-steps:]
    for number, (one, other) in enumerate(zip(reference, resumed, strict=True), start=1):
        if not _agree(one, other, tolerance):
            where = f"{name} differs at step {number} after the checkpoint"
            said = f"{where}: {as_text(one)} expected, {as_text(other)} found"
            anew = _begins_anew(saved, resumed, steps, tolerance)
            hint = "; these are the values of the first steps: nothing was loaded" if anew else ""
            reason = f"{said}{hint}"
            return Comparison(False, reason, steps, as_text(one), as_text(other), number)
    return Comparison(True, None, steps, as_text(reference[-1]), as_text(resumed[-1]))


def is_constant(values: Sequence[float]) -> bool:
    """Whether the values never change, so that agreeing proves little."""
    return len(values) > 1 and len(set(values)) == 1


def value_printed(line: str, name: str) -> float | None:
    """The value in a line of output: ``loss=0.1``, ``loss: 0.1``, ``{"loss": 0.1}``; the last one
    where there are several. None where it holds none."""
    number = r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?![\w.])"
    pattern = rf"(?<![\w./-])[\"']?{re.escape(name)}[\"']?\s*[=:]\s*[\"']?({number})"
    found = re.findall(pattern, line, re.IGNORECASE)
    return as_number(found[-1]) if found else None


def values_in_file(
    text: str, name: str
) -> tuple[list[tuple[float, float | None]], list[dict[str, object]]]:
    """The values of a file of JSON lines, each with its moment where it has one, and the
    checkpoints in it. What cannot be read is passed over."""
    values: list[tuple[float, float | None]] = []
    checkpoints: list[dict[str, object]] = []
    for line in text.splitlines():
        try:
            told = reading.record(json.loads(line))
        except (ValueError, RecursionError):
            continue
        if isinstance(told.get(SAVED), dict):
            checkpoints.append(reading.record(told[SAVED]))
        value, at_s = told.get(name), told.get(AT)
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            number = as_number(value)
            if number is not None:
                values.append((number, at_s if isinstance(at_s, float) else None))
    return values, checkpoints


def pause_s(values: Sequence[Value], steps: int) -> float | None:
    """How long the training stood at the checkpoint: the pause between the values around it, less
    the usual one. None where the values before it were not reported, or nothing can be seen."""
    if len(values) != 2 * steps or steps < 2:
        return None
    gaps = [after.at_s - before.at_s for before, after in itertools.pairwise(values)]
    around = gaps.pop(steps - 1)
    usual = sorted(gaps)[len(gaps) // 2]
    return around - usual if around > usual else None


def _agree(one: float, other: float, tolerance: float) -> bool:
    if not (math.isfinite(one) and math.isfinite(other)):
        return False
    return abs(one - other) <= tolerance * max(1.0, abs(one), abs(other))


def _begins_anew(
    saved: Sequence[float], resumed: Sequence[float], steps: int, tolerance: float
) -> bool:
    if len(saved) < 2 * steps:
        return False
    pairs = zip(saved[:steps], resumed, strict=True)
    return all(_agree(one, other, tolerance) for one, other in pairs)


def _few(option: str, name: str, there: int, needed: int) -> str:
    values = "1 value" if there == 1 else f"{there} values"
    return f"{option} reported {values} of {name}, {needed} are needed"
