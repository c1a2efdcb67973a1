"""Which GPU is drawn as busy: by the job's word, else the planned one, else the first free one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.plan.rules.lots import LotWindow
from app.plan.rules.schedule import schedule
from app.timeline.rules.chart import chart_of
from app.timeline.rules.drawing import Lane
from app.timeline.rules.facts import RUNNING, Facts, Stretch
from app.timeline.rules.forecast import forecast
from app.timeline.rules.lines import step_lines
from tests.timeline.cases import H, facts, step, work

ZERO, ONE = "lot-1/gpu-0", "lot-1/gpu-1"
SIDE_BY_SIDE = (step("a", "machine", 10), step("b", "machine", 10))
UNSAID: dict[str, Any] = {"lot": None, "gpus": ()}


def _case(now: float, *stretches: Stretch, steps: tuple[object, ...] = SIDE_BY_SIDE) -> Facts:
    """One lot of two GPUs; the plan has `a` on the first and `b` on the second."""
    one = facts(now, stretches, steps=steps)  # type: ignore[arg-type]
    lot = LotWindow("lot-1", None, "RTX 4090", 2, 0, 72 * 60, 72 * 60, None, None)
    windows = tuple(replace(window, gpus=2) for window in one.windows)
    return replace(one, sealed=schedule(one.plan.steps, [lot], 1), windows=windows)


def _lanes(case: Facts) -> dict[str, Lane]:
    ahead = forecast(case)
    return {lane.id: lane for lane in chart_of(case, step_lines(case, ahead), ahead).lanes}


def _busy(case: Facts) -> dict[str, list[str]]:
    """What is drawn in the strip of each GPU, by kind."""
    return {
        name: [bar.kind for bar in lane.strip]
        for name, lane in _lanes(case).items()
        if "/gpu-" in name
    }


def test_two_runs_of_a_step_on_two_gpus_are_no_conflict() -> None:
    case = _case(8, work("a", 0, 4, "a-1", gpus=(0,)), work("a", 1, 5, "a-2", gpus=(1,)))
    assert _busy(case) == {ZERO: ["actual-done"], ONE: ["actual-done"]}


def test_a_run_of_two_gpus_fills_both() -> None:
    case = _case(8, work("a", 0, 4, "a-1", gpus=(0, 1)), work("b", 1, 5, "b-1", gpus=(1,)))
    assert _busy(case) == {
        ZERO: ["actual-done"],
        ONE: ["actual-done", "actual-done", "conflict"],
    }


@pytest.mark.parametrize(
    ("first", "second", "busy"),
    [
        pytest.param(
            work("a", 0, 4, "a-1", **UNSAID),
            work("b", 1, 5, "b-1", **UNSAID),
            {ZERO: ["actual-done"], ONE: ["actual-done"]},
            id="the planned lane",
        ),
        pytest.param(
            work("b", 0, 4, "b-1", gpus=(0,)),
            work("a", 1, 5, "a-1", **UNSAID),
            {ZERO: ["actual-done"], ONE: ["actual-done"]},
            id="the first free one",
        ),
        pytest.param(
            work("b", 0, 4, "b-1", gpus=(0, 1)),
            work("a", 1, 5, "a-1", **UNSAID),
            {ZERO: ["actual-done", "actual-done", "conflict"], ONE: ["actual-done"]},
            id="none is free",
        ),
        pytest.param(
            work("b", 0, 4, "b-1", gpus=(0, 1)),
            work("a", 4, 5, "a-1", **UNSAID),
            {ZERO: ["actual-done", "actual-done"], ONE: ["actual-done"]},
            id="free again",
        ),
        pytest.param(
            work("a", 0, 4, "a-1", lot=None, gpus=(1,)),
            work("b", 5, 6, "b-1", **UNSAID),
            {ZERO: [], ONE: ["actual-done", "actual-done"]},
            id="a GPU without its lot",
        ),
    ],
)
def test_what_a_job_does_not_say_is_put_where_it_fits(
    first: Stretch, second: Stretch, busy: dict[str, list[str]]
) -> None:
    assert _busy(_case(8, first, second)) == busy


def test_a_row_stands_in_the_lane_where_its_step_was_worked_on() -> None:
    case = _case(8, work("b", 0, 8, "b-1", RUNNING, gpus=(0,)), work("a", 1, 5, "a-1", **UNSAID))
    rows = {row.id: name for name, lane in _lanes(case).items() for row in lane.rows}
    assert rows == {"a": ONE, "b": ZERO}


def test_a_long_run_conflicts_with_every_other_that_began_meanwhile() -> None:
    case = _case(
        30,
        work("a", 0, 20, "a-1"),
        work("b", 2, 4, "b-1"),
        work("b", 6, 8, "b-2"),
    )
    strip = _lanes(case)[ZERO].strip
    titles = [str(bar.title) for bar in strip if bar.kind == "conflict"]
    assert titles == ["a-1 and b-1 at once", "a-1 and b-2 at once"]


@pytest.mark.parametrize(("people", "conflicts"), [(1, 2), (2, 1), (3, 0)])
def test_people_do_as_much_at_once_as_there_are_people(people: int, conflicts: int) -> None:
    steps = (step("x", "human", 4), step("y", "human", 4), step("z", "human", 4))
    one = _case(9, work("x", 0, 4), work("y", 1, 5), work("z", 2, 6), steps=steps)
    lane = _lanes(replace(one, plan=replace(one.plan, people=people)))["people"]
    found = [str(bar.title) for bar in lane.strip if bar.kind == "conflict"]
    assert len(found) == conflicts
    assert all(
        title in ("X and Y at once", "Y and Z at once", "X and Z at once") for title in found
    )


def test_work_that_the_plan_does_not_know_is_drawn_and_counted() -> None:
    case = _case(
        12,
        work("a", 0, 4, "a-1"),
        work("warm up", 4, 10, "w-1", gpus=(0,)),
        work("a", 10, 12, "a-2", RUNNING),
    )
    lane = _lanes(case)[ZERO]
    row = next(row for row in lane.rows if row.badge == "unplanned")
    assert (row.title, row.planned_s, row.href) == ("warm up", None, "/campaigns/family/runs/w-1")
    assert [(spent.seconds, spent.kind) for spent in row.actual] == [(6 * H, "actual-done")]
    assert lane.actual_s == 12 * H
    assert "idle" not in str(lane.note)
    assert {line.step.id for line in step_lines(case, forecast(case))} == {"a", "b"}


def test_a_window_that_nobody_rented_is_not_called_rented_in_the_legend() -> None:
    rented = _case(0)
    planned = replace(rented, windows=tuple(replace(w, ordered=False) for w in rented.windows))
    for case, kind in ((rented, "window"), (planned, "planned-window")):
        ahead = forecast(case)
        kinds = chart_of(case, step_lines(case, ahead), ahead).kinds
        assert {"window", "planned-window"} & set(kinds) == {kind}
