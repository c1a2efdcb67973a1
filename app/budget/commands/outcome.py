"""What the commands of this room answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Charged:
    """The row that holds what was asked for; `is_new` is false where it was there before."""

    number: int
    is_new: bool
