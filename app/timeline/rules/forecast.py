"""The forecast: the planner run again on what is left, from now on, in the lots as ordered.

It never replaces the sealed plan. What is done is fixed, what runs keeps what it has used, and
estimates stay those of the plan. Of the time kept for interruptions there is left what was not
yet lost to them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.plan.rules.checkpoints import reserve_min
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepClass
from app.plan.rules.schedule import schedule
from app.plan.rules.scheduled import Placement, Schedule
from app.timeline.rules.facts import GOING, Facts
from app.timeline.rules.lanes import Name, lanes_of, name_of
from app.timeline.rules.states import is_over, state_of, used_s

LEAST_MIN = 1
"""What is still running past its estimate is given one more minute, never none."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Where what is left would lie, in seconds from hour 0, and what that means for the answer.

    `end_s` is the end of all work, None where it cannot be placed. Exactly one of `spare_s` and
    `exceeds_s` is set where windows are known. `dropped` are steps with no room any more.
    """

    bars: tuple[tuple[str, int, int, str], ...]  # placement id, start, end, lane
    end_s: int | None
    spare_s: int | None
    exceeds_s: int | None
    dropped: tuple[str, ...]
    schedule: Schedule | None


def forecast(facts: Facts) -> Forecast:
    """Place what is left into the lots from now on; nothing is left after the close."""
    left = [] if facts.closed_at is not None or facts.decided.stopped else _left(facts)
    if not left:
        return _all_done(facts)
    base_s = _base_s(facts)
    placed = schedule(
        left,
        _lots(facts, base_s),
        facts.plan.people,
        elsewhere=facts.plan.variants_elsewhere,
        reserves={step.id: _reserve_left(step, facts) for step in left},
        begun={step.id for step in left if state_of(step, facts) == "running"},
    )
    lanes = lanes_of(facts)
    bars = tuple(
        (one.id, base_s + one.start_min * 60, base_s + one.end_min * 60, _lane(one, facts, lanes))
        for one in placed.placements
    )
    end = None if placed.end_min is None else base_s + placed.end_min * 60
    return Forecast(
        bars,
        None if end is None else max(end, facts.last_end_s or end),
        None if placed.uncommitted_min is None else placed.uncommitted_min * 60,
        None if placed.exceeds_min is None else placed.exceeds_min * 60,
        tuple(one.id for one in placed.dropped),
        placed,
    )


def _left(facts: Facts) -> list[Step]:
    """The steps that still need time, with what they have used taken off."""
    over = {step.id for step in facts.plan.steps if is_over(step, facts)}
    steps = [step for step in facts.plan.steps if step.id not in over]
    started = [step for step in steps if state_of(step, facts) == "running"]
    ordered = started + [step for step in steps if step not in started]
    names = {step.id for step in steps}
    return [_rest_of(step, names, facts) for step in ordered]


def _rest_of(step: Step, names: set[str], facts: Facts) -> Step:
    kept = replace(
        step,
        after=tuple(name for name in step.after if name in names),
        follows=tuple(name for name in step.follows if name in names or name == "*"),
        before_window=False,
        include=True,
    )
    running = tuple(one for one in facts.of(step.id) if one.kind in GOING)
    if not running:
        return kept
    runs = {one.run for one in running}
    used = used_s(tuple(one for one in facts.of(step.id) if one.run in runs), facts)
    rest = max(step.estimate_s() - used, LEAST_MIN * 60)
    return replace(kept, p50_s=rest, parts=None, after=(), follows=(), klass=StepClass.ESSENTIAL)


def _reserve_left(rest: Step, facts: Facts) -> int:
    """The minutes still kept for interruptions of a step whose rest is `rest`.

    What was worked and what is left beyond the estimate is the time lost; the reserve pays it
    until nothing is left of it.
    """
    planned = next(step for step in facts.plan.steps if step.id == rest.id)
    kept = reserve_min(planned)
    if not kept:
        return 0
    lost = used_s(facts.of(rest.id), facts) + rest.estimate_s() - planned.estimate_s()
    return max(0, kept - max(0, -(-lost // 60)))


def _base_s(facts: Facts) -> int:
    """Minute 0 of the forecast: now, or the first lot's start while that is still to come."""
    first = min((window.starts_s for window in facts.windows), default=0)
    return max(facts.until_s, first) if facts.zero_at is not None else 0


def _lots(facts: Facts, base_s: int) -> list[LotWindow]:
    """The lots that are still open, in minutes from the forecast's start."""
    return [
        LotWindow(
            id=window.id,
            offer=None,
            gpu=window.gpu,
            gpus=window.gpus,
            start_min=max(0, -(-(window.starts_s - base_s) // 60)),
            end_min=(window.ends_s - base_s) // 60,
            usable_min=(window.usable_s - base_s) // 60,
            price_minor=None,
            currency=None,
        )
        for window in facts.windows
        if window.usable_s > base_s
    ]


def _lane(placed: Placement, facts: Facts, lanes: dict[Name, tuple[str, ...]]) -> str:
    """A step that runs stays on the GPU where it runs."""
    for stretch in facts.of(placed.step):
        if stretch.kind in GOING and stretch.run is not None:
            return lanes[name_of(stretch)][0]
    return placed.lane


def _all_done(facts: Facts) -> Forecast:
    """Nothing is left: the answer stands since the last end, and the rest of the lots is spare."""
    decided = (facts.second(at) for _, at in facts.decided.points)
    last = facts.last_end_s
    end = max([*decided, *([] if last is None else [last])], default=None)
    if facts.closed_at is not None or (facts.decided.stopped and end is None):
        end = facts.until_s if facts.zero_at is not None else None
    usable_s = max((window.usable_s for window in facts.windows), default=None)
    if end is None or usable_s is None:
        return Forecast((), end, None, None, (), None)
    over = end - usable_s
    return Forecast((), end, max(0, -over), over if over > 0 else None, (), None)
