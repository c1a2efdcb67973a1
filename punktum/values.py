"""A metric's value, and a length of time, as both sides read and print them."""

from __future__ import annotations

import math
from typing import SupportsFloat

Value = float | str
"""A number, or text such as ``"nan"`` or ``"0.31"`` as it came over the wire."""


def as_number(value: Value) -> float | None:
    """Read a value as a float: ``"nan"``, ``"-inf"``, ``"1e999"`` are some, ``"good"`` is None."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if not str(value).startswith("-") else -math.inf
    except (TypeError, ValueError):
        return None


def number_of(value: object) -> float | None:
    """Anything that can be read as a float: numbers, texts, arrays of one element; else None."""
    try:
        return float(value) if isinstance(value, (str, SupportsFloat)) else None
    except OverflowError:
        return as_number(str(value))
    except Exception:  # whatever a foreign __float__ raises is not the training's concern
        return None


def as_text(value: Value) -> str:
    """A value as the text both sides print: ``nan``, ``inf``, ``-inf``, ``3``, ``0.31``."""
    number = as_number(value)
    if number is None:
        return str(value)
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(number)


def span_text(seconds: float) -> str:
    """A length of time in its two largest units: ``1 d 6 h``, ``42 min 57 s``."""
    left = int(abs(seconds))
    parts = []
    for unit_s, name in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        amount, left = divmod(left, unit_s)
        if amount:
            parts.append(f"{amount} {name}")
    return " ".join(parts[:2]) or "0 s"
