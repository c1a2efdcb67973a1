"""Why a rule fired and why an attempt ended: what our own code wrote is said from its facts, and
what a job or a person wrote stays as it came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.language import reader
from app.runs.rules.deadlines import Standing, judge_by_clock
from app.runs.rules.endings import ending_said, restore_said
from app.runs.rules.reasons import fired_said, seen_said
from punktum.comparing import compare
from punktum.death import INT, KILL, TERM, ending_of_exception, ending_of_process
from punktum.evaluating import InputCount, Observation, RuleState, evaluate
from punktum.stop_rules import KINDS, StopRule
from tests.runs.stories import T0, arrive, said, started

HOUR_S = 3600
say = reader("en").say
AS_WRITTEN = "{said}"
OF_THE_JOB = StopRule("r", "custom")


def by_observation(rule: StopRule, **seen: Any) -> tuple[str | None, str | None, str]:
    """Metric, value and text of the firing that one observation, as often as it takes, leads to."""
    state, firing = RuleState(), None
    for _ in range(rule.for_):
        state, firing = evaluate(rule, state, Observation(**seen))
    assert firing is not None
    return firing.metric, firing.value, firing.text


def by_clock(rule: StopRule, hours: float, *story: Any, **known: Any) -> tuple[Any, Any, str]:
    """The same of the clock, so many hours after the run began."""
    streams = arrive([started(), *story])
    now_us = T0 + round(hours * HOUR_S) * 1_000_000
    (found,) = judge_by_clock([rule], Standing(streams, T0, now_us, **known))
    assert found.text is not None
    return found.metric, found.value, found.text


LOSS = {"loss": 0.5}
SAVES = (("control", T0 // 1_000_000),)
INPUTS = {"pages": InputCount(1200, 12)}
OVER = StopRule("r", "overtime", after_s=2 * HOUR_S)
SAVE = StopRule("r", "overtime", saves_by=SAVES)
FIRINGS: Mapping[str, tuple[StopRule, tuple[Any, Any, str]]] = {
    "loss is nan": (
        rule := StopRule("r", "non_finite", "loss"),
        by_observation(rule, metrics={"loss": "nan"}),
    ),
    "loss is inf, 5 values in a row": (
        rule := StopRule("r", "non_finite", "loss", for_=5),
        by_observation(rule, metrics={"loss": "inf"}),
    ),
    "loss 0.5 is below 0.6": (
        rule := StopRule("r", "below", "loss", value="0.6"),
        by_observation(rule, metrics=LOSS),
    ),
    "loss 0.5 is above 0.4, 3 values in a row": (
        rule := StopRule("r", "above", "loss", value="0.4", for_=3),
        by_observation(rule, metrics=LOSS),
    ),
    "pages: 12 of 1,200 cut short": (
        rule := StopRule("r", "input_truncated"),
        by_observation(rule, inputs=INPUTS),
    ),
    "pages: 12 of 1,200 cut short, at most 5 may be": (
        rule := StopRule("r", "input_truncated", value="5"),
        by_observation(rule, inputs=INPUTS),
    ),
    "it took 2 h 30 min, longer than 2 h": (
        OVER,
        by_observation(OVER, elapsed_s=9000),
    ),
    "it took 2 h 59 min, longer than 2 h": (
        OVER,
        by_clock(OVER, 3, said(2, expect_next_s=86_400)),
    ),
    "past the last save that can still be fetched, by 10 min": (
        SAVE,
        by_observation(SAVE.for_step("control"), now_s=SAVES[0][1] + 600),
    ),
    "past the last save that can still be fetched, by 1 h": (
        SAVE,
        by_clock(SAVE.for_step("control"), 1),
    ),
    "no restore check had passed after 2 h": (
        rule := StopRule("r", "no_restore", after_s=2 * HOUR_S),
        by_clock(rule, 3),
    ),
    "no sign of life for 1 h 59 min": (
        rule := StopRule("r", "silent", after_s=HOUR_S),
        by_clock(rule, 2),
    ),
    "no progress for 1 h 59 min": (
        rule := StopRule("r", "silent", after_s=HOUR_S),
        by_clock(rule, 2, said(2, progress=3), said(7000)),
    ),
    "not better than the control: loss 0.5, the control's 0.4": (
        rule := StopRule("r", "not_better", "loss", after_s=HOUR_S, better="lower"),
        by_clock(rule, 2, said(2, metrics=LOSS), control={"loss": "0.4"}),
    ),
}


@pytest.mark.parametrize("sentence", FIRINGS)
def test_what_our_code_wrote_is_said_from_its_facts(sentence: str) -> None:
    rule, (metric, value, written) = FIRINGS[sentence]
    found = fired_said([rule], "r", metric, value, written)
    assert say(found) == sentence
    assert found.msgid != AS_WRITTEN


def test_every_kind_but_the_jobs_own_is_tried() -> None:
    assert {rule.kind for rule, _ in FIRINGS.values()} == set(KINDS) - {"custom"}


@pytest.mark.parametrize("sentence", FIRINGS)
def test_a_jobs_own_words_stand_behind_what_the_facts_say(sentence: str) -> None:
    rule, (metric, value, written) = FIRINGS[sentence]
    shown = say(fired_said([rule], "r", metric, value, "smells funny"))
    assert "smells funny" in shown
    assert say(fired_said([OF_THE_JOB], "r", metric, value, written)) == written
    assert say(fired_said([], "r", metric, value, written)) == written


def test_without_words_the_facts_alone_say_why() -> None:
    below = StopRule("r", "below", "loss", value="0.6")
    quiet = StopRule("r", "silent", after_s=2 * HOUR_S)
    assert say(fired_said([below], "r", "loss", "0.5", "r")) == "loss 0.5 is below 0.6"
    assert say(fired_said([OVER], "r", None, None, "")) == "it took longer than 2 h"
    assert say(fired_said([quiet], "r", None, None, "mine")) == (
        "no sign of life or no progress for longer than 2 h (“mine”)"
    )
    assert say(fired_said([below], "r", None, None, "r")) == "r"
    assert say(fired_said([below], "r", None, None, "mine")) == "mine"


@pytest.mark.parametrize(
    ("kind", "seen", "shown"),
    [
        ("overtime", "1 h 2 min", "1 h 2 min"),
        ("overtime", "5 min past", "5 min past the last save"),
        ("overtime", "5 min left", "5 min left for the last save"),
        ("silent", "2 h", "2 h"),
        ("no_restore", "none passed", "none passed"),
        ("input_truncated", "12 of 1200", "12 of 1,200"),
        ("below", "1 h", "1 h"),
        (None, "5 min past", "5 min past"),
    ],
)
def test_what_a_rule_saw(kind: str | None, seen: str, shown: str) -> None:
    assert say(seen_said(kind, seen)) == shown


ENDS = {
    "killed": (ending_of_process(-KILL), None),
    "out of memory": (
        ending_of_process(-KILL, memory_kills=2),
        "out of memory, the kernel counted 2",
    ),
    "by a shell": (ending_of_process(128 + TERM), None),
    "left in time": (ending_of_process(0, forwarded=(TERM,)), "interrupted, ended cleanly"),
    "left with a code": (ending_of_process(3, forwarded=(INT,)), "interrupted"),
    "a code": (ending_of_process(3), None),
    "a last line": (ending_of_process(3, last_line="ValueError: no"), "ValueError: no"),
    "raised": (ending_of_exception(ValueError("no"), None), "ValueError: no"),
    "ctrl-c": (ending_of_exception(KeyboardInterrupt(), None), None),
    "sys.exit": (ending_of_exception(SystemExit("no disk"), None), "no disk"),
    "done": (ending_of_process(0), None),
}


@pytest.mark.parametrize("end", ENDS)
def test_an_end_says_what_its_code_and_signal_do_not(end: str) -> None:
    ending, words = ENDS[end]
    found = ending_said(ending.reason_text, exit_code=ending.exit_code, signal=ending.signal)
    assert (None if found is None else say(found)) == words


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("signal 15", "signal 15"), ("exit 3: ValueError: no", "exit code 3: ValueError: no"),
        ("exit 3", "exit code 3"), ("not started: no disk", "not started: no disk"),
        ("not started (--strict): no disk", "not started: no disk"),
        ("the tracker was told: KILLED", "the tracker was told: KILLED"),
        ("signal 15 of the host", "signal 15 of the host"), ("", None), (None, None),
    ],
)  # fmt: skip
def test_words_of_an_end_without_its_code(written: str | None, shown: str | None) -> None:
    found = ending_said(written)
    assert (None if found is None else say(found)) == shown


@pytest.mark.parametrize(
    ("saved", "resumed", "shown"),
    [
        ([4, 3, 2, 1], [2, 7], "loss differs at step 2 after the checkpoint: 1 expected, 7 found"),
        (
            [4, 3, 2, 1],
            [4, 3],
            "loss differs at step 1 after the checkpoint: 2 expected, 4 found; "
            "these are the values of the first steps: nothing was loaded",
        ),
        ([4], [4, 3], "--save reported 1 of 2 values of loss"),
        (
            [4, 3, 2, 1],
            [4, 3, 2],
            "--resume reported 3 values of loss in place of 2: it does not go on from the "
            "checkpoint",
        ),
    ],
)
def test_why_a_restore_check_failed(saved: list[float], resumed: list[float], shown: str) -> None:
    found = compare(saved, resumed, name="loss", steps=2, tolerance=1e-6)
    assert found.reason is not None
    said_so = restore_said(found.reason)
    assert (say(said_so), said_so.msgid == AS_WRITTEN) == (shown, False)
    assert restore_said("no such folder").msgid == AS_WRITTEN
