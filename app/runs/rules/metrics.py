"""Metrics as a run's record keeps them: the newest value, the extremes, and what the end said.

Values are kept as the texts that came, so that "0.820" and "nan" stay what they were.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from punktum.values import as_number


class MetricSeen(NamedTuple):
    """One metric: `low` and `high` are finite values only, `final` came with an end."""

    last: str
    low: str | None = None
    high: str | None = None
    final: str | None = None


def with_metrics(
    before: Mapping[str, MetricSeen],
    fields: Mapping[str, Any],
    names: Mapping[str, str],
    *,
    is_end: bool,
) -> Mapping[str, MetricSeen]:
    """What is known of the metrics after an event; `names` is our name → the job's."""
    found = fields.get("metrics")
    if not found:
        return before
    after = dict(before)
    for name, value in found.items():
        after[name] = _seen(before.get(name), value, is_end)
    for ours, theirs in names.items():
        if theirs in found and ours not in found:
            after[ours] = _seen(before.get(ours), found[theirs], is_end)
    return after


def merged(before: MetricSeen | None, seen: MetricSeen) -> MetricSeen:
    """What two sources or attempts know of one metric: the later word, the extremes of both."""
    if before is None:
        return seen
    lows = [low for low in (before.low, seen.low) if low is not None]
    highs = [high for high in (before.high, seen.high) if high is not None]
    low, high = min(lows, key=float, default=None), max(highs, key=float, default=None)
    return MetricSeen(seen.last, low, high, seen.final)


def metric_text(value: float | str) -> str:
    """A value as text: what came as text stays, a number in the shortest form."""
    return value if isinstance(value, str) else repr(value)


def _seen(before: MetricSeen | None, value: float | str, is_end: bool) -> MetricSeen:
    said = metric_text(value)
    number = as_number(value)
    low, high = (before.low, before.high) if before else (None, None)
    if number is not None and math.isfinite(number):
        if low is None or number < float(low):
            low = said
        if high is None or number > float(high):
            high = said
    final = said if is_end else before.final if before else None
    return MetricSeen(said, low, high, final)
