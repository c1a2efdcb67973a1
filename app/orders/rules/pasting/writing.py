"""The line that a value stands in, as a person may see it: masked, and cut around the value."""

from __future__ import annotations

from collections.abc import Sequence

from app.orders.rules.pasting.masking import mask
from app.orders.rules.pasting.model import MOST_CHARACTERS, Said


class Excerpts:
    """The lines of a text as they are kept."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def of(self, said: Said, value: str) -> str:
        """Where a statement stands: its line, or the member of the data with its value; at most
        `MOST_CHARACTERS` with the value in them."""
        whole = mask(said.member) if said.member else self._line(said.line)
        if len(whole) <= MOST_CHARACTERS:
            return whole
        start = max(0, min(whole.find(value) - 40, len(whole) - MOST_CHARACTERS))
        cut = whole[start : start + MOST_CHARACTERS].strip()
        return f"{'…' if start else ''}{cut}{'…' if start + MOST_CHARACTERS < len(whole) else ''}"

    def _line(self, number: int) -> str:
        return self._lines[number - 1].strip() if 0 < number <= len(self._lines) else ""

    def hides(self, value: str) -> bool:
        """Whether a value holds digits that are masked."""
        return mask(value) != value
