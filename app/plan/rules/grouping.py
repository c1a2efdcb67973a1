"""Which of the lots are tried together: more of them are not always better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step
from app.plan.rules.pieces import Layout, tied


def on_one_lot(steps: Sequence[Step], lots: Sequence[LotWindow]) -> tuple[int | None, ...]:
    """The lots that control and variants could run on together; of equal lots only the first."""
    if len(lots) < 2 or sum(tied(step) for step in steps) < 2:
        return (None,)
    first: dict[tuple[int, ...], int] = {}
    for at, lot in enumerate(lots):
        first.setdefault((lot.gpus, lot.start_min, lot.usable_min, lot.end_min), at)
    return tuple(first.values())


def on_fewer_lots(layout: Layout) -> Iterator[Layout]:
    """The layout on some of its lots only, the larger groups first; of equal groups only one.

    More lots are not always better: files that lie on several must be fetched before the first
    of them ends. Beyond four lots only the single ones and those without one are tried.
    """
    lots = layout.lots
    every = range(len(lots))
    sizes = range(len(lots) - 1, 0, -1) if len(lots) <= 4 else (len(lots) - 1, 1)
    seen: set[tuple[tuple[int, ...], ...]] = set()
    for group in (group for size in sizes for group in combinations(every, size)):
        like = tuple(
            sorted(
                (lots[n].gpus, lots[n].start_min, lots[n].usable_min, lots[n].end_min)
                for n in group
            )
        )
        if like in seen:
            continue
        seen.add(like)
        narrowed = layout.on(frozenset(group))
        if narrowed is not None:
            yield narrowed
