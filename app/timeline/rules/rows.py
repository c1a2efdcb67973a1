"""A step's row: ghost behind actual before forecast, marks on top, and the same in words."""

from __future__ import annotations

from itertools import pairwise

from app.plan.rules.model import StepClass, StepKind
from app.texts import Text, text
from app.timeline.rules.axis import Scale
from app.timeline.rules.drawing import Bar, Mark, Note, Row, Spent
from app.timeline.rules.facts import DONE, FAILED, RUNNING, SILENT, STOPPED, Facts, Stretch
from app.timeline.rules.lines import StepLine
from app.timeline.rules.states import spent_s
from app.units import Duration

_KINDS = {
    DONE: "actual-done",
    RUNNING: "actual-running",
    STOPPED: "actual-stopped",
    FAILED: "actual-failed",
}
_ROOM_FOR_LABEL = 6.0


def row_of(line: StepLine, facts: Facts, scale: Scale) -> Row:
    """Everything that is drawn and said of one step."""
    return Row(
        id=line.id.replace("@", "-at-"),
        title=line.step.title,
        href=_href(line, facts),
        state=_state(line),
        badge=_badge(line),
        notes=_notes(line, facts),
        bars=_bars(line, facts, scale),
        marks=_marks(line, facts, scale),
        summary=_summary(line, facts),
        planned_s=line.planned_s,
        actual=_actual(line, facts),
        duration_delta_s=line.duration_delta_s,
        end_delta_s=line.end_delta_s,
        is_forecast=line.is_forecast,
    )


def strip_of(stretches: list[Stretch], facts: Facts, scale: Scale) -> tuple[Bar, ...]:
    """A lane's occupancy: what it did when, and where two things overlapped."""
    ordered = sorted(stretches, key=lambda one: one.starts_at)
    bars = [bar for one in ordered for bar in _stretch_bars(one, facts, scale, labelled=False)]
    for earlier, later in pairwise(ordered):
        starts, ends = (
            facts.second(later.starts_at),
            min(_end_s(earlier, facts), _end_s(later, facts)),
        )
        if ends - starts > 60:
            title = text("{one} and {two} at once", one=earlier.run or "", two=later.run or "")
            bars.append(Bar("conflict", scale.x(starts), scale.width(starts, ends), title))
    return tuple(bars)


def _end_s(one: Stretch, facts: Facts) -> int:
    return facts.until_s if one.open else facts.second(one.ends_at)


def _href(line: StepLine, facts: Facts) -> str | None:
    run = next((one.run for one in reversed(line.stretches) if one.run is not None), None)
    return f"/campaigns/{facts.plan.id}/runs/{run}" if run is not None else None


def _state(line: StepLine) -> str:
    if any(one.kind == SILENT for one in line.stretches):
        return "silent"
    if line.step.kind is StepKind.DECISION_POINT and line.state == "done":
        return "decided"
    if line.state == "stopped" and line.stretches and line.stretches[-1].kind == FAILED:
        return "failed"
    return line.state


def _badge(line: StepLine) -> str | None:
    if line.new:
        return "unplanned"
    return None if line.step.klass is StepClass.ESSENTIAL else str(line.step.klass.value)


def _notes(line: StepLine, facts: Facts) -> tuple[Note, ...]:
    notes = []
    runs = {one.run for one in line.stretches if one.run is not None}
    for one in line.stretches:
        if one.run is None or (len(runs) < 2 and one.reason is None and one.kind != SILENT):
            continue
        spent = Duration(spent_s((one,), facts))
        href = f"/campaigns/{facts.plan.id}/runs/{one.run}"
        if one.kind == SILENT:
            said = text(
                "{run}: no sign since {at}", run=one.run, at=one.last_seen_at or one.ends_at
            )
        elif one.reason is not None:
            said = text("{run}: {reason}, {spent}", run=one.run, reason=one.reason, spent=spent)
        elif one.kind == RUNNING:
            said = text("{run}: {spent} so far", run=one.run, spent=spent)
        else:
            said = text("{run}: {spent}", run=one.run, spent=spent)
        notes.append(Note(one.kind, said, href))
    if line.dropped and line.step.id in facts.decided.cut:
        notes.append(
            Note("dropped", text("cut by a decision"), f"/campaigns/{facts.plan.id}/decisions")
        )
    return tuple(notes)


def _bars(line: StepLine, facts: Facts, scale: Scale) -> tuple[Bar, ...]:
    bars = []
    if line.planned is not None and line.planned[1] > line.planned[0]:
        starts, ends = line.planned
        kind = "dropped" if line.dropped else "ghost"
        bars.append(
            Bar(
                kind,
                scale.x(starts),
                scale.width(starts, ends),
                _span(text("Sealed plan"), starts, ends, facts),
            )
        )
    if line.reserve is not None and not line.dropped:
        bars.append(_reserve(line.reserve, facts, scale, text("Kept for interruptions")))
    for one in line.stretches:
        bars += _stretch_bars(one, facts, scale, labelled=True)
    if line.forecast is not None and line.forecast[1] > line.forecast[0]:
        starts, ends = line.forecast
        bars.append(
            Bar(
                "forecast",
                scale.x(starts),
                scale.width(starts, ends),
                _span(text("Forecast"), starts, ends, facts),
            )
        )
    if line.forecast_reserve is not None:
        left = text("Still kept for interruptions")
        bars.append(_reserve(line.forecast_reserve, facts, scale, left))
    return tuple(bars)


def _reserve(span: tuple[int, int], facts: Facts, scale: Scale, name: Text) -> Bar:
    return Bar("reserve", scale.x(span[0]), scale.width(*span), _span(name, *span, facts))


def _stretch_bars(one: Stretch, facts: Facts, scale: Scale, *, labelled: bool) -> list[Bar]:
    starts, ends = facts.second(one.starts_at), _end_s(one, facts)
    name: Text | str = one.run or text("People")
    if one.kind == SILENT:
        seen = facts.second(one.ends_at)
        running = Bar(
            "actual-running",
            scale.x(starts),
            scale.width(starts, seen),
            _span(name, starts, seen, facts),
        )
        since = text("{run}: no sign since {at}", run=one.run or "", at=one.ends_at)
        return [running, Bar("silent", scale.x(seen), scale.width(seen, facts.until_s), since)]
    width = scale.width(starts, ends)
    label = (
        one.run if labelled and one.run and len(one.run) <= 6 and width >= _ROOM_FOR_LABEL else None
    )
    return [Bar(_KINDS[one.kind], scale.x(starts), width, _span(name, starts, ends, facts), label)]


def _marks(line: StepLine, facts: Facts, scale: Scale) -> tuple[Mark, ...]:
    marks = []
    for one in line.stretches:
        if one.kind in (STOPPED, FAILED):
            kind = "stop" if one.kind == STOPPED else "fail"
            title = text("{run}: {reason}", run=one.run or "", reason=one.reason or text("ended"))
            marks.append(Mark(kind, scale.x(facts.second(one.ends_at)), title))
    if line.step.kind is StepKind.DECISION_POINT:
        if line.decided_s is not None:
            marks.append(Mark("decision", scale.x(line.decided_s), text("Decided")))
        elif line.forecast is not None:
            marks.append(Mark("decision-open", scale.x(line.forecast[1]), text("Decision open")))
        elif line.planned is not None and facts.closed_at is None:
            marks.append(Mark("decision-open", scale.x(line.planned[1]), text("Decision open")))
    return tuple(marks)


def _actual(line: StepLine, facts: Facts) -> tuple[Spent, ...]:
    kinds: dict[str, int] = {}
    for one in line.stretches:
        kind = _KINDS.get(one.kind, "actual-running")
        kinds[kind] = kinds.get(kind, 0) + spent_s((one,), facts)
    return tuple(Spent(seconds, kind) for kind, seconds in kinds.items())


def _span(name: object, starts_s: int, ends_s: int, facts: Facts) -> Text:
    starts_at, ends_at = facts.instant(starts_s), facts.instant(ends_s)
    if starts_at is None or ends_at is None:
        return text(
            "{name}, hour {start} to {end}", name=name, start=_hour(starts_s), end=_hour(ends_s)
        )
    return text("{name}, {start} to {end}", name=name, start=starts_at, end=ends_at)


def _hour(second: int) -> int | str:
    return second // 3600 if second % 3600 == 0 else f"{second / 3600:.1f}"


def _summary(line: StepLine, facts: Facts) -> Text:
    """What the eye gets, as sentences for the ear."""
    said: list[Text] = []
    if line.planned is not None:
        said.append(_span(text("Planned"), *line.planned, facts))
    if line.reserve is not None:
        said.append(_span(text("Kept for interruptions"), *line.reserve, facts))
    for one in line.stretches:
        said.append(
            _span(one.run or text("People"), facts.second(one.starts_at), _end_s(one, facts), facts)
        )
        if one.reason is not None:
            said.append(text("stopped: {reason}", reason=one.reason))
    if line.forecast is not None:
        said.append(_span(text("Forecast"), *line.forecast, facts))
    if not said:
        return text("Not in the plan")
    joined: Text = said[0]
    for more in said[1:]:
        joined = text("{one}; {more}", one=joined, more=more)
    return joined
