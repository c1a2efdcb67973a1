"""What a decision point can be decided on: how long the steps before it took against the plan."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.plan.rules.model import DecisionPoint, Role, Step, StepKind


@dataclass(frozen=True, slots=True)
class Work:
    """A run as far as its duration goes: machine time of all its attempts in seconds."""

    run: str
    step: str
    status: str
    machine_s: int


@dataclass(frozen=True, slots=True)
class PilotFact:
    """One step before a decision point: reserved by the sealed plan, observed, and their ratio.

    `observed_s` and `ratio` are None until a run of the step completed; `status` is that of its
    newest run, None without one.
    """

    step: str
    title: str
    reserved_s: int
    observed_s: int | None
    ratio: Fraction | None
    run: str | None
    status: str | None


@dataclass(frozen=True, slots=True)
class Point:
    """A decision point that is open, with what is known for it.

    `remaining_s` is the machine time that the plan still reserves; `remaining_at_ratio_s` the
    same stretched by the pilot's ratio, None while there is none.
    """

    step: str
    title: str
    standing: str | None
    facts: tuple[PilotFact, ...]
    remaining_s: int
    remaining_at_ratio_s: int | None


def pilot_facts(point: Step, steps: Sequence[Step], work: Sequence[Work]) -> tuple[PilotFact, ...]:
    """The machine steps that a decision point waits for, with what their runs took."""
    before = [step for step in steps if step.id in point.after and step.kind is StepKind.MACHINE]
    return tuple(_fact(step, [run for run in work if run.step == step.id]) for step in before)


def _fact(step: Step, work: Sequence[Work]) -> PilotFact:
    reserved = step.estimate_s()
    completed = [run for run in work if run.status == "completed"]
    shown = completed[-1] if completed else (work[-1] if work else None)
    if not completed:
        run, status = (shown.run, shown.status) if shown else (None, None)
        return PilotFact(step.id, step.title, reserved, None, None, run, status)
    observed = completed[-1].machine_s
    ratio = Fraction(observed, reserved) if reserved else None
    name = completed[-1].run
    return PilotFact(step.id, step.title, reserved, observed, ratio, name, "completed")


def open_point(
    point: Step,
    steps: Sequence[Step],
    decision_points: Sequence[DecisionPoint],
    work: Sequence[Work],
    given_up: Collection[str],
) -> Point:
    """An open decision point with its facts; `given_up` are steps cut by a decision."""
    facts = pilot_facts(point, steps, work)
    by_id = {step.id: step for step in steps}
    done = {run.step for run in work if run.status == "completed"}
    remaining = sum(
        step.estimate_s()
        for step in steps
        if step.kind is StepKind.MACHINE
        and step.id not in done
        and step.id not in given_up
        and not (step.klass == "exploratory" and not step.include)
    )
    ratio = _pilot_ratio(facts, by_id)
    standing = next((found.standing for found in decision_points if found.step == point.id), None)
    stretched = round(remaining * ratio) if ratio is not None else None
    return Point(point.id, point.title, standing, facts, remaining, stretched)


def _pilot_ratio(facts: Sequence[PilotFact], steps: Mapping[str, Step]) -> Fraction | None:
    """The ratio of the step whose role is pilot, else that of the only one with a ratio."""
    known = [fact for fact in facts if fact.ratio is not None]
    pilots = [fact for fact in known if steps[fact.step].role is Role.PILOT]
    chosen = pilots or (known if len(known) == 1 else [])
    return chosen[-1].ratio if chosen else None
