"""People's time: spans that stand, and those that cannot be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.runs.rules.spans import SpanView, TimeEntry, open_span, refuse_span, refuse_stop, spans
from app.runs.rules.steps import StepState, step_state

NOW = datetime(2026, 12, 1, 14, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def _entry(
    number: int, act: str, span: int, start: int, end: int | None, note: str = ""
) -> TimeEntry:
    ended = None if end is None else NOW - end * HOUR
    return TimeEntry(number, act, span, "prepare", NOW - start * HOUR, ended, "local", note)


def _span(start: int, end: int | None) -> SpanView:
    return SpanView(
        "span-1",
        "prepare",
        NOW - start * HOUR,
        None if end is None else NOW - end * HOUR,
        "local",
        "",
        1,
    )


def test_a_span_is_started_and_stopped() -> None:
    (going,) = spans([_entry(4, "start", 4, 5, None, "data")])
    assert (going.id, going.ended_at, going.note) == ("span-4", None, "data")
    (done,) = spans([_entry(6, "stop", 4, 5, 2), _entry(4, "start", 4, 5, None, "data")])
    assert (done.number, done.ended_at, done.note) == (4, NOW - 2 * HOUR, "data")


def test_a_withdrawn_span_is_gone() -> None:
    assert spans([_entry(4, "span", 4, 5, 3), _entry(5, "withdraw", 4, 5, 3)]) == ()


def test_spans_come_by_their_beginning() -> None:
    found = spans([_entry(4, "span", 4, 2, 1), _entry(5, "span", 5, 9, 8)])
    assert [span.number for span in found] == [5, 4]
    assert open_span(found, "prepare") is None


@pytest.mark.parametrize(
    ("start", "end", "field"),
    [
        (-1, None, "started_at"),
        (5, -1, "ended_at"),
        (2, 3, "ended_at"),
        (2, 2, "ended_at"),
        (24 * 40, 1, "ended_at"),
    ],
)
def test_times_that_cannot_be(start: int, end: int | None, field: str) -> None:
    ended = None if end is None else NOW - end * HOUR
    refused = refuse_span([], "prepare", NOW - start * HOUR, ended, NOW)
    assert refused is not None
    assert refused[0] == field


@pytest.mark.parametrize(
    ("start", "end", "fits"), [(9, 6, True), (5, 3, False), (4, None, False), (3, 1, True)]
)
def test_time_on_one_step_does_not_overlap(start: int, end: int | None, fits: bool) -> None:
    ended = None if end is None else NOW - end * HOUR
    assert (refuse_span([_span(6, 3)], "prepare", NOW - start * HOUR, ended, NOW) is None) is fits
    assert refuse_span([_span(6, 3)], "install", NOW - start * HOUR, ended, NOW) is None


def test_a_span_that_goes_on_blocks_what_comes_after_it() -> None:
    assert refuse_span([_span(6, None)], "prepare", NOW - 2 * HOUR, NOW - HOUR, NOW) is not None
    assert refuse_stop(_span(6, None), NOW, NOW) is None
    assert refuse_stop(_span(6, None), NOW - 7 * HOUR, NOW) is not None


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({}, "not_started"),
        ({"closed": True}, "never_started"),
        ({"dropped": True}, "dropped"),
        ({"dropped": True, "closed": True}, "dropped"),
        ({"dropped": True, "runs": ["running"]}, "running"),
        ({"runs": ["planned"]}, "not_started"),
        ({"runs": ["running"]}, "running"),
        ({"runs": ["stopped"]}, "stopped"),
        ({"runs": ["failed", "lost"]}, "stopped"),
        ({"runs": ["stopped", "completed"]}, "done"),
        ({"runs": ["completed", "running"]}, "running"),
        ({"spans": 1}, "done"),
        ({"spans": 2, "open_spans": 1}, "running"),
        ({"decided": True}, "done"),
        ({"decided": True, "conflict": True}, "conflict"),
    ],
)
def test_where_a_step_stands(facts: dict[str, Any], state: str) -> None:
    assert step_state(**facts) is StepState(state)
