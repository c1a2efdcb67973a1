"""One line for each step: planned, actual, forecast, and by how much they differ.

A deviation is of the step's own duration, observed − reserved; how much later it ends is said
apart, since a late start is not the step's own doing.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.rules.model import Step, StepClass, StepKind
from app.plan.rules.scheduled import Placement
from app.timeline.rules.facts import Facts, Stretch
from app.timeline.rules.forecast import Forecast
from app.timeline.rules.lanes import Name, lanes_of, name_of
from app.timeline.rules.states import last_of_runs, spent_s, state_of, state_of_work, used_s


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step against its plan; all in seconds from hour 0.

    `reserve` is the time kept for interruptions after `planned`, which does not hold it, and
    `forecast_reserve` what is left of it. `is_forecast`: the two differences rest on the
    forecast, not on what was observed.
    """

    id: str
    step: Step
    state: str
    lane: str
    planned: tuple[int, int] | None
    stretches: tuple[Stretch, ...]
    observed_s: int | None
    forecast: tuple[int, int] | None
    duration_delta_s: int | None
    end_delta_s: int | None
    is_forecast: bool
    new: bool
    dropped: bool
    decided_s: int | None
    reserve: tuple[int, int] | None = None
    forecast_reserve: tuple[int, int] | None = None

    @property
    def planned_s(self) -> int | None:
        """Seconds reserved by the sealed plan."""
        return None if self.planned is None else self.planned[1] - self.planned[0]


def step_lines(facts: Facts, ahead: Forecast) -> tuple[StepLine, ...]:
    """A line for each placed step and each one left out, in the order of the plan."""
    known = {step.id for step in facts.sealed_steps}
    steps = [*facts.plan.steps, *(step for step in facts.sealed_steps if facts_lacks(facts, step))]
    placed: dict[str, list[Placement]] = {}
    for one in facts.sealed.placements:
        if not one.reserve:
            placed.setdefault(one.step, []).append(one)
    lines: list[StepLine] = []
    lanes = lanes_of(facts)
    for step in steps:
        places: list[Placement | None] = list(placed.get(step.id, ())) or [None]
        for number, place in enumerate(places):
            lines.append(
                _line(step, place, facts, ahead, lanes, first=number == 0, new=step.id not in known)
            )
    return tuple(lines)


def unplanned_lines(facts: Facts) -> tuple[StepLine, ...]:
    """A line for work on what the plan does not know, for the drawing alone: no step owes it."""
    known = {step.id for step in (*facts.sealed_steps, *facts.plan.steps)}
    found: dict[str, list[Stretch]] = {}
    for one in facts.stretches:
        if one.step not in known:
            found.setdefault(one.step or one.run or "", []).append(one)
    lanes = lanes_of(facts)
    return tuple(
        _unplanned(number, title, tuple(worked), lanes[name_of(last_of_runs(tuple(worked))[-1])][0])
        for number, (title, worked) in enumerate(found.items(), start=1)
    )


def _unplanned(number: int, title: str, worked: tuple[Stretch, ...], lane: str) -> StepLine:
    name = f"unplanned.{number}"
    return StepLine(
        id=name,
        step=Step(name, title, StepKind.MACHINE, StepClass.EXPLORATORY),
        state=state_of_work(worked),
        lane=lane,
        planned=None,
        stretches=worked,
        observed_s=None,
        forecast=None,
        duration_delta_s=None,
        end_delta_s=None,
        is_forecast=False,
        new=True,
        dropped=False,
        decided_s=None,
    )


def facts_lacks(facts: Facts, step: Step) -> bool:
    """Whether a step of the first plan is no longer in the one that holds now."""
    return all(now.id != step.id for now in facts.plan.steps)


def _line(
    step: Step,
    place: Placement | None,
    facts: Facts,
    ahead: Forecast,
    lanes: dict[Name, tuple[str, ...]],
    *,
    first: bool,
    new: bool,
) -> StepLine:
    state = state_of(step, facts)
    line_id = place.id if place else step.id
    bar = next((bar for bar in ahead.bars if bar[0] == line_id), None)
    kept = f"{line_id}/reserve"
    reserve = next((one for one in facts.sealed.placements if one.id == kept), None)
    left = next((bar for bar in ahead.bars if bar[0] == kept), None)
    stretches = facts.of(step.id) if first else ()
    planned = _sealed(place, facts)
    decided_s = next(
        (facts.second(at) for name, at in facts.decided.points if name == step.id), None
    )
    duration, end, guessed = _differences(state, planned, stretches, bar, decided_s, facts)
    return StepLine(
        id=line_id,
        step=step,
        state=state,
        lane=_lane(step, place, stretches, bar, lanes),
        planned=planned,
        stretches=stretches,
        observed_s=spent_s(stretches, facts) if stretches else None,
        forecast=(bar[1], bar[2]) if bar else None,
        duration_delta_s=duration,
        end_delta_s=end,
        is_forecast=guessed,
        new=new and facts.version > 0,
        dropped=state == "dropped",
        decided_s=decided_s,
        reserve=_sealed(reserve, facts),
        forecast_reserve=(left[1], left[2]) if left else None,
    )


def _sealed(place: Placement | None, facts: Facts) -> tuple[int, int] | None:
    """A sealed bar in seconds from hour 0, or where the calendar had it."""
    if place is None:
        return None
    return place.start_min * 60 + facts.ghost_s, place.end_min * 60 + facts.ghost_s


def _lane(
    step: Step,
    place: Placement | None,
    stretches: tuple[Stretch, ...],
    bar: tuple[str, int, int, str] | None,
    lanes: dict[Name, tuple[str, ...]],
) -> str:
    if step.kind is StepKind.MACHINE and stretches:
        return lanes[name_of(last_of_runs(stretches)[-1])][0]
    if place is not None:
        return place.lane
    if bar is not None:
        return bar[3]
    return "people" if step.kind in ("human", "decision_point") else ""


def _differences(
    state: str,
    planned: tuple[int, int] | None,
    stretches: tuple[Stretch, ...],
    bar: tuple[str, int, int, str] | None,
    decided_s: int | None,
    facts: Facts,
) -> tuple[int | None, int | None, bool]:
    """Duration and end against the plan, and whether they are forecasts."""
    if planned is None or state in ("dropped", "never_started"):
        return None, None, False
    reserved = planned[1] - planned[0]
    if bar is not None:
        total = used_s(stretches, facts) + bar[2] - bar[1]
        return total - reserved, bar[2] - planned[1], True
    if any(facts.left_open(one) for one in stretches):
        return None, None, False
    ends = [facts.span(one)[1] for one in stretches] + (
        [decided_s] if decided_s is not None else []
    )
    if not ends:
        return None, None, False
    duration = spent_s(stretches, facts) - reserved if stretches else None
    return duration, max(ends) - planned[1], False
