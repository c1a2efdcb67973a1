"""Windows as boxes with the plan inside, all on one scale, in percent of the widest that is drawn.

A window much longer than any of the plans is cut off, so that the plans stay readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_BEYOND = 1.6
"""How far, in lengths of the longest plan, a window is drawn before it is cut."""


@dataclass(frozen=True, slots=True)
class Box:
    """Widths in percent: the window, the part of the plan inside it, what lies beyond it.

    `cut`: the window goes on to the right of the drawing.
    """

    window: float
    inside: float
    over: float
    cut: bool


def boxes(spans: Sequence[tuple[int, int] | None]) -> tuple[Box | None, ...]:
    """A box for each (window, end of the plan) in minutes; None stays None."""
    known = [span for span in spans if span is not None]
    if not known:
        return (None,) * len(spans)
    longest = max(end for _, end in known)
    widest = max(1, longest, min(max(window for window, _ in known), round(longest * _BEYOND)))
    return tuple(None if span is None else _box(*span, widest) for span in spans)


def _box(window: int, end: int, widest: int) -> Box:
    return Box(
        window=_percent(min(window, widest), widest),
        inside=_percent(max(0, min(end, window)), widest),
        over=_percent(max(0, end - window), widest),
        cut=window > widest,
    )


def _percent(minutes: int, widest: int) -> float:
    return round(100 * minutes / widest, 2)
