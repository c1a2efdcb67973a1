"""What runs measured of saving and restoring, beside what the plan states of it."""

from __future__ import annotations

from collections.abc import Iterator

from app.deliverables.rules.words import size_said
from app.plan.rules.measured import Measured
from app.plan.rules.model import Checkpoint
from app.texts import Text, text
from app.units import Duration


def measured_said(found: Measured, stated: Checkpoint | None) -> Text:
    """`Measured: write 1 min 50 s, restore 4 min 10 s, 38 GiB; planned: write 2 min, …`."""
    plan = stated if stated is not None else Checkpoint()
    planned = tuple(_figures(Measured(plan.write_s, plan.restore_s, plan.size_bytes)))
    named = tuple(_figures(found))
    if not planned:
        return text("Measured: {measured}. Nothing was planned.", measured=named)
    return text("Measured: {measured}; planned: {planned}.", measured=named, planned=planned)


def _figures(found: Measured) -> Iterator[Text]:
    if found.write_s is not None:
        yield text("write {time}", time=Duration(found.write_s))
    if found.restore_s is not None:
        yield text("restore {time}", time=Duration(found.restore_s))
    if found.size_bytes is not None:
        yield size_said(found.size_bytes)
