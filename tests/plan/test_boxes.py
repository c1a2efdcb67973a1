"""Boxes of windows: one scale, nothing beyond the drawing, the overrun outside the window."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.plan.rules.boxes import boxes

SPANS = st.lists(
    st.none() | st.tuples(st.integers(60, 50_000), st.integers(-600, 20_000)), max_size=12
)


def test_a_plan_that_exceeds_lies_partly_outside() -> None:
    short, week = boxes([(72 * 60, 78 * 60), (168 * 60, 78 * 60)])
    assert short is not None
    assert week is not None
    assert (short.cut, week.cut) == (False, True)
    assert week.window == 100
    assert week.over == 0
    assert short.inside == short.window
    assert round(short.inside + short.over, 1) == round(week.inside, 1)


def test_a_window_as_long_as_the_plan_is_full() -> None:
    (box,) = boxes([(600, 600)])
    assert box is not None
    assert (box.window, box.inside, box.over, box.cut) == (100, 100, 0, False)


@given(SPANS)
def test_everything_stays_inside_the_drawing(spans: list[tuple[int, int] | None]) -> None:
    found = boxes(spans)
    assert len(found) == len(spans)
    for span, box in zip(spans, found, strict=True):
        assert (box is None) == (span is None)
        if box is not None:
            assert 0 <= box.inside <= box.window <= 100
            assert 0 <= box.inside + box.over <= 100.02
