"""The fold of a run's events: the same set gives the same state, whatever came first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.runs.rules.attempts import facts_of
from app.runs.rules.events import Kind, Status, Stored
from app.runs.rules.records import read_streams, streams_text
from app.runs.rules.streams import EMPTY, fold, step
from tests.runs.stories import CONTEXT, arrive, at_once, facts, said, shuffled, started

STORY = [
    started("wrapper", expect_next_s=90),
    said(2, source="wrapper", elapsed_s=60),
    said(3, source="wrapper", elapsed_s=120, note="terminal gone, the run continues"),
    said(4, "stop", "wrapper", elapsed_s=190, reason_code="infra", signal=15),
    said(1, elapsed_s=30, progress=10, total=100, metrics={"loss": 0.9, "eval_f1": 0.4}),
    said(2, elapsed_s=60, progress=20, metrics={"loss": 0.7, "eval_f1": 0.45}),
    said(3, elapsed_s=90, progress=20, metrics={"loss": 0.6, "eval_f1": 0.41}),
    said(
        4, "checkpoint", elapsed_s=95, path="ckpt/1", size=4096, states=["parameters", "optimizer"]
    ),
    said(
        5,
        elapsed_s=150,
        progress=30,
        metrics={"loss": "nan"},
        judged={"loss-not-finite": {"evaluated": 9}},
    ),
    said(6, elapsed_s=180, fired=[{"rule": "loss-not-finite", "metric": "loss", "value": "nan"}]),
    said(7, elapsed_s=185, metrics={"loss": 0.5}),
]


@pytest.mark.parametrize("batch", range(20))
def test_thousands_of_permutations_converge(batch: int) -> None:
    wanted = at_once(STORY)
    for seed in range(batch * 250, (batch + 1) * 250):
        assert arrive(shuffled(STORY, seed)) == wanted


@st.composite
def events(draw: st.DrawFn) -> list[Stored]:
    """Any events of two sources, ends in the middle included."""
    found = []
    for source in ("wrapper", "main"):
        for seq in sorted(draw(st.sets(st.integers(1, 12), max_size=9))):
            kind = draw(
                st.sampled_from(["start", "beat", "beat", "checkpoint", "stop", "fail", "finish"])
            )
            fields = draw(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "elapsed_s": st.integers(0, 500),
                        "progress": st.integers(0, 5),
                        "total": st.integers(0, 5),
                        "expect_next_s": st.integers(1, 900),
                        "step": st.sampled_from(["control", "a"]),
                        "metrics": st.fixed_dictionaries(
                            {},
                            optional={
                                "loss": st.sampled_from([1.0, "nan"]),
                                "f1": st.sampled_from([0.1, 0.9]),
                            },
                        ),
                        "fired": st.just([{"rule": "loss-not-finite", "act": "stop"}]),
                        "event_id": st.sampled_from(["x", "y"]),
                    },
                )
            )
            late = draw(st.integers(0, 3))
            found.append(said(seq, kind, source, late_s=late, **fields))
    return found


@settings(max_examples=400, deadline=None)
@given(st.data(), events())
def test_any_events_converge(data: st.DataObject, story: list[Stored]) -> None:
    order = data.draw(st.permutations(story + story[:4]))
    wanted = at_once(story)
    assert arrive(order) == wanted
    assert facts_of(arrive(order)) == facts_of(wanted)
    assert read_streams(streams_text(wanted)) == wanted
    assert streams_text(arrive(order)) == streams_text(wanted)


def test_an_earlier_number_takes_no_step() -> None:
    state = fold([said(3)], CONTEXT)
    with pytest.raises(ValueError, match="anew"):
        step(state, said(2), CONTEXT)


def test_what_comes_after_an_end_is_late_evidence() -> None:
    ended = fold([started(), said(2, "finish", metrics={"f1": 0.81})], CONTEXT)
    late = step(ended, said(3, metrics={"loss": "nan", "f1": 0.2}, progress=9), CONTEXT)
    assert late.late == 1
    assert late.numbers.size == 3
    assert (late.end, late.metrics, late.firings) == (ended.end, ended.metrics, ())
    assert facts([started(), said(2, "finish"), said(3, "fail")]).status is Status.COMPLETED


def test_progress_remembers_its_longest_pause() -> None:
    state = fold(
        [
            said(1, progress=1, elapsed_s=0),
            said(2, progress=1, elapsed_s=100),
            said(3, progress=2, elapsed_s=400),
            said(4, progress=3, elapsed_s=430, total=10),
        ],
        CONTEXT,
    )
    assert state.progress is not None
    assert (state.progress.done, state.progress.total, state.progress.longest_s) == (3, 10, 400)
    assert state.progress.since_us == said(4).received_us


def test_metrics_keep_their_texts_and_finite_extremes() -> None:
    state = fold(
        [
            said(1, metrics={"eval_f1": "0.820", "loss": 3}),
            said(2, metrics={"eval_f1": "nan", "loss": "-inf"}),
            said(3, metrics={"eval_f1": 0.79}),
            said(4, "finish", metrics={"eval_f1": "0.810"}),
        ],
        CONTEXT,
    )
    ours = state.metrics["f1"]
    assert (ours.last, ours.low, ours.high, ours.final) == ("0.810", "0.79", "0.820", "0.810")
    assert state.metrics["eval_f1"] == ours
    loss = state.metrics["loss"]
    assert (loss.last, loss.low, loss.high, loss.final) == ("-inf", "3", "3", None)


def test_the_step_is_that_of_the_first_start() -> None:
    assert (
        fold([said(1, step="b"), said(2, "start", step="a"), said(3, step="c")], CONTEXT).step
        == "a"
    )
    assert fold([said(1), said(2, step="b"), said(3, step="c")], CONTEXT).step == "b"


def test_the_empty_state_is_empty() -> None:
    assert fold([], CONTEXT) == EMPTY
    assert facts_of({}).status is Status.PLANNED
    assert Kind.BEAT not in {Kind.START}
