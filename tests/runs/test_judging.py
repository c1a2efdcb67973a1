"""Stop rules on the server: rows of hits, gaps, and the client's own word."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.runs.rules.events import Stored
from app.runs.rules.judging import Context
from app.runs.rules.streams import fold
from punktum.stop_rules import StopRule
from tests.runs.stories import CONTEXT, LOSS, said

THREE = StopRule("norm", "non_finite", "grad_norm", for_=3, act="warn")


def _values(*values: float | str | None) -> list[Stored]:
    return [
        said(
            seq,
            metrics={} if value is None else {"grad_norm": value},
            elapsed_s=seq,
            progress=seq * 10,
        )
        for seq, value in enumerate(values, start=1)
    ]


def test_a_row_of_hits_fires_once() -> None:
    state = fold(_values("nan", "inf", None, "nan", "nan"), Context((THREE,)))
    (fired,) = state.firings
    assert (fired.seq, fired.value, fired.act, fired.step_no, fired.elapsed_s) == (
        4,
        "nan",
        "warn",
        40,
        4,
    )
    assert (fired.confirmed, fired.on_box) == (True, False)
    assert state.judged.states["norm"].evaluated == 3


def test_a_finite_value_ends_a_row() -> None:
    assert fold(_values("nan", "nan", 1.0, "nan", "nan"), Context((THREE,))).firings == ()


def test_a_gap_ends_a_row() -> None:
    story = _values("nan", "nan", "nan", "nan")
    with_gap = [story[0], story[1], story[3]]
    assert fold(with_gap, Context((THREE,))).firings == ()
    assert fold(story, Context((THREE,))).firings[0].seq == 3


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([1.0, "nan", None]), min_size=1, max_size=14),
    st.sets(st.integers(0, 13)),
)
def test_late_evidence_never_takes_a_firing_back(values: list[Any], gone: set[int]) -> None:
    story = _values(*values)
    some = [event for at, event in enumerate(story) if at not in gone]
    before, now = (fold(part, Context((THREE,))).firings for part in (some, story))
    for fired in before:
        assert now
        assert now[0].seq <= fired.seq


def test_the_clients_word_and_ours_are_one_firing() -> None:
    said_by_client = {
        "rule": "loss-not-finite",
        "metric": "loss",
        "value": "nan",
        "act": "stop",
        "text": "loss is nan",
    }
    state = fold([said(1, metrics={"loss": "nan"}), said(2, fired=[said_by_client])], CONTEXT)
    (fired,) = state.firings
    assert (fired.seq, fired.on_box, fired.confirmed, fired.text) == (1, True, True, "loss is nan")


def test_a_rule_that_only_the_client_saw_counts() -> None:
    context = Context((StopRule("mine", "custom"),))
    state = fold([said(1, fired=[{"rule": "mine", "text": "my own check"}])], context)
    (fired,) = state.firings
    assert (fired.rule, fired.act, fired.on_box, fired.confirmed) == ("mine", "stop", True, False)


def test_a_rule_that_the_plan_does_not_have_only_warns() -> None:
    said_by_client = {"rule": "made-up", "act": "stop", "text": "out of thin air"}
    (fired,) = fold([said(1, fired=[said_by_client])], CONTEXT).firings
    assert (fired.rule, fired.act, fired.on_box) == ("made-up", "warn", True)


def test_the_act_of_a_known_rule_is_the_plans() -> None:
    warn = StopRule("mine", "custom", act="warn")
    (fired,) = fold([said(1, fired=[{"rule": "mine"}])], Context((warn,))).firings
    assert fired.act == "warn"


def test_our_names_of_metrics_are_judged() -> None:
    floor = StopRule("floor", "below", "f1", value="0.5")
    (fired,) = fold(
        [said(1, metrics={"eval_f1": "0.4"})], Context((floor,), {"f1": "eval_f1"})
    ).firings
    assert (fired.metric, fired.value) == ("f1", "0.4")


def test_what_the_client_judged_is_kept() -> None:
    state = fold(
        [said(1, judged={"loss-not-finite": {"evaluated": 120, "hits": 0, "last": "0.3"}})], CONTEXT
    )
    assert state.judged.told["loss-not-finite"].evaluated == 120
    assert LOSS.id not in state.judged.states


def test_an_end_says_its_values_again_and_is_not_judged_twice() -> None:
    story = [*_values("nan", "nan"), said(3, "finish", metrics={"grad_norm": "nan", "loss": "nan"})]
    state = fold(story, Context((THREE, LOSS)))
    assert [fired.rule for fired in state.firings] == ["loss-not-finite"]
    assert state.judged.states["norm"].evaluated == 2
