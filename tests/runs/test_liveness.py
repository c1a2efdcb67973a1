"""Silent and stalled: due times by our clock, whatever the order of arrival."""

from __future__ import annotations

from app.runs.rules.liveness import GRACE_S, UNSAID_S, due_us, stall_due_us
from tests.runs.stories import T0, arrive, at_once, said, started

S = 1_000_000


def test_the_next_sign_is_due_after_its_promise_and_grace() -> None:
    streams = at_once([started(expect_next_s=60), said(2, late_s=5)])
    assert due_us(streams) == T0 + (2 + 5 + 60 + GRACE_S) * S


def test_without_a_promise_one_is_assumed() -> None:
    assert due_us(at_once([started()])) == T0 + (1 + UNSAID_S + GRACE_S) * S


def test_without_a_sign_of_the_job_nothing_is_due() -> None:
    assert due_us({}) is None
    assert due_us(at_once([said(1, "ask", "person")])) is None


def test_the_source_that_promised_longest_counts() -> None:
    story = [started("wrapper", expect_next_s=90), said(1, expect_next_s=600)]
    wanted = T0 + (1 + 600 + GRACE_S) * S
    assert due_us(arrive(story)) == due_us(arrive(story[::-1])) == wanted


def test_progress_is_due_as_signs_are() -> None:
    streams = at_once([started(expect_next_s=60), said(2, progress=5), said(90, progress=5)])
    assert stall_due_us(streams) == T0 + (2 + 60 + GRACE_S) * S


def test_a_pause_may_last_twice_as_long_as_the_longest_before() -> None:
    story = [
        started(expect_next_s=60),
        said(2, progress=1, elapsed_s=0),
        said(3, progress=2, elapsed_s=600),
    ]
    assert stall_due_us(at_once(story)) == T0 + (3 + 1200) * S


def test_work_that_is_done_or_not_counted_is_never_stalled() -> None:
    assert stall_due_us(at_once([started()])) is None
    assert stall_due_us(at_once([said(1, progress=10, total=10)])) is None
