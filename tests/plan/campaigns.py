"""Steps and lots for tests of the schedule: the sample family by hand, others by hypothesis."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step, StepClass, StepKind

HOUR_S = 3600


def step(
    id_: str,
    kind: str,
    hours: float | None,
    klass: str = "essential",
    *,
    after: Sequence[str] = (),
    follows: Sequence[str] = (),
    gpus: int | None = None,
    per_lot: bool = False,
    before_window: bool = False,
    include: bool = False,
) -> Step:
    """A step by its hours; a machine step takes one GPU unless said otherwise."""
    return Step(
        id=id_,
        title=id_,
        kind=StepKind(kind),
        klass=StepClass(klass),
        p50_s=None if hours is None else round(hours * HOUR_S),
        gpus=(kind == "machine") if gpus is None else gpus,
        after=tuple(after),
        follows=tuple(follows),
        per_lot=per_lot,
        before_window=before_window,
        include=include,
    )


def family(variants: str = "", further: str = "useful") -> list[Step]:
    """The illustrative 48 h, and further 10 h variants of the named letters.

    `further` is their class; `e` is exploratory and ticked unless all are essential.
    """
    decided = ["decide"]
    more = [
        step(letter, "machine", 10, "exploratory", after=decided, include=True)
        if letter == "e" and further != "essential"
        else step(letter, "machine", 10, further, after=decided)
        for letter in variants
    ]
    return [
        step("prepare", "human", 4),
        step("install", "machine", 2, after=["prepare"]),
        step("pilot", "machine", 4, after=["install"]),
        step("decide", "decision_point", 2, after=["pilot"]),
        step("control", "machine", 10, after=decided),
        step("a", "machine", 10, after=decided),
        step("b", "machine", 10, after=decided),
        *more,
        step("retrieve", "transfer", 6, follows=["*"]),
    ]


def lot(id_: str = "lot-1", gpus: int = 1, hours: int = 72, start: int = 0) -> LotWindow:
    """A lot by its hours from hour 0, without a price."""
    begins, ends = start * 60, (start + hours) * 60
    return LotWindow(id_, None, None, gpus, begins, ends, ends, None, None)


@st.composite
def lots_of(draw: st.DrawFn) -> list[LotWindow]:
    """One to four lots with 1–16 GPUs in all; the first begins at hour 0."""
    count = draw(st.integers(1, 4))
    return [
        lot(
            f"lot-{number}",
            gpus=draw(st.integers(1, 16 // count)),
            hours=draw(st.sampled_from([24, 72, 168, 720])),
            start=0 if number == 1 else draw(st.sampled_from([0, 0, 24, 100])),
        )
        for number in range(1, count + 1)
    ]


@st.composite
def steps_of(draw: st.DrawFn, least: int = 5, most: int = 60) -> list[Step]:
    """Steps of every kind and class without circles, in any order of the file."""
    count = draw(st.integers(least, most))
    made: list[Step] = []
    for number in range(count):
        kind = draw(st.sampled_from([*StepKind, StepKind.MACHINE, StepKind.MACHINE]))
        klass = draw(st.sampled_from([*StepClass, StepClass.ESSENTIAL]))
        essential = [s.id for s in made if s.klass is StepClass.ESSENTIAL]
        needed = essential if klass is StepClass.ESSENTIAL else [s.id for s in made]
        starred = draw(st.integers(0, 19)) == 0
        made.append(
            Step(
                id=f"s{number}",
                title=f"Step {number}",
                kind=kind,
                klass=klass,
                p50_s=draw(_lengths(kind)),
                gpus=draw(st.sampled_from([1, 1, 1, 2, 3])) if kind is StepKind.MACHINE else 0,
                per_lot=draw(st.integers(0, 9)) == 0,
                before_window=draw(st.integers(0, 9)) == 0,
                after=_few(draw, needed),
                follows=("*",) if starred else _few(draw, [s.id for s in made]),
                include=draw(st.booleans()),
            )
        )
    return draw(st.permutations(made)) if draw(st.booleans()) else made


def _lengths(kind: StepKind) -> st.SearchStrategy[int]:
    """Seconds, seldom a whole number of minutes; no time at all for some points."""
    some = st.integers(1, 10 * HOUR_S) | st.sampled_from([HOUR_S, 4 * HOUR_S, 30 * HOUR_S])
    return some | st.just(0) if kind is StepKind.DECISION_POINT else some


def _few(draw: st.DrawFn, names: list[str]) -> tuple[str, ...]:
    if not names:
        return ()
    return tuple(draw(st.lists(st.sampled_from(names[-8:]), max_size=2, unique=True)))
