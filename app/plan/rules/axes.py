"""One cause at a time instead of every combination: what two ways of trying axes cost in runs.

An axis is something that is varied (rank, precision, learning rate, length) with its values; the
first value of each is the control's. The full grid runs every combination. The other plan changes
one axis at a time, so each result has one cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from app.plan.rules.slugs import free_slug
from app.texts import Text, text

MOST_AXES, MOST_VALUES = 8, 20


@dataclass(frozen=True, slots=True)
class Axis:
    """What is varied; `values` begin with the control's."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One variant: the axis it changes, from the control's value to its own."""

    axis: str
    control: str
    value: str


def read_axes(typed: str) -> tuple[Axis, ...] | Text:
    """Axes from lines such as `rank: 16, 32, 64`, or the sentence that says what is wrong."""
    axes: list[Axis] = []
    for number, line in enumerate(typed.splitlines(), 1):
        if not line.strip():
            continue
        name, colon, rest = line.partition(":")
        values = tuple(dict.fromkeys(one.strip() for one in rest.split(",") if one.strip()))
        if not colon or not name.strip() or len(values) < 2:
            return text(
                "Line {n}: write a name, a colon and two values at least, as in “rank: 16, 32”.",
                n=number,
            )
        if any(axis.name == name.strip() for axis in axes):
            return text("Line {n}: {name} stands twice.", n=number, name=name.strip())
        if len(values) > MOST_VALUES:
            return text("Line {n}: at most {most} values.", n=number, most=MOST_VALUES)
        axes.append(Axis(name.strip(), values))
    if not axes:
        return text("Write one axis on each line, as in “rank: 16, 32”.")
    if len(axes) > MOST_AXES:
        return text("At most {most} axes.", most=MOST_AXES)
    return tuple(axes)


def grid_runs(axes: Iterable[Axis]) -> int:
    """How many runs the full grid has, the control among them."""
    return prod(len(axis.values) for axis in axes)


def trials(axes: Iterable[Axis]) -> tuple[Trial, ...]:
    """The variants that change one axis each; with the control they are one run more."""
    return tuple(
        Trial(axis.name, axis.values[0], value) for axis in axes for value in axis.values[1:]
    )


def with_trials(
    document: dict[str, Any], found: Sequence[Trial], titles: Sequence[str], isolates: Sequence[str]
) -> dict[str, Any]:
    """The document with a useful variant for each trial, estimated and placed like its control.

    Without a control the variants come after nothing and have no estimate; `titles` and
    `isolates` are the sentences for each trial in the person's language.
    """
    steps = [dict(step) for step in document.get("steps", ())]
    control = next((step for step in steps if step.get("role") == "control"), None)
    taken = {str(step["id"]) for step in steps}
    at = max(
        (n for n, step in enumerate(steps) if step.get("role") in ("control", "variant")),
        default=-1,
    )
    made = []
    for trial, title, isolated in zip(found, titles, isolates, strict=True):
        step = _like(control)
        step["id"] = free_slug(f"{trial.axis}-{trial.value}", taken, "variant")
        taken.add(step["id"])
        made.append({**step, "title": title, "isolates": isolated})
    place = at + 1 if at >= 0 else len(steps)
    return {**document, "steps": [*steps[:place], *made, *steps[place:]]}


def _like(control: dict[str, Any] | None) -> dict[str, Any]:
    """A variant with what it shares with its control."""
    shared = ("gpus", "p50", "p90", "parts", "after", "follows", "on_interruption", "checkpoint")
    known = {key: control[key] for key in shared if key in control} if control else {"gpus": 1}
    return {"kind": "machine", "class": "useful", "role": "variant", **known}
