"""What no plan can beat: lower bounds on the end, and sentences that prove a plan impossible.

Two kinds of bound are taken: the longest chain of steps with the lots' starts, and for each
scarce thing the work that lies between a head and a tail (Carlier's one-machine bound with the
work shared out evenly). Everything is in minutes from hour 0.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepKind
from app.plan.rules.pieces import Layout, Piece
from app.plan.rules.spans import hours_said, named
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Chains:
    """For each piece the least minute it can begin at, and the least time after its end."""

    numbers: tuple[int, ...]
    head: dict[int, int]
    tail: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Work:
    """Work that needs one scarce thing: not before `head`, `tail` still to come after it."""

    head: int
    size: int
    tail: int
    minutes: int


def chains(layout: Layout, order: Sequence[int]) -> Chains:
    """Heads and tails along the edges; early pieces are over by hour 0 and bind nothing.

    `order` holds the pieces in the plan, each after those it comes after. A reserve is part of
    its step's piece here.
    """
    pieces = layout.pieces
    numbers = tuple(n for n in order if not (pieces[n].early or pieces[n].is_reserve))
    ends: dict[int, int] = {}
    head: dict[int, int] = {}
    for number in numbers:
        piece = pieces[number]
        head[number] = _head(piece, layout.lots, ends)
        ends[number] = head[number] + layout.held(number)
        if piece.reserve is not None:
            ends[piece.reserve] = ends[number]
    tail = dict.fromkeys(numbers, 0)
    for number in reversed(numbers):
        behind = tail[number] + layout.held(number)
        for one in pieces[number].before:
            earlier = pieces[one].before[0] if pieces[one].is_reserve else one
            if earlier in tail and tail[earlier] < behind:
                tail[earlier] = behind
    return Chains(numbers, head, tail)


def lower_bound(layout: Layout, chained: Chains) -> int:
    """The minute before which no plan of these pieces can end, the windows' ends lifted."""
    pieces = layout.pieces
    bound = 0
    for n in chained.numbers:
        bound = max(bound, chained.head[n] + layout.held(n) + chained.tail[n])
    machines = [n for n in chained.numbers if pieces[n].kind is StepKind.MACHINE]
    people = [n for n in chained.numbers if _takes_a_person(pieces[n])]
    begins = [(lot.start_min, lot.gpus) for lot in layout.lots]
    most = max((lot.gpus for lot in layout.lots), default=0)
    # Of the pieces that take more than half of the largest lot, a lot holds one at a time.
    wide = [n for n in machines if 2 * pieces[n].gpus > most]
    singly = [(start, 1) for start, _ in begins]
    alone = [
        _by_work(_works(layout, here, chained, gpus=True), begins[at : at + 1])
        for at, here in _confined(layout, machines)
    ]
    return max(
        bound,
        *alone,
        _by_work(_works(layout, machines, chained, gpus=True), begins),
        _by_work(_works(layout, wide, chained), singly),
        _by_work(_works(layout, people, chained), [(0, layout.people)]),
    )


def proof_of_overrun(
    layout: Layout, chained: Chains, bound: int, steps: Sequence[Step]
) -> Text | None:
    """A sentence that proves that these pieces cannot fit their windows, or None.

    None means only that no bound shows it: another plan might still fit.
    """
    last_end = max(lot.end_min for lot in layout.lots)
    if bound > last_end:
        return text(
            "The essential part needs at least {needed}: {over} more than the window of {window}",
            needed=hours_said(bound),
            over=hours_said(bound - last_end),
            window=hours_said(last_end),
        )
    machines = [n for n in chained.numbers if layout.pieces[n].kind is StepKind.MACHINE]
    for number in machines:
        piece = layout.pieces[number]
        held = layout.held(number)
        over = _least_overrun(piece, held, layout.lots, chained.head[number])
        if over > 0:
            said = _outside_with_reserve if held > piece.minutes else _outside
            return said(
                step=named(steps[piece.rank]),
                wait=hours_said(chained.head[number]),
                length=hours_said(held),
                over=hours_said(over),
            )
    return _too_much_work(layout, machines, chained)


def _head(piece: Piece, lots: Sequence[LotWindow], ends: dict[int, int]) -> int:
    since = max((ends.get(n, 0) for n in piece.before), default=0)
    since = max(since, 0)
    if piece.bound is not None:
        since = max(since, lots[piece.bound].start_min)
    if piece.kind is not StepKind.MACHINE:
        return since
    return min(max(since, _ready(piece, at, lots[at], ends)) for at in piece.lots)


def _ready(piece: Piece, at: int, lot: LotWindow, ends: dict[int, int]) -> int:
    """When a lot has started and all that a piece needs on it can have ended."""
    rows = (row[at] for row in piece.by_lot)
    return max([lot.start_min, *(ends.get(one, 0) for one in rows if one is not None)])


def _outside(**figures: object) -> Text:
    return text(
        "{step} can begin after {wait} at the earliest and takes {length}: "
        "{over} outside every lot that can hold it",
        **figures,
    )


def _outside_with_reserve(**figures: object) -> Text:
    return text(
        "{step} can begin after {wait} at the earliest and takes {length} with its reserve: "
        "{over} outside every lot that can hold it",
        **figures,
    )


def _least_overrun(piece: Piece, held: int, lots: Sequence[LotWindow], head: int) -> int:
    begins = ((max(head, lots[at].start_min), lots[at].usable_min) for at in piece.lots)
    return min(start + held - until for start, until in begins)


def _takes_a_person(piece: Piece) -> bool:
    return piece.kind in (StepKind.HUMAN, StepKind.DECISION_POINT)


def _works(
    layout: Layout, numbers: Iterable[int], chained: Chains, *, gpus: bool = False
) -> list[_Work]:
    return [
        _Work(
            head=chained.head[n],
            size=layout.held(n) * (layout.pieces[n].gpus if gpus else 1),
            tail=chained.tail[n],
            minutes=layout.held(n),
        )
        for n in numbers
    ]


def _by_work(works: Sequence[_Work], begins: Sequence[tuple[int, int]]) -> int:
    """The largest over all (h, q) of: when the work with a head ≥ h and a tail ≥ q can be
    done, plus q. `begins` says from when on how many things there are."""
    by_tail = sorted(works, key=lambda work: -work.tail)
    things = sum(count for _, count in begins)
    best = 0
    for since in {work.head for work in works}:
        size = 0
        lengths: list[int] = []
        first = max(since, min(start for start, _ in begins))
        for work in by_tail:
            if work.head < since:
                continue
            size += work.size
            insort(lengths, -work.minutes)
            done = max(_done_at(size, since, begins), first + _in_a_row(lengths, things))
            best = max(best, done + work.tail)
    return best


def _in_a_row(lengths: Sequence[int], things: int) -> int:
    """Of k·m + 1 pieces on m things, k + 1 follow each other on one: the least they can take.

    `lengths` are the pieces' minutes, negated and ascending. With one thing this is its
    work, which is counted anyway; k stays small, for speed.
    """
    if things == 1:
        return 0
    rows = range(1, min(3, (len(lengths) - 1) // things) + 1)
    return max((-sum(lengths[k * things - k : k * things + 1]) for k in rows), default=0)


def _done_at(size: int, since: int, begins: Sequence[tuple[int, int]]) -> int:
    """The first minute by which `size` thing-minutes can be done from `since` on."""
    left, at, things = size, since, 0
    for start, count in sorted((max(since, start), count) for start, count in begins):
        if things and left <= things * (start - at):
            break
        left -= things * (start - at)
        at, things = start, things + count
    return at + -(-left // things)


def _confined(layout: Layout, machines: Iterable[int]) -> list[tuple[int, list[int]]]:
    """Of several lots each with the pieces that no other one can hold."""
    if len(layout.lots) < 2:
        return []
    only = [(n, layout.pieces[n].lots) for n in machines]
    every = ((at, [n for n, lots in only if lots == (at,)]) for at in range(len(layout.lots)))
    return [(at, here) for at, here in every if here]


def _too_much_work(layout: Layout, machines: Sequence[int], chained: Chains) -> Text | None:
    beyond = _beyond(_works(layout, machines, chained, gpus=True), layout.lots)
    if beyond is not None:
        since, needed, held = beyond
        figures: dict[str, object] = {"needed": hours_said(needed), "held": hours_said(held)}
        if since == 0:
            return text("The GPU steps need {needed} of GPU time; the lots hold {held}", **figures)
        return text(
            "After {wait} the GPU steps still need {needed} of GPU time; the lots then hold {held}",
            wait=hours_said(since),
            **figures,
        )
    for at, here in _confined(layout, machines):
        lot = layout.lots[at]
        beyond = _beyond(_works(layout, here, chained, gpus=True), (lot,))
        if beyond is not None:
            since, needed, held = beyond
            figures = {"lot": lot.id, "needed": hours_said(needed), "held": hours_said(held)}
            if since == 0:
                return text(
                    "The steps that run on {lot} alone need {needed} of GPU time; it holds {held}",
                    **figures,
                )
            return text(
                "After {wait} the steps that run on {lot} alone still need {needed} of GPU time; "
                "it then holds {held}",
                wait=hours_said(since),
                **figures,
            )
    return None


def _beyond(works: Sequence[_Work], lots: Sequence[LotWindow]) -> tuple[int, int, int] | None:
    """The first minute from which work needs more GPU minutes than the lots hold, and both."""
    for since in sorted({work.head for work in works}):
        needed = sum(work.size for work in works if work.head >= since)
        held = sum(lot.gpus * max(0, lot.usable_min - max(since, lot.start_min)) for lot in lots)
        if needed > held:
            return since, needed, held
    return None
