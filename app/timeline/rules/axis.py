"""The time axis: which span is shown, and where days, hours and windows stand on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.plan.rules.spans import hours_said
from app.texts import text
from app.timeline.rules.drawing import Axis, Backdrop, Band, Bracket, Day, Free, Hour, Line, Now
from app.timeline.rules.facts import Facts, Window
from app.timeline.rules.forecast import Forecast
from app.timeline.rules.lines import StepLine
from app.units import Duration

_STEPS_H = (1, 2, 3, 6, 12, 24, 48, 72, 96, 168, 336)
_MOST_LABELS = 8
_MOST_DAYS = 8


@dataclass(frozen=True, slots=True)
class Scale:
    """From seconds after hour 0 to percent of the axis."""

    first_s: int
    last_s: int

    def x(self, second: int) -> float:
        """Percent from the left, two decimals, kept inside the axis."""
        share = (second - self.first_s) / (self.last_s - self.first_s)
        return round(min(1.0, max(0.0, share)) * 100, 2)

    def width(self, starts_s: int, ends_s: int) -> float:
        """Percent between two instants; a moment is still a hair wide."""
        return max(0.2, round(self.x(ends_s) - self.x(starts_s), 2))

    def past(self, starts_s: int, ends_s: int) -> tuple[float, float]:
        """Position and width of what was: a moment is a hair wide too, but ends where it ended.

        What has only just begun at the left end of the axis is 0 wide.
        """
        ends = self.x(ends_s)
        x = max(0.0, round(ends - self.width(starts_s, ends_s), 2))
        return x, round(ends - x, 2)


def scale_of(facts: Facts, lines: tuple[StepLine, ...], ahead: Forecast) -> Scale:
    """The span that holds the windows, the plan, what happened and what is ahead."""
    seconds = [0, 3600]
    for window in facts.windows:
        seconds += [window.starts_s, window.ends_s]
    for line in lines:
        for span in (line.planned, line.reserve, line.forecast, line.forecast_reserve):
            seconds += span or ()
        for one in line.stretches:
            seconds += facts.span(one)
    if ahead.end_s is not None and facts.closed_at is None:
        seconds.append(ahead.end_s)
    first, last = min(seconds), max(seconds)
    return Scale(first, last + round((last - first) * 0.02))


def axis_of(facts: Facts, scale: Scale, free_from_s: int | None) -> Axis:
    """Labels over the chart; days only where hour 0 has a date."""
    now = None
    if (
        facts.zero_at is not None
        and facts.closed_at is None
        and scale.first_s <= facts.until_s <= scale.last_s
    ):
        now = Now(scale.x(facts.until_s), facts.now_at)
    return Axis(
        _days(facts, scale),
        _hours(scale),
        _brackets(facts, scale),
        _free(facts, scale, free_from_s),
        now,
    )


def backdrop_of(facts: Facts, scale: Scale, planned_end_s: int | None, ahead: Forecast) -> Backdrop:
    """Windows, hours and days behind the rows, and what of the last window is free."""
    bands = [
        Band(
            "window" if one.ordered else "planned-window",
            scale.x(one.starts_s),
            scale.width(one.starts_s, one.ends_s),
        )
        for one in facts.windows
    ]
    bands += _free_bands(facts, scale, planned_end_s, ahead)
    lines = [Line("hour", tick.x) for tick in _hours(scale)]
    lines += [Line("day", tick.x) for tick in _days(facts, scale)[1:]]
    for one in facts.windows:
        lines += [
            Line("window-start", scale.x(one.starts_s)),
            Line("window-end", scale.x(one.ends_s)),
        ]
        if one.usable_s < one.ends_s:
            lines.append(Line("usable-end", scale.x(one.usable_s)))
    return Backdrop("lots", tuple(bands), tuple(lines))


def free_from(facts: Facts, planned_end_s: int | None, ahead: Forecast) -> int | None:
    """From when on the rest of the last window belongs to nobody, by plan and by forecast.

    None where what is left cannot be placed: it may need all of it.
    """
    hopeless = ahead.schedule is not None and ahead.end_s is None
    if not facts.windows or planned_end_s is None or hopeless:
        return None
    last = max(window.usable_s for window in facts.windows)
    start = max(planned_end_s, ahead.end_s or planned_end_s)
    return start if start < last else None


def _free_bands(
    facts: Facts, scale: Scale, planned_end_s: int | None, ahead: Forecast
) -> list[Band]:
    """What is free, and what of the plan's free part is gone by now or used by the forecast."""
    start = free_from(facts, planned_end_s, ahead)
    last = max((window.usable_s for window in facts.windows), default=0)
    if planned_end_s is None or planned_end_s >= last:
        return []
    free_s = last if start is None else start
    gone_s = max(planned_end_s, min(facts.until_s, free_s))
    spans = [("gone", planned_end_s, gone_s)]
    if ahead.end_s is not None:
        spans.append(("eaten", gone_s, free_s))
    spans.append(("uncommitted", free_s, last))
    return [
        Band(kind, scale.x(starts), scale.width(starts, ends))
        for kind, starts, ends in spans
        if ends > starts
    ]


def _free(facts: Facts, scale: Scale, start_s: int | None) -> Free | None:
    last = max((window.usable_s for window in facts.windows), default=0)
    if start_s is None or scale.width(start_s, last) < 14:
        return None
    return Free(scale.x(last), text("{spare} uncommitted", spare=Duration(last - start_s)))


def _hours(scale: Scale) -> tuple[Hour, ...]:
    span_h = (scale.last_s - scale.first_s) / 3600
    step = next((step for step in _STEPS_H if span_h / step <= _MOST_LABELS), _STEPS_H[-1] * 2)
    first = -(-scale.first_s // (step * 3600)) * step
    ticks = []
    for number, hour in enumerate(range(first, scale.last_s // 3600 + 1, step)):
        x = scale.x(hour * 3600)
        anchor = "start" if x < 3 else "end" if x > 96 else "middle"
        ticks.append(Hour(x, hour, anchor, number % 2 == 1))
    return tuple(ticks)


def _days(facts: Facts, scale: Scale) -> tuple[Day, ...]:
    if facts.zero_at is None:
        return ()
    zone = ZoneInfo(facts.plan.zone)
    starts_at = facts.zero_at + timedelta(seconds=scale.first_s)
    local = starts_at.astimezone(zone)
    found = [(scale.first_s, local.date())]
    midnight = datetime(local.year, local.month, local.day, tzinfo=zone)
    for number in range(1, 400):
        at = midnight + timedelta(days=number)
        second = facts.second(at)
        if second > scale.last_s:
            break
        found.append((second, at.date()))
    every = -(-len(found) // _MOST_DAYS)
    kept = found[::every]
    if len(kept) > 1 and scale.x(kept[1][0]) < 9.5:
        kept = kept[1:]
    return tuple(
        Day(scale.x(second), on, "start" if scale.x(second) < 86 else "end") for second, on in kept
    )


def _local(facts: Facts, second: int) -> datetime | None:
    """The instant on the campaign's own clock, so that its day is the right one."""
    at = facts.instant(second)
    return None if at is None else at.astimezone(ZoneInfo(facts.plan.zone))


def _brackets(facts: Facts, scale: Scale) -> tuple[Bracket, ...]:
    brackets = []
    previous: Window | None = None
    tier = 0
    for window in sorted(facts.windows, key=lambda one: one.starts_s):
        tier = 1 - tier if previous is not None and window.starts_s < previous.ends_s else 0
        hours = hours_said((window.ends_s - window.starts_s) // 60)
        name = text("Rented window") if window.ordered else text("Planned window")
        label = text("{name} {hours}", name=name, hours=hours)
        short = (
            text("{hours} rented", hours=hours)
            if window.ordered
            else text("{hours} planned", hours=hours)
        )
        brackets.append(
            Bracket(
                scale.x(window.starts_s),
                scale.x(window.ends_s),
                label,
                short,
                tier,
                _local(facts, window.starts_s),
                _local(facts, window.ends_s),
            )
        )
        previous = window
    return tuple(brackets)
