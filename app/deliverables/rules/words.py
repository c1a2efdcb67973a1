"""How kinds of deliverables, sizes and check results are said."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from app.plan.rules.model import DeliverableKind
from app.plan.rules.typed.labels import CHECK_KINDS
from app.texts import Text, ntext, text

KINDS: dict[str, Text] = {
    DeliverableKind.PREDICTIONS: text("Predictions"),
    DeliverableKind.ERROR_ANALYSIS: text("Error analysis"),
    DeliverableKind.ARTIFACT: text("Artifact"),
    DeliverableKind.ADAPTER: text("Adapter"),
    DeliverableKind.DATASET: text("Dataset"),
    DeliverableKind.REPORT: text("Report"),
    DeliverableKind.OTHER: text("Other"),
}


def check_said(kind: str) -> Text:
    """A kind of check in words; one that a job made up has the name that it was given."""
    return CHECK_KINDS.get(kind) or text("{name}", name=kind)


_UNITS = ("KiB", "MiB", "GiB", "TiB")


def size_said(size: int) -> Text:
    """A number of bytes in the largest unit that leaves it above 1, with one decimal."""
    if size < 1024:
        return ntext("{n} byte", "{n} bytes", size)
    power = min((size.bit_length() - 1) // 10, len(_UNITS))
    figure = (Decimal(size) / 1024**power).quantize(Decimal("0.1"), ROUND_HALF_EVEN)
    return text("{figure} {unit}", figure=figure, unit=_UNITS[power - 1])


def evidence_lines(evidence: object, longest: int = 400) -> tuple[tuple[str, str], ...]:
    """Free evidence as pairs of name and plain text, each cut to `longest` characters."""
    if not isinstance(evidence, dict):
        return ()
    return tuple((str(key), _plain(value)[:longest]) for key, value in evidence.items())


def _plain(value: object) -> str:
    match value:
        case None | []:
            return "–"
        case dict():
            return ", ".join(f"{key}: {_plain(item)}" for key, item in value.items())
        case list():
            return ", ".join(_plain(item) for item in value)
        case _:
            return str(value)
