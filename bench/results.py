"""What a benchmark says: a figure, its unit, a baseline of the same run where there is one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table; `mark` says what is to be reached."""

    name: str
    value: float
    unit: str
    baseline: float | None = None
    mark: str | None = None

    @property
    def ratio(self) -> float | None:
        """Value ÷ baseline."""
        return None if not self.baseline else self.value / self.baseline

    def as_json(self) -> dict[str, object]:
        """As `--json` writes it."""
        found: dict[str, object] = {"value": round(self.value, 4), "unit": self.unit}
        if self.baseline is not None:
            found["baseline"] = round(self.baseline, 4)
            found["ratio"] = None if self.ratio is None else round(self.ratio, 4)
        return found
