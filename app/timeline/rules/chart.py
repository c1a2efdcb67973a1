"""The whole chart: lanes of people, of each GPU and of the wire, on one axis."""

from __future__ import annotations

from app.plan.rules.model import StepKind
from app.texts import Text, text
from app.timeline.rules.axis import Scale, axis_of, backdrop_of, free_from, scale_of
from app.timeline.rules.drawing import Chart, Lane, Row
from app.timeline.rules.facts import Facts, Stretch
from app.timeline.rules.forecast import Forecast
from app.timeline.rules.lanes import lanes_of, name_of
from app.timeline.rules.lines import StepLine, unplanned_lines
from app.timeline.rules.rows import row_of
from app.timeline.rules.states import spent_s
from app.timeline.rules.strips import idle_s, strip_of
from app.units import Duration


def chart_of(facts: Facts, lines: tuple[StepLine, ...], ahead: Forecast) -> Chart:
    """Draw the lines; what stands left of now is fact, what stands right of it is forecast."""
    lines = (*lines, *unplanned_lines(facts))
    scale = scale_of(facts, lines, ahead)
    end_min = facts.sealed.end_min
    planned_end_s = None if end_min is None else end_min * 60
    lanes = _lanes(facts, lines, scale)
    axis = axis_of(facts, scale, free_from(facts, planned_end_s, ahead))
    backdrop = backdrop_of(facts, scale, planned_end_s, ahead)
    kinds = _kinds(lanes, [band.kind for band in backdrop.bands], has_now=axis.now is not None)
    return Chart(
        id="chart",
        title=text("Planned and actual time"),
        facts=_facts(facts, ahead),
        axis=axis,
        backdrops=(backdrop,),
        lanes=lanes,
        kinds=kinds,
        notes=_notes(facts),
        zone=facts.plan.zone,
        is_sealed=facts.version > 0,
    )


_LEGEND = (
    "ghost", "reserve", "actual-done", "actual-running", "actual-open", "actual-stopped",
    "actual-failed", "actual-lost", "stop", "fail", "lost", "silent", "cut", "forecast", "decision",
    "decision-open", "dropped", "conflict", "window", "planned-window", "uncommitted", "gone",
    "eaten", "now",
)  # fmt: skip


def _kinds(lanes: tuple[Lane, ...], bands: list[str], *, has_now: bool) -> tuple[str, ...]:
    """Every mark that occurs, in one order, so that the legend names all and no more."""
    found = set(bands) | ({"now"} if has_now else set())
    for lane in lanes:
        found |= {bar.kind for bar in lane.strip}
        for row in lane.rows:
            found |= {bar.kind for bar in row.bars} | {mark.kind for mark in row.marks}
    return tuple(kind for kind in _LEGEND if kind in found)


def _lanes(facts: Facts, lines: tuple[StepLine, ...], scale: Scale) -> tuple[Lane, ...]:
    grouped: dict[str, list[StepLine]] = {"people": []}
    for window in facts.windows:
        for gpu in range(window.gpus):
            grouped[f"{window.id}/gpu-{gpu}"] = []
    for line in lines:
        grouped.setdefault(_lane_id(line, facts), []).append(line)
    worked: dict[str, list[Stretch]] = {}
    lanes = lanes_of(facts)
    for one in facts.stretches:
        for name in lanes[name_of(one)]:
            worked.setdefault(name, []).append(one)
            grouped.setdefault(name, [])
    order = sorted(
        grouped, key=lambda name: (name != "people", name.endswith("transfer"), name == "unplaced")
    )
    return tuple(
        _lane(name, grouped[name], worked.get(name, []), facts, scale)
        for name in order
        if grouped[name] or name in worked or name.find("/gpu-") > 0
    )


def _lane_id(line: StepLine, facts: Facts) -> str:
    if line.lane:
        return line.lane
    if line.step.kind is StepKind.TRANSFER:
        return "transfer"
    if facts.windows:
        return f"{facts.windows[0].id}/gpu-0"
    return "unplaced"


def _lane(
    name: str, lines: list[StepLine], stretches: list[Stretch], facts: Facts, scale: Scale
) -> Lane:
    at_once = max(1, facts.plan.people) if name == "people" else 1
    planned = sum(line.planned_s or 0 for line in lines)
    actual = spent_s(tuple(stretches), facts) if stretches else None
    return Lane(
        id=name,
        title=_title(name, facts),
        note=_note(name, stretches, facts),
        backdrop="lots",
        strip=strip_of(stretches, facts, scale, at_once),
        summary=_summary(actual, planned),
        planned_s=planned or None,
        actual_s=actual,
        rows=_rows(lines, facts, scale),
    )


def _rows(lines: list[StepLine], facts: Facts, scale: Scale) -> tuple[Row, ...]:
    """By the planned start; what has no place in the plan comes last."""
    later = float("inf")
    ordered = sorted(lines, key=lambda line: line.planned[0] if line.planned else later)
    return tuple(row_of(line, facts, scale) for line in ordered)


def _title(name: str, facts: Facts) -> Text:
    if name == "people":
        return text("People")
    if name == "unplaced":
        return text("Machines")
    lot_id, _, what = name.partition("/")
    if what == "transfer" or name == "transfer":
        return text("Transfer")
    window = next((window for window in facts.windows if window.id == lot_id), None)
    number = int(what.removeprefix("gpu-") or 0)
    gpu = window.gpu if window and window.gpu else None
    if len(facts.windows) > 1:
        if gpu is None:
            return text("{lot} · GPU {n}", lot=lot_id, n=number)
        return text("{lot} · GPU {n} · {gpu}", lot=lot_id, n=number, gpu=gpu)
    return text("GPU {n} · {gpu}", n=number, gpu=gpu) if gpu else text("GPU {n}", n=number)


def _note(name: str, stretches: list[Stretch], facts: Facts) -> Text | None:
    if "/gpu-" not in name:
        return None
    idle = idle_s(stretches, facts)
    if idle < 360:
        return text("one thing at a time")
    return text("one thing at a time · idle {idle} between runs", idle=Duration(idle))


def _summary(actual_s: int | None, planned_s: int) -> Text:
    planned = Duration(planned_s)
    if actual_s is None:
        return text("{planned} planned, nothing observed yet", planned=planned)
    return text("{planned} planned, {actual} observed", planned=planned, actual=Duration(actual_s))


def _facts(facts: Facts, ahead: Forecast) -> tuple[Text, ...]:
    """What is uncommitted by plan and by forecast: two figures, never one for both."""
    by_plan = facts.sealed.uncommitted_min
    if facts.version == 0 or by_plan is None:
        return ()
    plan = Duration(by_plan * 60)
    if facts.closed_at is not None and ahead.spare_s is not None:
        left = Duration(ahead.spare_s)
        return (text("Uncommitted: {plan} by plan · {left} at the close", plan=plan, left=left),)
    if ahead.spare_s is not None:
        return (
            text(
                "Uncommitted: {plan} by plan · {forecast} by forecast",
                plan=plan,
                forecast=Duration(ahead.spare_s),
            ),
        )
    if ahead.exceeds_s is not None:
        over = Duration(ahead.exceeds_s)
        return (
            text(
                "Uncommitted: {plan} by plan · exceeds by {over} by forecast", plan=plan, over=over
            ),
        )
    return (text("Uncommitted: {plan} by plan", plan=plan),)


def _notes(facts: Facts) -> tuple[Text, ...]:
    if facts.sealed_at is None:
        return (text("Not sealed yet: the drawing follows the draft"),)
    return (text("Plan version 1 sealed {at}", at=facts.sealed_at),)
