"""Which lot can hold a step at all, and the sentence that says why none can."""

from __future__ import annotations

from collections.abc import Sequence

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step
from app.plan.rules.spans import hours_said, named
from app.texts import Text, text


def holds(lot: LotWindow, gpus: int, minutes: int) -> bool:
    """Whether a lot has the GPUs for a step, and a window as long as its work."""
    return lot.gpus >= gpus and lot.usable_min - lot.start_min >= minutes


def why_no_lot(step: Step, lots: Sequence[LotWindow], gpus: int, minutes: int) -> Text:
    """Why none of the lots can hold a step, with the numbers that prove it."""
    most = max(lot.gpus for lot in lots)
    if gpus > most:
        return text(
            "{step} needs {gpus} GPUs in one lot, the largest has {most}: "
            "lots do not merge their memory",
            step=named(step),
            gpus=gpus,
            most=most,
        )
    windows = [lot.usable_min - lot.start_min for lot in lots]
    wide = max(w for w, lot in zip(windows, lots, strict=True) if lot.gpus >= gpus)
    if minutes <= wide:
        return text("{step} needs a lot on which all it is after can run", step=named(step))
    too_long = {
        "step": named(step),
        "length": hours_said(minutes),
        "over": hours_said(minutes - wide),
    }
    if wide == max(windows):
        return text("{step} takes {length}: {over} longer than the longest window", **too_long)
    return text(
        "{step} takes {length}: {over} longer than the longest window with {gpus} GPUs",
        **too_long,
        gpus=gpus,
    )


def why_not_together(step: Step, lot: LotWindow) -> Text:
    """Why a step has no place on the one lot that control and variants are to run on."""
    return text(
        "{step} cannot run on {lot}, and control and variants are to run on one lot",
        step=named(step),
        lot=lot.id,
    )
