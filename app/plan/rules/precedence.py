"""What comes before what: the steps' `after` and `follows` as a graph without circles.

`after` needs a result; `follows` is order only, and its `*` stands for everything else that
does not itself come after the step.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.plan.rules.model import Step, StepClass
from app.texts import Text, text

STAR = "*"


@dataclass(frozen=True, slots=True)
class Precedence:
    """Steps by their rank: `after` and `follows` name ranks, `*` spelled out in `follows`.

    `order` holds every rank after all those it comes after, by rank where it is free to.
    """

    after: tuple[tuple[int, ...], ...]
    follows: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    def needs(self, rank: int) -> frozenset[int]:
        """The step and everything it is directly or indirectly `after`."""
        found: set[int] = set()
        ahead = [rank]
        while ahead:
            at = ahead.pop()
            if at not in found:
                found.add(at)
                ahead.extend(self.after[at])
        return frozenset(found)


def ordering_problems(steps: Sequence[Step]) -> tuple[Text, ...]:
    """What is wrong with the order of the steps: a circle or an essential step that is after
    an optional one, each with its path, and names that no step has."""
    problems = list(_unknown_names(steps))
    problems += _optional_needed(steps)
    circle = _circle(steps)
    if circle:
        problems.append(_circle_said(circle))
    return tuple(problems)


def arrange(steps: Sequence[Step]) -> Precedence | tuple[Text, ...]:
    """The order of the steps, or why there is none: unknown names, a circle."""
    unknown = _unknown_names(steps)
    if unknown:
        return unknown
    circle = _circle(steps)
    if circle:
        return (_circle_said(circle),)
    rank_of = {step.id: rank for rank, step in enumerate(steps)}
    after = [tuple(rank_of[name] for name in step.after) for step in steps]
    named = [tuple(rank_of[n] for n in step.follows if n != STAR) for step in steps]
    starred = [rank for rank, step in enumerate(steps) if STAR in step.follows]
    if starred:
        _spell_out(starred, after, named)
    edges = [(*after[rank], *named[rank]) for rank in range(len(steps))]
    return Precedence(tuple(after), tuple(named), tuple(in_order(edges, range(len(steps)))))


def in_order(before: Sequence[Iterable[int]], key: Sequence[object]) -> list[int]:
    """Numbers sorted so that each comes after those in `before`, the least key first.

    Numbers in a circle, and what comes after them, are left out.
    """
    waits = [0] * len(before)
    behind: list[list[int]] = [[] for _ in before]
    for number, earlier in enumerate(before):
        for one in set(earlier):
            waits[number] += 1
            behind[one].append(number)
    ready = [(key[number], number) for number, wait in enumerate(waits) if wait == 0]
    heapq.heapify(ready)
    found: list[int] = []
    while ready:
        _, number = heapq.heappop(ready)
        found.append(number)
        for later in behind[number]:
            waits[later] -= 1
            if waits[later] == 0:
                heapq.heappush(ready, (key[later], later))
    return found


def _spell_out(
    starred: list[int], after: Sequence[tuple[int, ...]], follows: list[tuple[int, ...]]
) -> None:
    """Replace each `*` by the ranks it stands for.

    Starred steps follow each other by rank, or as the named edges say; so a starred step
    passes over all that comes after it or after a later starred one, and no circle arises.
    """
    count = len(after)
    named = [(*after[rank], *follows[rank]) for rank in range(count)]
    reached = _reached_by(in_order(named, range(count)), named)
    earlier = [
        [at for at, other in enumerate(starred) if other != rank and reached[other] >> rank & 1]
        for rank in starred
    ]
    closed = 0
    for at in reversed(in_order(earlier, starred)):
        rank = starred[at]
        closed |= reached[rank]
        stands_for = (r for r in range(count) if not closed >> r & 1)
        follows[rank] = tuple(dict.fromkeys((*follows[rank], *stands_for)))


def _reached_by(order: Sequence[int], before: Sequence[tuple[int, ...]]) -> list[int]:
    """For each rank a bit set of itself and of everything that comes after it."""
    reached = [1 << rank for rank in range(len(before))]
    for rank in reversed(order):
        for earlier in before[rank]:
            reached[earlier] |= reached[rank]
    return reached


def _unknown_names(steps: Sequence[Step]) -> tuple[Text, ...]:
    ids = {step.id for step in steps}
    return tuple(
        text("{step} comes after {name}, but no step has that id", step=step.id, name=name)
        for step in steps
        for name in dict.fromkeys((*step.after, *(n for n in step.follows if n != STAR)))
        if name not in ids
    )


def _optional_needed(steps: Sequence[Step]) -> list[Text]:
    by_id = {step.id: step for step in steps}
    return [
        text(
            "{path}: an essential step cannot be after one that may be dropped",
            path=f"{step.id} → {name}",
        )
        for step in steps
        if step.klass is StepClass.ESSENTIAL
        for name in step.after
        if name in by_id and by_id[name].klass is not StepClass.ESSENTIAL
    ]


def _circle(steps: Sequence[Step]) -> list[str]:
    """The ids along one circle, the first again at the end; empty where there is none."""
    before = {step.id: [*step.after, *step.follows] for step in steps}
    known: list[list[int]] = []
    rank_of = {step.id: rank for rank, step in enumerate(steps)}
    for step in steps:
        known.append([rank_of[name] for name in before[step.id] if name in rank_of])
    clear = set(in_order(known, range(len(steps))))
    stuck = [rank for rank in range(len(steps)) if rank not in clear]
    if not stuck:
        return []
    path: list[int] = [stuck[0]]
    while path[-1] not in path[:-1]:
        path.append(next(rank for rank in known[path[-1]] if rank not in clear))
    return [steps[rank].id for rank in path[path.index(path[-1]) :]]


def _circle_said(circle: list[str]) -> Text:
    return text("{path}: these steps wait for each other", path=" → ".join(circle))
