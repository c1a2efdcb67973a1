"""Whether the steps can be put in an order: no circle, nothing essential after what may be cut."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.rules.document import Path, Problem
from app.plan.rules.model import Plan, Step, StepClass
from app.plan.rules.precedence import in_order
from app.texts import Text, text


def order_problems(plan: Plan) -> Iterator[Problem]:
    """Circles with their path, and essential steps that need the result of an optional one."""
    yield from _circles(plan.steps)
    yield from _optional_needed(plan.steps)


def _optional_needed(steps: tuple[Step, ...]) -> Iterator[Problem]:
    by_id = {step.id: step for step in steps}
    for index, step in enumerate(steps):
        if step.klass is not StepClass.ESSENTIAL:
            continue
        for at, name in enumerate(step.after):
            needed = by_id.get(name)
            if needed is not None and needed.klass is not StepClass.ESSENTIAL:
                yield Problem(("steps", index, "after", at), _said(step, needed), name)


def _said(step: Step, needed: Step) -> Text:
    words = {"step": step.id, "needed": needed.id}
    if needed.klass is StepClass.USEFUL:
        return text(
            "“{step}” is essential but after “{needed}”, which is useful and may be dropped; "
            "make “{needed}” essential, or name it in follows instead.",
            **words,
        )
    return text(
        "“{step}” is essential but after “{needed}”, which is exploratory and may be dropped; "
        "make “{needed}” essential, or name it in follows instead.",
        **words,
    )


def _circles(steps: tuple[Step, ...]) -> Iterator[Problem]:
    """Each circle once, from its first step in the file back to itself."""
    rank_of = {step.id: rank for rank, step in enumerate(steps)}
    before = [
        [rank_of[name] for name in (*step.after, *step.follows) if name in rank_of]
        for step in steps
    ]
    clear = set(in_order(before, range(len(steps))))
    told: set[int] = set()
    for rank in range(len(steps)):
        if rank not in clear and rank not in told:
            walked = _walk(rank, before, clear, told)
            told.update(walked)
            circle = _closed(walked)
            if circle:
                yield _circle_problem(steps, circle)


def _walk(start: int, before: list[list[int]], clear: set[int], told: set[int]) -> list[int]:
    """From a step back along those it waits for, until one comes a second time."""
    path = [start]
    while path[-1] not in path[:-1]:
        if path[-1] in told:
            break
        path.append(next(rank for rank in before[path[-1]] if rank not in clear))
    return path


def _closed(path: list[int]) -> list[int]:
    """The circle at the end of a walk, turned to begin with its lowest rank; else nothing."""
    first = path.index(path[-1])
    circle = path[first:-1]
    turn = circle.index(min(circle)) if circle else 0
    return circle[turn:] + circle[:turn]


def _circle_problem(steps: tuple[Step, ...], circle: list[int]) -> Problem:
    step, waits_for = steps[circle[0]], steps[circle[1 % len(circle)]].id
    here: Path = ("steps", circle[0])
    if waits_for in step.after:
        path: Path = (*here, "after", step.after.index(waits_for))
    else:
        path = (*here, "follows", step.follows.index(waits_for))
    names = " → ".join(steps[rank].id for rank in (*circle, circle[0]))
    message = text(
        "These steps wait for each other: {path}; take one of the links out.", path=names
    )
    return Problem(path, message, waits_for)
