"""Which lane each stretch of work is drawn in: where the job said it ran, else where it fits.

A job that does not say its GPUs gets the planned lane of its step if that is free, else the
first free one, else the planned lane, and the conflict is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from app.plan.rules.model import Step, StepKind
from app.timeline.rules.facts import Facts, Stretch, Window

Name = tuple[str | None, int, str | None, datetime]
TOGETHER_S = 60
"""An overlap of so little is a matter of clocks, not a conflict."""


def name_of(one: Stretch) -> Name:
    """What a stretch is known by."""
    return one.run, one.attempt, one.step, one.starts_at


def lanes_of(facts: Facts) -> dict[Name, tuple[str, ...]]:
    """The lanes of every stretch: one, or one for each GPU that it holds."""
    return facts.once("lanes", lambda: _lanes(facts))


def _lanes(facts: Facts) -> dict[Name, tuple[str, ...]]:
    steps = {step.id: step for step in (*facts.sealed_steps, *facts.plan.steps)}
    planned = _planned(facts)
    busy: dict[str, int] = {}
    found: dict[Name, tuple[str, ...]] = {}
    for one in sorted(facts.stretches, key=lambda one: (one.starts_at, not one.gpus)):
        step = steps.get(one.step or "")
        lanes = _stated(one, step, planned, facts) or _free(one, step, planned, busy, facts)
        for lane in lanes:
            busy[lane] = max(busy.get(lane, 0), facts.span(one)[1])
        found[name_of(one)] = lanes
    return found


def _planned(facts: Facts) -> dict[str, tuple[str, ...]]:
    """The lanes of each step by the sealed plan; of a piece for each lot the first."""
    found: dict[str, tuple[str, ...]] = {}
    for one in facts.sealed.placements:
        if not one.reserve and one.step not in found:
            more = tuple(f"{one.lot}/gpu-{gpu}" for gpu in one.gpus) if one.lot else ()
            found[one.step] = more if one.lane in more else (one.lane,)
    return found


def _stated(
    one: Stretch, step: Step | None, planned: Mapping[str, tuple[str, ...]], facts: Facts
) -> tuple[str, ...]:
    """Where it ran by the job's own word, or where people and the wire work; empty if unsaid."""
    if step is not None and step.kind is not StepKind.MACHINE:
        wire = "transfer" if step.kind is StepKind.TRANSFER else "people"
        return planned.get(step.id, (wire,))
    if one.run is None:
        return ("people",)
    if not one.gpus:
        return ()
    lot = one.lot or _lot_of(planned.get(one.step or "", ()), one, facts)
    return tuple(f"{lot}/gpu-{gpu}" for gpu in sorted(one.gpus)) if lot is not None else ()


def _lot_of(wanted: tuple[str, ...], one: Stretch, facts: Facts) -> str | None:
    """The lot whose GPUs a job names without naming the lot: the planned one, else the open one."""
    for lane in wanted:
        lot = lane.partition("/")[0]
        if any(window.id == lot for window in facts.windows):
            return lot
    open_ones = _open_first(facts, facts.span(one)[0])
    return open_ones[0].id if open_ones else None


def _free(
    one: Stretch,
    step: Step | None,
    planned: Mapping[str, tuple[str, ...]],
    busy: Mapping[str, int],
    facts: Facts,
) -> tuple[str, ...]:
    """The planned lanes while they are free, else the first free GPUs of one lot."""
    starts = facts.span(one)[0]
    wanted = planned.get(step.id, ()) if step is not None else ()
    number = max(1, step.gpus if step is not None else 1, len(one.gpus))
    if one.lot is None and wanted and _are_free(wanted, busy, starts):
        return wanted
    for window in _open_first(facts, starts):
        if one.lot not in (None, window.id):
            continue
        lanes = list(_idle(window, busy, starts))
        if len(lanes) >= number:
            return tuple(lanes[:number])
    if wanted:
        return wanted
    lot = one.lot or (facts.windows[0].id if facts.windows else None)
    return (f"{lot}/gpu-0",) if lot is not None else ("unplaced",)


def _open_first(facts: Facts, at_s: int) -> list[Window]:
    """The lots that can be used at a moment, then the others."""
    return sorted(facts.windows, key=lambda one: not one.starts_s <= at_s < one.usable_s)


def _idle(window: Window, busy: Mapping[str, int], at_s: int) -> Iterator[str]:
    for gpu in range(window.gpus):
        if _are_free((f"{window.id}/gpu-{gpu}",), busy, at_s):
            yield f"{window.id}/gpu-{gpu}"


def _are_free(lanes: tuple[str, ...], busy: Mapping[str, int], at_s: int) -> bool:
    return all(busy.get(lane, at_s) <= at_s + TOGETHER_S for lane in lanes)
