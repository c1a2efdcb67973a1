"""The small drawing of a schedule: lanes with bars, in percent of one axis of hours.

Everything a template needs is worked out here, down to the heights; it only loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step
from app.plan.rules.scheduled import Placement, Schedule
from app.plan.rules.spans import hours_said
from app.texts import Text, text

TOP, LANE, FOOT = 34, 42, 24
"""Heights in pixels: the windows over the lanes, one lane, the axis under them."""

_TICKS = (1, 2, 3, 6, 12, 24, 48, 72, 168, 336, 720)
_MOST_TICKS = 8
_LABEL_FROM = 7.0
_SECOND_TIER = 14


@dataclass(frozen=True, slots=True)
class DrawnBar:
    """One step on its lane; `label` only where there is room for words.

    A `reserve` is the time kept after a step for saves and interruptions.
    """

    x: float
    width: float
    end: float
    title: Text
    label: str | None
    reserve: bool = False


@dataclass(frozen=True, slots=True)
class DrawnLane:
    """One person, one GPU or the transfers, with the y of its words, bars and marks."""

    title: Text
    title_y: int
    bar_y: int
    label_y: int
    mark_y: int
    bars: tuple[DrawnBar, ...]
    marks: tuple[DrawnBar, ...]


@dataclass(frozen=True, slots=True)
class DrawnWindow:
    """The bracket of a lot's window."""

    x: float
    end: float
    width: float
    y: int
    label: Text


@dataclass(frozen=True, slots=True)
class Tick:
    """An hour on the axis."""

    x: float
    hour: int
    anchor: str
    minor: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """The whole drawing; `summary` says in words what it shows."""

    height: int
    lanes_y: int
    lanes_height: int
    lanes_end: int
    tick_y: int
    windows: tuple[DrawnWindow, ...]
    free: DrawnBar | None
    over: DrawnBar | None
    lanes: tuple[DrawnLane, ...]
    ticks: tuple[Tick, ...]
    summary: Text


@dataclass(frozen=True, slots=True)
class _Axis:
    start: int
    end: int

    def x(self, minute: int) -> float:
        return round(100 * (minute - self.start) / (self.end - self.start), 2)

    def span(self, start: int, end: int) -> tuple[float, float, float]:
        """Left edge, width and right edge."""
        return self.x(start), round(self.x(end) - self.x(start), 2), self.x(end)


def draw(steps: Sequence[Step], lots: Sequence[LotWindow], schedule: Schedule) -> Drawing | None:
    """The drawing of a schedule, or None where nothing could be placed."""
    bars = schedule.placements
    if not bars or schedule.end_min is None:
        return None
    starts = [0, *(bar.start_min for bar in bars), *(lot.start_min for lot in lots)]
    ends = [60, *(bar.end_min for bar in bars), *(lot.end_min for lot in lots)]
    axis = _Axis(min(starts), max(ends))
    titles = {step.id: step.title for step in steps}
    rows = list(_rows(bars, lots))
    height = LANE * len(rows)
    return Drawing(
        height=TOP + height + FOOT,
        lanes_y=TOP,
        lanes_height=height,
        lanes_end=TOP + height,
        tick_y=TOP + height + FOOT - 6,
        windows=tuple(_windows(axis, lots)),
        free=_free(axis, schedule, lots),
        over=_over(axis, schedule, lots),
        lanes=tuple(
            _lane(axis, titles, title, TOP + LANE * number, placed)
            for number, (title, placed) in enumerate(rows)
        ),
        ticks=tuple(_ticks(axis)),
        summary=_summary(schedule),
    )


def _rows(
    bars: Sequence[Placement], lots: Sequence[LotWindow]
) -> Iterator[tuple[Text, list[Placement]]]:
    """The lanes that are used: people, each GPU of each lot, transfers."""
    persons = sorted({bar.person for bar in bars if bar.person is not None})
    for person in persons:
        title = text("People") if len(persons) == 1 else text("Person {n}", n=person + 1)
        yield title, [bar for bar in bars if bar.person == person]
    for lot in lots:
        here = [bar for bar in bars if bar.lot == lot.id and bar.gpus]
        for gpu in sorted({gpu for bar in here for gpu in bar.gpus}):
            yield _gpu_title(lot, gpu, len(lots)), [bar for bar in here if gpu in bar.gpus]
    wires = sorted({bar.lane for bar in bars if bar.lane.endswith("transfer")})
    for wire in wires:
        lot_id = wire.rpartition("/")[0]
        several = len(wires) > 1 and lot_id
        title = text("Transfer from {lot}", lot=lot_id) if several else text("Transfer")
        yield title, [bar for bar in bars if bar.lane == wire]


def _gpu_title(lot: LotWindow, gpu: int, lots: int) -> Text:
    words: dict[str, object] = {"n": gpu, "gpu": lot.gpu, "lot": lot.id}
    if lots > 1:
        return (
            text("{lot} · GPU {n} · {gpu}", **words)
            if lot.gpu
            else text("{lot} · GPU {n}", **words)
        )
    return text("GPU {n} · {gpu}", **words) if lot.gpu else text("GPU {n}", **words)


def _lane(
    axis: _Axis, titles: dict[str, str], title: Text, y: int, placed: Sequence[Placement]
) -> DrawnLane:
    drawn = [(bar, _bar(axis, titles, bar)) for bar in placed]
    return DrawnLane(
        title=title,
        title_y=y + 13,
        bar_y=y + 18,
        label_y=y + 32,
        mark_y=y + 28,
        bars=tuple(made for bar, made in drawn if bar.end_min > bar.start_min),
        marks=tuple(made for bar, made in drawn if bar.end_min == bar.start_min),
    )


def _bar(axis: _Axis, titles: dict[str, str], bar: Placement) -> DrawnBar:
    x, width, right = axis.span(bar.start_min, bar.end_min)
    name = titles.get(bar.step, bar.step)
    # About 1.1 percent of the width holds a letter on a wide screen; cut words tell nothing.
    fits = width >= _LABEL_FROM and len(bar.step) * 1.05 <= width
    words = {"step": name, "start": _hour(bar.start_min), "end": _hour(bar.end_min)}
    if bar.reserve:
        said = text("Reserve of {step}: hour {start} to hour {end}", **words)
        return DrawnBar(x, width, right, said, None, reserve=True)
    said = text("{step}: hour {start} to hour {end}", **words)
    return DrawnBar(x, width, right, said, bar.step if fits else None)


def _hour(minute: int) -> str:
    """An hour of the plan with its minutes: `10`, `26:30`, `-4`."""
    hours, minutes = divmod(abs(minute), 60)
    sign = "−" if minute < 0 else ""
    return f"{sign}{hours}:{minutes:02}" if minutes else f"{sign}{hours}"


def _windows(axis: _Axis, lots: Sequence[LotWindow]) -> Iterator[DrawnWindow]:
    last = -1
    for lot in sorted(lots, key=lambda one: one.start_min):
        lower = lot.start_min < last
        last = max(last, lot.end_min)
        length = hours_said(lot.end_min - lot.start_min)
        label = text("{lot}: {length} rented", lot=lot.id, length=length)
        x, width, end = axis.span(lot.start_min, lot.end_min)
        yield DrawnWindow(x, end, width, _SECOND_TIER if lower else 0, label)


def _free(axis: _Axis, schedule: Schedule, lots: Sequence[LotWindow]) -> DrawnBar | None:
    """The hours between the end of the plan and the earliest end of a lot it uses."""
    free, end = schedule.uncommitted_min, schedule.end_min
    if not free or end is None or not lots:
        return None
    return DrawnBar(
        *axis.span(end, end + free), text("{free} uncommitted", free=hours_said(free)), None
    )


def _over(axis: _Axis, schedule: Schedule, lots: Sequence[LotWindow]) -> DrawnBar | None:
    """What lies behind the end of the last lot."""
    over, end = schedule.exceeds_min, schedule.end_min
    last = max((lot.end_min for lot in lots), default=None)
    if not over or end is None or last is None or end <= last:
        return None
    return DrawnBar(*axis.span(last, end), text("exceeds by {over}", over=hours_said(over)), None)


def _ticks(axis: _Axis) -> Iterator[Tick]:
    first, last = -(-axis.start // 60), axis.end // 60
    months = -(-(last - first) // (_TICKS[-1] * _MOST_TICKS))
    every = next((n for n in _TICKS if (last - first) // n < _MOST_TICKS), _TICKS[-1] * months)
    hours = range(-(-first // every) * every, last + 1, every)
    for number, hour in enumerate(hours):
        x = axis.x(hour * 60)
        anchor = "end" if x > 96 else "start" if x < 2 else "middle"
        yield Tick(x, hour, anchor, number % 2 == 1)


def _summary(schedule: Schedule) -> Text:
    if schedule.end_min is None:
        return text("The steps that could be placed, by lane.")
    return text("The steps by lane, up to hour {end}.", end=_hour(schedule.end_min))
