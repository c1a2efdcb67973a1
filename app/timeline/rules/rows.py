"""A step's row: ghost behind actual before forecast, marks on top, and the same in words."""

from __future__ import annotations

from app.plan.rules.model import StepClass, StepKind
from app.texts import Text, text
from app.timeline.rules.axis import Scale
from app.timeline.rules.drawing import Bar, Mark, Note, Row, Spent
from app.timeline.rules.facts import (
    DONE,
    FAILED,
    LOST,
    RUNNING,
    SILENT,
    STOPPED,
    Facts,
    Stretch,
)
from app.timeline.rules.lines import StepLine
from app.timeline.rules.said import called, cut_s, notes_of, outcome, titled
from app.timeline.rules.states import last_of_runs, spent_s

_KINDS = {
    DONE: "actual-done",
    RUNNING: "actual-running",
    SILENT: "actual-running",
    STOPPED: "actual-stopped",
    FAILED: "actual-failed",
    LOST: "actual-lost",
}
_MARKS = {STOPPED: "stop", FAILED: "fail", LOST: "lost"}
_ROOM_FOR_LABEL = 6.0


def row_of(line: StepLine, facts: Facts, scale: Scale) -> Row:
    """Everything that is drawn and said of one step."""
    return Row(
        id=line.id.replace("@", "-at-"),
        title=line.step.title,
        href=_href(line, facts),
        state=_state(line, facts),
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


def _href(line: StepLine, facts: Facts) -> str | None:
    run = next((one.run for one in reversed(line.stretches) if one.run is not None), None)
    return f"/campaigns/{facts.plan.id}/runs/{run}" if run is not None else None


def _state(line: StepLine, facts: Facts) -> str:
    if any(facts.left_open(one) for one in line.stretches):
        return "open"
    if any(one.kind == SILENT for one in line.stretches):
        return "silent"
    if any(one.stalled_since_at is not None for one in line.stretches):
        return "stalled"
    if line.step.kind is StepKind.DECISION_POINT and line.state == "done":
        return "decided"
    if line.state == "stopped" and line.stretches:
        return last_of_runs(line.stretches)[-1].kind
    return line.state


def _badge(line: StepLine) -> str | None:
    if line.new:
        return "unplanned"
    return None if line.step.klass is StepClass.ESSENTIAL else str(line.step.klass.value)


def _notes(line: StepLine, facts: Facts) -> tuple[Note, ...]:
    notes = notes_of(line.stretches, facts)
    if not line.dropped or line.step.id not in facts.decided.cut:
        return notes
    href = f"/campaigns/{facts.plan.id}/decisions"
    return (*notes, Note("dropped", text("cut by a decision"), href))


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
                _span(text("Sealed plan") if facts.version else text("Draft"), starts, ends, facts),
            )
        )
    if line.reserve is not None and not line.dropped:
        bars.append(_reserve(line.reserve, facts, scale, text("Kept for interruptions")))
    for one in line.stretches:
        bars += stretch_bars(one, titled(one, facts), facts, scale, labelled=True)
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


def stretch_bars(
    one: Stretch, name: Text | str, facts: Facts, scale: Scale, *, labelled: bool
) -> list[Bar]:
    """A stretch as it is drawn: what was worked, and after the last sign of a silent run silence.

    Nothing of it ends right of now; silence is cut where the lot ended.
    """
    starts, ends = facts.span(one)
    kind = "actual-open" if facts.left_open(one) else _KINDS[one.kind]
    x, width = scale.past(starts, ends)
    fits = labelled and one.run and len(one.run) <= 6 and width >= _ROOM_FOR_LABEL
    plain = one.kind != SILENT and not facts.left_open(one)
    label = one.run if fits and plain else None
    bars = [Bar(kind, x, width, _span(name, starts, ends, facts), label)] if width else []
    if one.kind == SILENT and not facts.left_open(one):
        cut = cut_s(one, facts)
        x, width = scale.past(ends, facts.until_s if cut is None else cut)
        if width:
            at = one.last_seen_at or one.ends_at
            bars.append(
                Bar("silent", x, width, text("{run}: no sign since {at}", run=called(one), at=at))
            )
    return bars


def _marks(line: StepLine, facts: Facts, scale: Scale) -> tuple[Mark, ...]:
    marks = []
    for one in line.stretches:
        ends, cut = facts.span(one)[1], cut_s(one, facts)
        if one.kind in _MARKS:
            title = text("{run}: {reason}", run=called(one), reason=outcome(one, facts))
            marks.append(Mark(_MARKS[one.kind], scale.x(ends), title))
        if cut is not None:
            title = text("{run}: silent, lot ended", run=called(one))
            marks.append(Mark("cut", scale.x(cut), title))
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
        kind = "actual-open" if facts.left_open(one) else _KINDS[one.kind]
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
        said.append(_span(titled(one, facts), *facts.span(one), facts))
    said += [note.text for note in notes_of(line.stretches, facts)]
    if line.forecast is not None:
        said.append(_span(text("Forecast"), *line.forecast, facts))
    if not said:
        return text("Not in the plan")
    joined: Text = said[0]
    for more in said[1:]:
        joined = text("{one}; {more}", one=joined, more=more)
    return joined
