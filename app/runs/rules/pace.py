"""How fast one job may post: a bucket of tokens that fills by so many a second, and holds those
of ten seconds. A post takes one, also where it brings a whole batch."""

from __future__ import annotations

import math
from typing import Final

BURST_S: Final = 10
"""A job that was quiet may post at once what it could have posted in so many seconds."""


def full(rate: int) -> float:
    """The tokens of a bucket that nobody has taken from lately."""
    return float(rate * BURST_S)


def take(left: float, passed_s: float, rate: int) -> tuple[float, int]:
    """Take one token from a bucket of which `left` were there `passed_s` seconds ago.

    Returns what is left then, and after how many whole seconds to come again; 0: it was taken.
    """
    if passed_s > 0.0:
        left += passed_s * rate
        if left > rate * BURST_S:
            left = full(rate)
    if left >= 1.0:
        return left - 1.0, 0
    return left, max(1, math.ceil((1.0 - left) / rate))
