"""Three clocks and their words: must start by, next sign due, longest duration."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from app.runs.rules.clocks import (
    Awaited,
    begin_said,
    longest_s,
    next_sign_at,
    next_sign_said,
    not_begun,
    over_time_said,
)
from app.runs.rules.events import Stored
from app.runs.rules.times import at_of
from app.runs.rules.views import RunView
from punktum.stop_rules import StopRule
from tests.runs.stories import LOSS, T0, said, started
from tests.runs.test_viewing import S, kept, view

BEGAN = at_of(T0)
HOUR = timedelta(hours=1)
TOO_LONG = StopRule("too-long", "overtime", after_s=34_200)


def ran(*rules: StopRule, hours: float, story: Sequence[Stored] = ()) -> RunView:
    """A run of so many hours of machine time."""
    events = [started(), said(2, elapsed_s=round(hours * 3600)), *story]
    return view(kept(1, events, rules=rules))


@pytest.mark.parametrize(
    ("after", "begun", "late"),
    [
        (0, (), ()), (1, (), ("control",)), (9, ("control",), ("variant",)),
        (9, (), ("control", "variant")),
    ],
)  # fmt: skip
def test_a_step_must_start_by_its_planned_start(
    after: int, begun: Sequence[str], late: Sequence[str]
) -> None:
    plan = (Awaited("variant", "Variant", BEGAN + 5 * HOUR), Awaited("control", "Control", BEGAN))
    assert [one.step for one in not_begun(plan, begun, BEGAN + after * HOUR)] == list(late)


def test_must_start_by_in_words() -> None:
    told = begin_said(Awaited("control", "Control", BEGAN), BEGAN + 2 * HOUR)
    assert str(told) == "should have begun by Tue 01 Dec 2026, 08:00 UTC, 2 h ago"


@pytest.mark.parametrize(
    ("after_s", "words"),
    [
        (10, "next sign due"), (61, "next sign due"), (62, "next sign was due"),
        (121, "next sign was due"), (122, "silent for 2 min, since"),
    ],
)  # fmt: skip
def test_the_next_sign_is_due_by_promise_and_silent_after_the_grace(
    after_s: int, words: str
) -> None:
    now = T0 + after_s * S
    found = view(kept(1, [started(expect_next_s=60)]), after_s=after_s)
    assert next_sign_at(found) == at_of(T0 + 61 * S)
    assert str(next_sign_said(found, at_of(now))).startswith(words)
    assert found.silent is (after_s > 121)


def test_what_has_ended_promises_nothing() -> None:
    done = view(kept(1, [started(expect_next_s=60), said(2, "finish")]))
    assert (next_sign_at(done), next_sign_said(done, BEGAN)) == (None, None)


def test_a_planned_run_promises_too() -> None:
    assert next_sign_at(view(kept(1, [said(2, expect_next_s=30)]))) == at_of(T0 + 32 * S)


@pytest.mark.parametrize(
    ("rules", "p90_s", "longest"),
    [
        ((), None, None), ((LOSS,), 39_600, 39_600), ((TOO_LONG,), None, 34_200),
        ((TOO_LONG,), 39_600, 34_200),
        ((TOO_LONG, StopRule("short", "overtime", after_s=60)), None, 60),
        ((StopRule("none", "overtime"),), 39_600, 39_600),
    ],
)  # fmt: skip
def test_how_long_it_may_last(
    rules: tuple[StopRule, ...], p90_s: int | None, longest: int | None
) -> None:
    assert longest_s(ran(*rules, hours=1), p90_s) == longest


def test_over_its_time_in_words() -> None:
    assert over_time_said(ran(TOO_LONG, hours=9.5), None) is None
    told = over_time_said(ran(TOO_LONG, hours=10), None)
    assert told is not None
    values = {name: str(value) for name, value in told.values.items()}
    assert told.msgid == "over its time: {spent} of at most {longest}"
    assert values == {
        "spent": "Duration(seconds=36000)",
        "longest": "Duration(seconds=34200)",
    }
    ended = ran(TOO_LONG, hours=10, story=[said(3, "finish")])
    assert over_time_said(ended, None) is None
