"""Time kept for interruptions on the timeline: apart from its step, and used up by time lost."""

from __future__ import annotations

import pytest

from app.plan.rules.model import Checkpoint, OnInterruption, Step
from app.timeline.rules.chart import chart_of
from app.timeline.rules.facts import FAILED, RUNNING, Facts, Stretch
from app.timeline.rules.forecast import forecast
from app.timeline.rules.lines import step_lines
from tests.timeline.cases import H, facts, step, work

SAVING = Checkpoint(write_s=120, restore_s=300, mean_time_between_interruptions_s=24 * H)
RESERVE = 35 * 60
"""Seconds kept after 10 h of work that is saved so; see the plan's tests."""


def steps() -> tuple[Step, ...]:
    return (
        step("run", "machine", 10, checkpoint=SAVING, on_interruption=OnInterruption.RESUME),
        step("read", "human", 1, ["run"]),
    )


def case(now: float, *stretches: Stretch) -> Facts:
    return facts(now, stretches, steps=steps())


def left_s(given: Facts) -> int:
    """The seconds of reserve in the forecast."""
    return sum(end - start for name, start, end, _ in forecast(given).bars if "/" in name)


def test_the_planned_bar_of_a_step_does_not_hold_its_reserve() -> None:
    given = case(-1)
    run, read = step_lines(given, forecast(given))

    assert run.planned == (0, 10 * H)
    assert run.reserve == run.forecast_reserve == (10 * H, 10 * H + RESERVE)
    assert (run.planned_s, run.duration_delta_s, run.end_delta_s) == (10 * H, 0, 0)
    assert (read.planned, read.reserve) == ((10 * H + RESERVE, 11 * H + RESERVE), None)
    assert given.sealed.end_min == 11 * 60 + RESERVE // 60


@pytest.mark.parametrize(
    ("now", "stretches", "left"),
    [
        pytest.param(4, [work("run", 0, 4, "r-1", RUNNING)], RESERVE, id="nothing lost yet"),
        pytest.param(
            10.25,
            [work("run", 0, 10.25, "r-1", RUNNING)],
            RESERVE - 16 * 60,  # a quarter of an hour over, and one minute more
            id="longer than estimated",
        ),
        pytest.param(12, [work("run", 0, 12, "r-1", RUNNING)], 0, id="more lost than was kept"),
        pytest.param(
            6,
            [work("run", 0, 0.4, "r-1", FAILED), work("run", 1, 6, "r-2", RUNNING)],
            RESERVE - 24 * 60,
            id="an attempt that was lost",
        ),
        pytest.param(1, [work("run", 0, 0.4, "r-1", FAILED)], RESERVE - 24 * 60, id="to repeat"),
        pytest.param(10, [work("run", 0, 10, "r-1")], 0, id="done"),
    ],
)
def test_the_forecast_keeps_what_was_not_lost_yet(
    now: float, stretches: list[Stretch], left: int
) -> None:
    assert left_s(case(now, *stretches)) == left


def test_the_end_of_the_forecast_holds_what_is_left_of_the_reserve() -> None:
    given = case(4, work("run", 0, 4, "r-1", RUNNING))

    assert forecast(given).end_s == 11 * H + RESERVE


def test_a_reserve_is_drawn_and_named_apart_from_its_step() -> None:
    given = case(4, work("run", 0, 4, "r-1", RUNNING))
    ahead = forecast(given)
    chart = chart_of(given, step_lines(given, ahead), ahead)
    row = next(row for lane in chart.lanes for row in lane.rows if row.id == "run")

    assert [bar.kind for bar in row.bars] == [
        "ghost", "reserve", "actual-running", "forecast", "reserve",
    ]  # fmt: skip
    ghost, kept = row.bars[:2]
    assert kept.x == pytest.approx(ghost.x + ghost.width, abs=0.02)
    assert "reserve" in chart.kinds
    assert "Kept for interruptions" in str(row.summary)
    lane = next(lane for lane in chart.lanes if row in lane.rows)
    assert lane.planned_s == 10 * H


def test_what_runs_is_forecast_from_now_on_whatever_would_end_earlier() -> None:
    """Without the run, the step that others wait for would go first."""
    many = (
        step("begun", "machine", 10),
        step("short", "machine", 1),
        step("read", "human", 20, ["short"]),
    )
    idle, busy = facts(0, steps=many), facts(1, [work("begun", 0, 1, "r", RUNNING)], steps=many)

    assert {name: start for name, start, _, _ in forecast(idle).bars}["short"] == 0
    starts = {name: (start, end) for name, start, end, _ in forecast(busy).bars}
    assert starts["begun"] == (H, 10 * H)
    assert starts["short"] == (10 * H, 11 * H)
