"""A lane's occupancy in one thin strip: what it did when, and where it did too much at once."""

from __future__ import annotations

from collections.abc import Iterator

from app.texts import Text, text
from app.timeline.rules.axis import Scale
from app.timeline.rules.drawing import Bar
from app.timeline.rules.facts import Facts, Stretch
from app.timeline.rules.lanes import TOGETHER_S
from app.timeline.rules.rows import stretch_bars
from app.timeline.rules.said import called, titled


def strip_of(stretches: list[Stretch], facts: Facts, scale: Scale, at_once: int) -> tuple[Bar, ...]:
    """The strip of a lane that does `at_once` things at a time."""
    ordered = sorted(stretches, key=lambda one: one.starts_at)
    bars = [
        bar
        for one in ordered
        for bar in stretch_bars(one, _name(one, facts), facts, scale, labelled=False)
    ]
    for earlier, later, starts, ends in _conflicts(ordered, facts, at_once):
        title = text(
            "{one} and {two} at once", one=_short(earlier, facts), two=_short(later, facts)
        )
        bars.append(Bar("conflict", *scale.past(starts, ends), title))
    return tuple(bars)


def idle_s(stretches: list[Stretch], facts: Facts) -> int:
    """Gaps between one end and the next start; before the first and after the last is no gap."""
    idle, until = 0, None
    for starts, ends in sorted(facts.span(one) for one in stretches):
        if until is not None:
            idle += max(0, starts - until)
        until = max(until or ends, ends)
    return idle


def _conflicts(
    ordered: list[Stretch], facts: Facts, at_once: int
) -> Iterator[tuple[Stretch, Stretch, int, int]]:
    """Each stretch that began while the lane was full, with the one that then held it longest."""
    before: list[tuple[int, Stretch]] = []
    for later in ordered:
        starts, ends = facts.span(later)
        before = [item for item in before if item[0] - starts > TOGETHER_S]
        held = sorted(before, key=lambda item: -item[0]) if ends - starts > TOGETHER_S else []
        if len(held) >= at_once:
            until, earlier = held[at_once - 1]
            yield earlier, later, starts, min(until, ends)
        before.append((ends, later))


def _name(one: Stretch, facts: Facts) -> Text | str:
    return _short(one, facts) if one.run is None else titled(one, facts)


def _short(one: Stretch, facts: Facts) -> Text | str:
    """A run's name, or the step that people worked on."""
    if one.run is not None:
        return called(one)
    steps = (*facts.plan.steps, *facts.sealed_steps)
    return next((step.title for step in steps if step.id == one.step), called(one))
