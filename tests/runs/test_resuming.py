"""What a resume finds, what of the record of its sources is missing, and who told of it."""

from __future__ import annotations

import pytest

from app.plan.rules.model import OnInterruption
from app.runs.pages.words import RANGES, arrival_said
from app.runs.rules.attempts import facts_of
from app.runs.rules.events import STATES
from app.runs.rules.parts import Progress
from app.runs.rules.resuming import lacking, next_act, redone, was_interrupted
from app.runs.rules.sources import SourceView, sources_of, told_by_tracker
from tests.runs.stories import at_once, said, started
from tests.runs.test_viewing import kept, view


def _progress(done: int, before: int) -> Progress:
    return Progress(done, None, 0, None, 0, before)


@pytest.mark.parametrize(
    ("done_before", "progress", "expected"),
    [
        (None, _progress(90, 0), 0), (4012, _progress(9000, 4000), 12),
        (4012, _progress(4005, 4000), 5), (4000, _progress(9000, 4000), 0),
        (100, _progress(120, 110), 0), (4012, None, 0), (50, _progress(80, 0), 50),
    ],
)  # fmt: skip
def test_steps_done_more_than_once(
    done_before: int | None, progress: Progress | None, expected: int
) -> None:
    assert redone(done_before, progress) == expected


def test_a_resumed_run_says_how_many_steps_it_did_again() -> None:
    one = kept(1, [started(), said(2, progress=4012, elapsed_s=9000), said(3, "fail")])
    two = kept(2, [started(progress=4000), said(2, progress=4001), said(3, progress=9000)])
    three = kept(3, [started(progress=8990), said(2, progress=9001)])
    found = view(one, two, three)
    assert [attempt.redone for attempt in found.attempts] == [0, 12, 10]
    assert (found.redone, found.attempts[0].progress) == (22, 4012)


def test_a_first_sign_that_names_step_n_did_the_steps_before_n() -> None:
    one = kept(1, [started(), said(2, progress=100)])
    two = kept(2, [started(), said(2, progress=91), said(3, progress=200)])
    assert view(one, two).redone == 10


@pytest.mark.parametrize(
    ("states", "needed", "sometimes"),
    [
        ((), (), ()),
        (STATES, (), ()),
        (
            ("parameters", "optimizer", "progress"),
            ("random", "data_position"),
            ("scheduler", "scaler"),
        ),
        (
            ("parameters", "scaler"),
            ("optimizer", "random", "data_position", "progress"),
            ("scheduler",),
        ),
    ],
)
def test_what_a_checkpoint_does_not_hold(
    states: tuple[str, ...], needed: tuple[str, ...], sometimes: tuple[str, ...]
) -> None:
    assert lacking(states) == (needed, sometimes)


@pytest.mark.parametrize(
    ("status", "rule", "silent", "expected"),
    [
        ("running", None, False, False), ("running", None, True, True),
        ("planned", None, True, False), ("failed", None, False, True),
        ("stopped", None, False, True), ("stopped", "loss", False, False),
        ("lost", None, False, True), ("completed", None, False, False),
    ],
)  # fmt: skip
def test_what_was_interrupted(status: str, rule: str | None, silent: bool, expected: bool) -> None:
    assert was_interrupted(status, rule, silent=silent) is expected


@pytest.mark.parametrize(
    ("decided", "step_no", "is_saved", "words"),
    [
        (None, None, False, "The plan does not say what follows an interruption."),
        (
            OnInterruption.RESUME,
            1200,
            True,
            "By plan: resume learning from the checkpoint at 1200.",
        ),
        (OnInterruption.RESUME, None, True, "By plan: resume learning from the newest checkpoint."),
        (
            OnInterruption.RESUME,
            None,
            False,
            "By plan: resume learning. No checkpoint was reported, so it starts over.",
        ),
        (OnInterruption.INFERENCE_ONLY, 1200, True, "By plan: only run inference again."),
        (OnInterruption.RESTART, 1200, True, "By plan: start over."),
    ],
)
def test_the_plans_decision_in_words(
    decided: OnInterruption | None, step_no: int | None, is_saved: bool, words: str
) -> None:
    assert str(next_act(decided, step_no, is_saved=is_saved)) == words


def test_the_newest_checkpoint_and_check_over_all_attempts() -> None:
    saved = said(
        2, "checkpoint", path="c/1", states=["parameters"], write_s=1.5, size=10, progress=5
    )
    one = kept(1, [started(), saved, said(3, restore={"passed": True, "steps": 20})])
    two = kept(2, [started(), said(4, restore={"passed": False, "reason": "no file"})])
    found = view(one, two)
    assert found.checkpoint is not None
    assert (found.checkpoint.path, found.checkpoint.write_s, found.checkpoint.size) == (
        "c/1",
        1.5,
        10,
    )
    assert (found.checkpoint.states, found.checkpoint.progress) == (("parameters",), 5)
    assert found.restore is not None
    assert (found.restore.passed, found.restore.reason) == (False, "no file")
    assert found.attempts[0].restore is not None
    assert found.attempts[0].restore.steps == 20


def test_machine_time_and_the_calendar_beside_it() -> None:
    one = kept(1, [started(), said(100, "fail", elapsed_s=90)])
    began = said(10_001, "start", elapsed_s=0, step="control")
    two = kept(2, [began, said(10_061, elapsed_s=60)])
    found = view(one, two, after_s=10_100)
    assert (found.machine_s, found.calendar_s) == (150, 10_060)


def test_what_has_come_of_each_source() -> None:
    story = [*(said(n) for n in range(1, 118)), *(said(n) for n in range(151, 160)), said(201)]
    streams = at_once([*story, said(1, source="wrapper"), said(9, "lost", "person")])
    assert sources_of(streams) == (
        SourceView("wrapper", 1, 1, (), 0),
        SourceView("main", 117, 201, ((118, 150), (160, 200)), 74),
    )
    whole, broken = (arrival_said(one) for one in sources_of(streams))
    assert str(whole) == "all 1 came"
    assert str(broken) == "acknowledged to 117, job says 201 sent; missing 118–150, 160–200"


def test_many_gaps_are_counted() -> None:
    story = [said(n) for n in range(2, 2 * RANGES + 6, 2)]
    (one,) = sources_of(at_once(story))
    assert str(arrival_said(one)) == (
        "acknowledged to 0, job says 14 sent; missing 1, 3, 5, 7, 9 and 2 more ranges"
    )


def test_a_trackers_word_alone() -> None:
    track = started("tracker")
    for story, expected in (
        ([track], True),
        ([track, started()], False),
        ([track, said(2, "finish", "tracker")], True),
        ([track, started(), said(2, "finish", "tracker")], True),
        (
            [track, said(2, "finish", "tracker"), started("wrapper"), said(2, "fail", "wrapper")],
            False,
        ),
        ([started(), said(2, "finish")], False),
    ):
        streams = at_once(story)
        assert told_by_tracker(streams, facts_of(streams)) is expected, story
