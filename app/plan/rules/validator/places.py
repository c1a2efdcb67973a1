"""Whether every bar is where its kind allows: its length, its lane, its start, and whether
anything shares a GPU or a person with another bar at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.plan.rules.model import Step, StepKind
from app.plan.rules.scheduled import Placement
from app.plan.rules.validator.case import Case, Violation
from app.texts import text

_BY_PEOPLE = (StepKind.HUMAN, StepKind.DECISION_POINT)


def unknown_bars(case: Case) -> tuple[Violation, ...]:
    """Bars of steps or on lots that do not exist, and bars that come twice."""
    found: list[Violation] = []
    seen: set[str] = set()
    for bar in case.schedule.placements:
        if bar.step not in case.step:
            found.append(Violation("unknown", bar.id, text("{bar}: no such step", bar=bar.id)))
        if bar.lot is not None and bar.lot not in case.lot:
            found.append(Violation("unknown", bar.id, text("{bar}: no such lot", bar=bar.id)))
        if bar.id in seen:
            found.append(Violation("unknown", bar.id, text("{bar} is there twice", bar=bar.id)))
        seen.add(bar.id)
    return tuple(found)


def place_violations(case: Case) -> tuple[Violation, ...]:
    """What is wrong with single bars, then with pairs on one GPU or one person."""
    found: list[Violation] = []
    for bar in case.schedule.placements:
        step = case.step[bar.step]
        if not bar.reserve:
            found += _length(bar, step)
        found += _lane(case, bar, step)
        found += _start(case, bar, step)
    found += _shared(case)
    return tuple(found)


def _length(bar: Placement, step: Step) -> Iterator[Violation]:
    stated = step.parts.total_s() if step.parts is not None else 0
    seconds = stated or step.p50_s
    if seconds is None and step.kind is StepKind.DECISION_POINT:
        seconds = 0
    taken = bar.end_min - bar.start_min
    if seconds is None or taken < 0 or not taken * 60 - 60 < seconds <= taken * 60:
        said = text("{bar} takes {taken} min, not its estimate", bar=bar.id, taken=taken)
        yield Violation("length", bar.id, said)


def _lane(case: Case, bar: Placement, step: Step) -> Iterator[Violation]:
    if step.kind in _BY_PEOPLE:
        right = bar.lane == "people" and not bar.gpus
        right = right and bar.person is not None and 0 <= bar.person < case.people
    elif step.kind is StepKind.TRANSFER:
        lane = f"{bar.lot}/transfer" if case.lots else "transfer"
        right = bar.lane == lane and not bar.gpus and bar.person is None
        right = right and (bar.lot is not None) == bool(case.lots)
    else:
        right = _on_gpus(case, bar, step)
    name = f"{step.id}@{bar.lot}" if case.spread(step) else step.id
    name = f"{name}/reserve" if bar.reserve else name
    if not right or bar.id != name:
        said = text("{bar} cannot be in lane {lane}", bar=bar.id, lane=bar.lane)
        yield Violation("lane", bar.id, said)


def _on_gpus(case: Case, bar: Placement, step: Step) -> bool:
    """A machine bar has as many GPUs as it needs, all different, all of its one lot."""
    if bar.lot is None or bar.person is not None:
        return False
    total = case.lot[bar.lot].gpus
    return (
        len(bar.gpus) == len(set(bar.gpus)) == max(1, step.gpus)
        and all(0 <= gpu < total for gpu in bar.gpus)
        and bar.lane == f"{bar.lot}/gpu-{min(bar.gpus)}"
    )


def _start(case: Case, bar: Placement, step: Step) -> Iterator[Violation]:
    machine = step.kind is StepKind.MACHINE
    if step.before_window and not machine:
        return
    least = 0
    if bar.lot is not None and (machine or step.per_lot):
        least = case.lot[bar.lot].start_min
    if bar.start_min < least:
        early = least - bar.start_min
        said = text("{bar} begins {early} min before it can", bar=bar.id, early=early)
        yield Violation("start", bar.id, said)


def _shared(case: Case) -> Iterator[Violation]:
    """Bars that meet on one GPU or at one person."""
    lanes: dict[tuple[str, int], list[Placement]] = {}
    for bar in case.schedule.placements:
        for gpu in bar.gpus:
            lanes.setdefault((bar.lot or "", gpu), []).append(bar)
        if bar.person is not None:
            lanes.setdefault(("people", bar.person), []).append(bar)
    for bars in lanes.values():
        for first, second in _meeting(bars):
            said = text("{second} begins before {first} ends", first=first.id, second=second.id)
            yield Violation("overlap", second.id, said)


def _meeting(bars: Iterable[Placement]) -> Iterator[tuple[Placement, Placement]]:
    in_time = sorted(bars, key=lambda bar: (bar.start_min, bar.end_min))
    for at, first in enumerate(in_time):
        for second in in_time[at + 1 :]:
            if second.start_min >= first.end_min:
                break
            if first.start_min < second.end_min:
                yield first, second
