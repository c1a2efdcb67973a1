"""The drawing: positions, lanes, legend, and nothing that hides a pause or an overlap."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from app.timeline.rules.chart import chart_of
from app.timeline.rules.drawing import Chart
from app.timeline.rules.facts import RUNNING, SILENT, Facts
from app.timeline.rules.forecast import forecast
from app.timeline.rules.lines import step_lines
from tests.timeline.cases import FAMILY, at, facts, middle, step, work


def _chart(case: Facts) -> Chart:
    ahead = forecast(case)
    return chart_of(case, step_lines(case, ahead), ahead)


def test_people_come_first_then_each_gpu_then_the_wire() -> None:
    assert [lane.id for lane in _chart(middle()).lanes] == [
        "people",
        "lot-1/gpu-0",
        "lot-1/transfer",
    ]


def test_each_row_draws_ghost_before_actual_before_forecast() -> None:
    order = {"ghost": 0, "dropped": 0, "forecast": 2}
    for lane in _chart(middle()).lanes:
        for row in lane.rows:
            ranks = [order.get(bar.kind, 1) for bar in row.bars]
            assert ranks == sorted(ranks), row.id


def test_two_runs_in_a_row_have_two_notes_and_their_own_hours() -> None:
    row = next(row for lane in _chart(middle()).lanes for row in lane.rows if row.id == "a")
    assert [str(note.text) for note in row.notes] == [
        "a-01: stopped, loss is not finite, 4 h 12 min",
        "a-02: 3 h 36 min so far",
    ]
    assert [spent.kind for spent in row.actual] == ["actual-stopped", "actual-running"]
    assert [mark.kind for mark in row.marks] == ["stop"]


def test_left_of_now_are_facts_and_right_of_it_forecasts() -> None:
    chart = _chart(middle())
    assert chart.axis.now is not None
    now = chart.axis.now.x
    for lane in chart.lanes:
        for row in lane.rows:
            for bar in row.bars:
                if bar.kind == "forecast":
                    assert bar.x >= now - 0.01
                elif bar.kind.startswith("actual"):
                    assert bar.x + bar.width <= now + 0.21


def test_the_legend_names_every_mark_and_no_other() -> None:
    chart = _chart(middle())
    drawn = {bar.kind for lane in chart.lanes for row in lane.rows for bar in row.bars}
    drawn |= {mark.kind for lane in chart.lanes for row in lane.rows for mark in row.marks}
    drawn |= {bar.kind for lane in chart.lanes for bar in lane.strip}
    drawn |= {band.kind for back in chart.backdrops for band in back.bands} | {"now"}
    assert set(chart.kinds) == drawn


def test_uncommitted_by_plan_and_by_forecast_are_two_figures() -> None:
    assert [str(fact) for fact in _chart(middle()).facts] == [
        "Uncommitted: 24 h by plan · 18 h 24 min by forecast"
    ]


def test_an_overlap_is_drawn_as_a_conflict() -> None:
    case = facts(20, [work("install", 4, 8, "i"), work("pilot", 6, 10, "p")])
    strip = next(lane for lane in _chart(case).lanes if lane.id == "lot-1/gpu-0").strip
    assert [bar.kind for bar in strip if bar.kind == "conflict"] == ["conflict"]


def test_a_silent_run_is_drawn_to_its_last_sign_and_then_as_silence() -> None:
    silent = work("install", 4, 8, "i", SILENT, last_seen_at=at(8))
    row = next(
        row
        for lane in _chart(facts(20, [silent])).lanes
        for row in lane.rows
        if row.id == "install"
    )
    assert [bar.kind for bar in row.bars[:3]] == ["ghost", "actual-running", "silent"]
    assert row.state == "silent"


def test_an_idle_gpu_is_said() -> None:
    lane = next(lane for lane in _chart(middle()).lanes if lane.id == "lot-1/gpu-0")
    assert "idle" in str(lane.note)


def test_a_draft_counts_in_hours_and_has_no_day_labels() -> None:
    case = replace(facts(0, dated=False), version=0, sealed_at=None)
    chart = _chart(case)
    assert chart.axis.days == ()
    assert chart.axis.now is None
    assert [tick.hour for tick in chart.axis.hours][:2] == [0, 12]


@settings(max_examples=80, deadline=None)
@given(
    now=st.floats(0, 400),
    window_h=st.sampled_from([3, 24, 72, 168, 720]),
    spans=st.lists(st.tuples(st.floats(0, 300), st.floats(0, 80)), max_size=6),
)
def test_everything_lies_on_the_axis_and_labels_keep_apart(
    now: float, window_h: int, spans: list[tuple[float, float]]
) -> None:
    stretches = [
        work(FAMILY[n].id, start, min(start + length, max(now, start)), f"r-{n}" if n else None)
        for n, (start, length) in enumerate(spans)
        if start <= now
    ]
    chart = _chart(facts(now, stretches, window_h=window_h))
    for lane in chart.lanes:
        for bar in [*lane.strip, *(bar for row in lane.rows for bar in row.bars)]:
            assert 0 <= bar.x <= 100
            assert 0 < bar.width <= 100.2
    days = [day.x for day in chart.axis.days]
    assert all(later - earlier >= 9 for earlier, later in pairwise(days))
    assert len(chart.axis.hours) <= 10


def test_a_chart_of_sixty_steps_and_many_runs_is_whole() -> None:
    steps = [step(f"s{n}", "machine", 1) for n in range(60)]
    case = facts(30, [work(f"s{n}", n / 2, n / 2 + 0.5, f"s{n}-01") for n in range(59)] + [
        work("s59", 29.5, 30, "s59-01", RUNNING)
    ], steps=steps)  # fmt: skip
    rows = [row for lane in _chart(case).lanes for row in lane.rows]
    assert len(rows) == 60
