"""A run put together from its attempts: the current one, silence, machine time, wrong clocks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from app.runs.rules.events import Stored
from app.runs.rules.times import at_of
from app.runs.rules.viewing import view_run
from app.runs.rules.views import Kept, RunView
from tests.runs.stories import RULES, SHA, T0, at_once, said, started

S = 1_000_000
START = {"config_sha256": SHA, "host": "box-1", "lot": "lot-1", "gpus": [0], "parent": "a-00"}


def kept(number: int, story: Sequence[Stored], **more: Any) -> Kept:
    """An attempt that was heard of when its first event came."""
    created = min(event.received_us for event in story)
    values = {
        "late": False,
        "created_us": created,
        "plan_version": 1,
        "start": START,
        "rules": RULES,
    }
    return Kept(f"{number:032x}", number, streams=at_once(story), **{**values, **more})


def view(*attempts: Kept, after_s: int = 10) -> RunView:
    """The run at a moment after the story began."""
    return view_run("c", "a-01", attempts, at_of(T0 + after_s * S))


def test_a_run_that_reports() -> None:
    found = view(
        kept(1, [started(expect_next_s=60), said(5, progress=3, total=9, metrics={"loss": 0.5})])
    )
    assert (found.status, found.silent, found.stalled, found.attempt) == (
        "running",
        False,
        False,
        1,
    )
    assert (found.progress, found.total, found.step, found.parent) == (3, 9, "control", "a-00")
    assert found.ended_at is None
    (bar,) = found.intervals
    assert (bar.open, bar.lot, bar.gpus, bar.starts_at) == (True, "lot-1", (0,), at_of(T0 + S))


def test_a_silent_run_has_no_end() -> None:
    found = view(kept(1, [started(expect_next_s=60), said(5, elapsed_s=4)]), after_s=5 + 121)
    assert (found.status, found.silent, found.ended_at) == ("running", True, None)
    assert found.last_seen_at == at_of(T0 + 5 * S)
    assert found.silent_since_at == at_of(T0 + 5 * S)
    assert found.intervals[0].open is False
    assert found.intervals[0].ends_at == at_of(T0 + 5 * S)
    assert view(kept(1, [started(expect_next_s=60), said(5)]), after_s=5 + 120).silent is False


def test_a_stalled_run_still_reports() -> None:
    story = [started(expect_next_s=60), said(2, progress=3), said(200, progress=3)]
    found = view(kept(1, story), after_s=210)
    assert (found.silent, found.stalled, found.stalled_since_at) == (False, True, at_of(T0 + 2 * S))
    assert view(kept(1, [*story, said(201, progress=4)]), after_s=210).stalled is False


def test_a_second_attempt_supersedes_the_first() -> None:
    one = kept(1, [started(), said(2, elapsed_s=3600, metrics={"loss": 0.9})])
    two = kept(
        2,
        [
            started(),
            said(2, elapsed_s=7200, metrics={"loss": 0.4}),
            said(3, "finish", elapsed_s=7201),
        ],
    )
    found = view(two, one, after_s=10**6)
    assert (found.status, found.attempt, found.silent) == ("completed", 2, False)
    assert [(a.number, a.status, a.reason_code) for a in found.attempts] == [
        (1, "superseded", "superseded"),
        (2, "completed", None),
    ]
    assert found.machine_s == 3600 + 7201
    (loss,) = found.metrics
    assert (loss.last, loss.low, loss.high) == ("0.4", "0.4", "0.9")


def test_an_attempt_whose_record_came_late_changes_no_status() -> None:
    done = kept(1, [started(), said(2, "finish", elapsed_s=60)])
    late = kept(2, [started(), said(2, elapsed_s=30)], late=True)
    found = view(done, late)
    assert (found.status, found.attempt, found.machine_s) == ("completed", 1, 90)
    assert found.attempts[1].status == "superseded"


def test_events_without_a_start_are_of_no_current_attempt() -> None:
    found = view(kept(1, [started()]), kept(2, [said(2)]))
    assert found.attempt == 1
    assert view(kept(1, [said(2)])).status == "planned"


def test_a_lost_run_ends_with_its_last_sign() -> None:
    lost = said(999, "lost", "person", reason_text="gone")
    found = view(kept(1, [started(), said(2, elapsed_s=50, late_s=60), lost]))
    assert (found.status, found.ended_at, found.attempts[0].ended_by) == (
        "lost",
        at_of(T0 + 51 * S),
        "person",
    )
    assert found.reason_text == "gone"


def test_no_sign_lies_behind_the_moment_it_was_received_at() -> None:
    found = view(kept(1, [started(), said(2, elapsed_s=36_000)]))
    assert found.last_seen_at == at_of(T0 + 2 * S)


def test_an_end_never_lies_before_its_start() -> None:
    found = view(kept(1, [started(), said(2, "finish", "wrapper")]))
    assert found.started_at is not None
    assert found.ended_at is not None
    early = view(kept(1, [said(9, "start", step="control"), said(2, "finish", "wrapper")]))
    assert early.started_at is not None
    assert early.ended_at is not None
    assert early.started_at <= early.ended_at


def test_a_clock_that_is_hours_ahead_draws_nothing_into_the_future() -> None:
    story = [started(late_s=-7200), said(5, "finish", elapsed_s=4, late_s=-7200)]
    found = view(kept(1, story))
    assert found.started_at == at_of(T0 + S) - timedelta(hours=2)
    assert found.ended_at == found.started_at + timedelta(seconds=4)


def test_a_clock_that_was_set_in_between_does_not_stretch_the_run() -> None:
    found = view(kept(1, [started(), said(90_000, "finish", elapsed_s=30)]))
    assert found.ended_at == at_of(T0 + 31 * S)
    assert found.machine_s == 30


def test_rules_show_what_they_have_seen() -> None:
    story = [
        started(),
        said(
            2,
            metrics={"loss": 0.5},
            judged={"loss-not-finite": {"evaluated": 40, "hits": 0, "last": "0.5"}},
        ),
        said(3, metrics={"loss": "nan"}, progress=30),
    ]
    found = view(kept(1, story))
    loss, floor = found.rules
    assert (loss.rule, loss.evaluated, loss.fired, loss.last) == (
        "loss-not-finite",
        40,
        True,
        "0.5",
    )
    assert (floor.rule, floor.evaluated, floor.fired) == ("f1-floor", 0, False)
    assert found.stop_asked is not None
    assert found.stop_asked.rule == "loss-not-finite"
    assert [(fired.rule, fired.value, fired.progress) for fired in found.fired] == [
        ("loss-not-finite", "nan", 30)
    ]


def test_gaps_and_the_seal() -> None:
    found = view(kept(1, [started(), said(5)], plan_version=0))
    assert (found.gaps, found.before_seal) == (3, True)
