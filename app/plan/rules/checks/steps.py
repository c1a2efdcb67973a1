"""Whether each step says what its kind needs: estimate, GPUs, place in time."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.rules.document import Path, Problem
from app.plan.rules.model import Plan, Step, StepKind
from app.texts import Text, text
from app.units import MAX_DURATION_S, Duration


def step_problems(plan: Plan) -> Iterator[Problem]:
    """What contradicts itself inside a step; a missing estimate is no contradiction."""
    for index, step in enumerate(plan.steps):
        path: Path = ("steps", index)
        yield from _gpus(path, step)
        yield from _estimate(path, step)
        if step.parts is not None:
            yield from _parts((*path, "parts"), step)
        if step.before_window and step.kind is StepKind.MACHINE:
            message = text("A machine step needs a rented GPU; it cannot lie before the window.")
            yield Problem((*path, "before_window"), message, True)


def estimates_missing(plan: Plan) -> Iterator[Problem]:
    """Steps that take time but do not say how much: a draft may, a sealed plan may not."""
    for index, step in enumerate(plan.steps):
        untold = step.p50_s is None and step.parts is None
        if untold and step.kind is not StepKind.DECISION_POINT:
            message = text("“{step}” has no estimate; write p50 or parts.", step=step.id)
            yield Problem(("steps", index, "p50"), message)


def _gpus(path: Path, step: Step) -> Iterator[Problem]:
    message: Text
    if step.kind is StepKind.MACHINE and step.gpus < 1:
        message = text("“{step}” is a machine step; write gpus = 1 or more.", step=step.id)
        yield Problem((*path, "gpus"), message, step.gpus)
    elif step.kind is not StepKind.MACHINE and step.gpus != 0:
        message = text(
            "“{step}” is a step of kind {kind} and takes no GPU; leave gpus out.",
            step=step.id,
            kind=str(step.kind),
        )
        yield Problem((*path, "gpus"), message, step.gpus)


def _estimate(path: Path, step: Step) -> Iterator[Problem]:
    if step.p50_s is not None and step.parts is not None:
        message = text("“{step}” states both p50 and parts; keep one of them.", step=step.id)
        yield Problem((*path, "p50"), message, step.p50_s)
        return
    stated = step.p50_s is not None or step.parts is not None
    key = "p50" if step.parts is None else "parts"
    if step.p90_s is not None and not stated:
        yield Problem((*path, "p90"), text("p90 says nothing without p50 or parts."), step.p90_s)
    elif step.p90_s is not None and step.p90_s < step.estimate_s():
        message = text(
            "p90 is {p90}, which is less than the estimate of {p50}; it must be at least that.",
            p90=Duration(step.p90_s),
            p50=Duration(step.estimate_s()),
        )
        yield Problem((*path, "p90"), message, step.p90_s)
    if stated and step.estimate_s() == 0 and step.kind is not StepKind.DECISION_POINT:
        message = text("Only a decision point may take no time; “{step}” does.", step=step.id)
        yield Problem((*path, key), message, 0)
    elif stated and step.estimate_s() > MAX_DURATION_S:
        message = text("“{step}” would take more than a hundred years.", step=step.id)
        yield Problem((*path, key), message, step.estimate_s())


def _parts(path: Path, step: Step) -> Iterator[Problem]:
    parts = step.parts
    if parts is None:
        return
    if parts.units is not None and parts.per_unit_s is None:
        message = text("units needs per_unit: the time for one of them.")
        yield Problem((*path, "per_unit"), message)
    if parts.per_unit_s is not None and parts.units is None:
        message = text("per_unit needs units: how many of them there are.")
        yield Problem((*path, "units"), message)
