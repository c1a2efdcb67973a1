"""What a step's estimate is made of: its parts with their sum, or one figure."""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.rules.checks.advice import forgotten_parts
from app.plan.rules.model import Parts, Step
from app.texts import Text, ntext, text
from app.units import Duration


@dataclass(frozen=True, slots=True)
class Estimated:
    """The parts that are stated, by their names and seconds, their sum, and what was forgotten.

    Without parts there is one figure, the P50, and `total_s` is that; None where neither is
    stated.
    """

    parts: tuple[tuple[Text, int], ...]
    total_s: int | None
    forgotten: tuple[Text, ...]


def estimated(step: Step) -> Estimated:
    """The estimate of a step, part by part."""
    parts = tuple(_parts(step.parts)) if step.parts is not None else ()
    total = step.parts.total_s() if step.parts is not None else step.p50_s
    return Estimated(parts, total, forgotten_parts(step))


def _parts(parts: Parts) -> list[tuple[Text, int]]:
    """In the order in which they are written; units count as one part."""
    stated = [
        (text("Loading"), parts.load_s),
        (text("Warm-up"), parts.warm_up_s),
        (text("Training"), parts.train_s),
        (_units(parts), (parts.per_unit_s or 0) * (parts.units or 0) if parts.units else None),
        (text("Long inputs"), parts.long_inputs_s),
        (text("Validation"), parts.validate_s),
        (text("Writing output files"), parts.write_s),
        (text("Restoring"), parts.restore_s),
        (text("Transfer"), parts.transfer_s),
    ]
    return [(name, seconds) for name, seconds in stated if seconds is not None]


def _units(parts: Parts) -> Text:
    return ntext(
        "{n} unit of {each}",
        "{n} units of {each}",
        parts.units or 0,
        each=Duration(parts.per_unit_s or 0),
    )
