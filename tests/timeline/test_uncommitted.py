"""What of the rented time is free: what is gone or may be needed is never called free."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.timeline.rules.axis import scale_of
from app.timeline.rules.chart import chart_of
from app.timeline.rules.drawing import Chart
from app.timeline.rules.facts import RUNNING, Facts
from app.timeline.rules.forecast import forecast
from app.timeline.rules.lines import step_lines
from tests.timeline.cases import FAMILY, H, facts, middle, work

ALL_DONE = [work(one.id, n, n + 1, f"r-{n}") for n, one in enumerate(FAMILY)]
LATE = [work("prepare", 0, 20), work("install", 20, 50, "i-1", RUNNING)]
WORKED_ON = [work("a", 60, 90, "a-1", RUNNING)]


def _drawn(case: Facts) -> tuple[Chart, dict[str, tuple[float, float]]]:
    """The chart, and where its bands of the plan's free time lie, in hours of the plan."""
    ahead = forecast(case)
    lines = step_lines(case, ahead)
    chart, scale = chart_of(case, lines, ahead), scale_of(case, lines, ahead)
    span = (scale.last_s - scale.first_s) / 100 / H
    first = scale.first_s / H
    return chart, {
        band.kind: (first + band.x * span, first + (band.x + band.width) * span)
        for band in chart.backdrops[0].bands
        if band.kind in ("gone", "eaten", "uncommitted")
    }


@pytest.mark.parametrize(
    ("case", "bands"),
    [
        pytest.param(facts(-1), {"uncommitted": (48, 72)}, id="before it began"),
        pytest.param(
            middle(), {"eaten": (48, 53.6), "uncommitted": (53.6, 72)}, id="used by the forecast"
        ),
        pytest.param(
            replace(middle(), closed_at=middle().instant(61 * H)),
            {"gone": (48, 61), "uncommitted": (61, 72)},
            id="closed",
        ),
        pytest.param(facts(20, ALL_DONE), {"uncommitted": (48, 72)}, id="all is done"),
        pytest.param(facts(90, WORKED_ON), {"gone": (48, 72)}, id="the lot is over, work is left"),
    ],
)
def test_each_part_of_the_free_time_is_called_what_it_is(
    case: Facts, bands: dict[str, tuple[float, float]]
) -> None:
    chart, drawn = _drawn(case)
    assert set(drawn) == set(bands)
    for kind, span in bands.items():
        assert drawn[kind] == pytest.approx(span, abs=0.1)
    assert {"gone", "eaten", "uncommitted"} & set(chart.kinds) == set(bands)
    free = bands.get("uncommitted")
    if free is None or free[1] - free[0] < 14:
        return
    assert chart.axis.free is not None
    assert chart.axis.free.label.values["spare"].seconds == pytest.approx((free[1] - free[0]) * H)  # type: ignore[attr-defined]


def test_what_cannot_be_placed_leaves_nothing_that_is_called_free() -> None:
    chart, drawn = _drawn(facts(90, WORKED_ON))
    assert chart.axis.free is None
    assert "uncommitted" not in drawn
    _, late = _drawn(facts(50, LATE))
    assert "uncommitted" not in late
