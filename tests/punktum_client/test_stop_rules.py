"""Stop rules: what is a hit, what fires, and that nothing fires twice."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punktum.evaluating import InputCount, Observation, RuleState, evaluate, evaluate_all
from punktum.stop_rules import KINDS, StopRule, as_dict, parse_rule, parse_rules, rules_for
from punktum.values import as_number, as_text

LOSS = StopRule("loss-not-finite", "non_finite", "loss")


def seen(value: float | str, step: int | None = None, elapsed_s: int | None = None) -> Observation:
    return Observation({"loss": value}, step, elapsed_s)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, "nan", "NaN", "inf", "-inf", "Infinity", "1e999"]
)
def test_a_value_that_is_not_finite_fires(value: float | str) -> None:
    state, firing = evaluate(LOSS, RuleState(), seen(value))
    assert firing is not None
    assert (firing.rule, firing.metric, firing.act, firing.hits) == (LOSS.id, "loss", "stop", 1)
    assert firing.value in ("nan", "inf", "-inf")
    assert firing.text == f"loss is {firing.value}"
    assert state == RuleState(1, 1, firing.value, True)


@pytest.mark.parametrize("value", [0.0, -1.5, 1e308, "0.31", 3])
def test_a_finite_value_does_not(value: float | str) -> None:
    state, firing = evaluate(LOSS, RuleState(), seen(value))
    assert firing is None
    assert state == RuleState(1, 0, as_text(value))


def test_it_fires_once_per_run() -> None:
    state, _ = evaluate(LOSS, RuleState(), seen(math.nan))
    assert evaluate(LOSS, state, seen(math.nan)) == (state, None)


def test_consecutive_values_are_counted_and_a_good_one_ends_the_row() -> None:
    rule = StopRule("r", "above", "loss", value="2", for_=3)
    state, fired = RuleState(), []
    for number, value in enumerate([3, 3, 1, 3, 3, 3, 3]):
        state, firing = evaluate(rule, state, seen(value))
        fired += [number] if firing else []
    assert fired == [5]
    assert state.evaluated == 6


@pytest.mark.parametrize(
    ("kind", "value", "fires"),
    [
        ("below", 0.41, True),
        ("below", 0.5, False),
        ("below", -math.inf, True),
        ("below", math.inf, False),
        ("above", 0.51, True),
        ("above", 0.5, False),
        ("above", math.inf, True),
    ],
)
def test_thresholds_and_equality(kind: str, value: float, fires: bool) -> None:
    rule = StopRule("r", kind, "loss", value="0.5")
    state, firing = evaluate(rule, RuleState(), seen(value))
    assert (firing is not None) is fires
    assert state.evaluated == 1


def test_nan_is_neither_a_hit_of_a_threshold_nor_the_end_of_a_row() -> None:
    rule = StopRule("r", "below", "loss", value="0.5", for_=2)
    state, _ = evaluate(rule, RuleState(), seen(0.1))
    assert evaluate(rule, state, seen(math.nan)) == (state, None)
    _, firing = evaluate(rule, state, seen(0.2))
    assert firing is not None
    assert firing.text == "loss 0.2 is below 0.5, 2 values in a row"


@pytest.mark.parametrize(
    ("step", "elapsed_s", "judged"),
    [
        (None, None, False),
        (99, 3600, False),
        (100, 3599, False),
        (100, None, False),
        (100, 3600, True),
    ],
)
def test_a_rule_waits_for_its_step_and_hour(
    step: int | None, elapsed_s: int | None, judged: bool
) -> None:
    rule = StopRule("r", "below", "loss", value="1", after_step=100, after_s=3600)
    state, firing = evaluate(rule, RuleState(), seen(0, step, elapsed_s))
    assert (firing is not None) is judged
    assert state.evaluated == int(judged)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in ("non_finite", "below", "above")]
)
def test_kinds_judged_elsewhere_are_carried_as_data(kind: str) -> None:
    rule = parse_rule({"id": "r", "kind": kind, "metric": "loss", "value": "1"})
    assert rule.kind == kind
    assert evaluate(rule, RuleState(), seen(math.nan)) == (RuleState(), None)


def test_a_metric_that_was_not_measured_or_is_no_number_changes_nothing() -> None:
    for observation in (Observation({"f1": math.nan}), Observation({"loss": "good"})):
        assert evaluate(LOSS, RuleState(), observation) == (RuleState(), None)


def test_metrics_are_found_under_the_name_the_job_uses() -> None:
    rule = StopRule("r", "below", "f1", value="0.5")
    observation = Observation({"eval_f1": 0.2}).named({"f1": "eval_f1"})
    _, firing = evaluate(rule, RuleState(), observation)
    assert firing is not None
    assert firing.metric == "f1"
    assert Observation({"f1": 0.2}).named({"f1": "eval_f1"}).number("f1") == 0.2


def test_rules_are_chosen_by_step() -> None:
    everywhere, here = StopRule("a", "custom"), StopRule("b", "custom", steps=("control",))
    assert rules_for([everywhere, here], "control") == (everywhere, here)
    assert rules_for([everywhere, here], "variant") == (everywhere,)
    assert rules_for([everywhere, here], None) == (everywhere,)


def test_the_campaign_files_form_is_read() -> None:
    rule = parse_rule(
        {"id": "low", "kind": "below", "metric": "f1", "value": 0.5, "for": 2, "after_hours": "1.5",
         "steps": ["control"], "act": "warn", "colour": "red"}
    )  # fmt: skip
    assert rule == StopRule("low", "below", "f1", "0.5", 2, "warn", ("control",), None, 5400)


def test_gradient_norm_is_gentle_unless_told_otherwise() -> None:
    gentle = parse_rule({"id": "g", "kind": "non_finite", "metric": "grad_norm"})
    assert (gentle.for_, gentle.act) == (5, "warn")
    strict = parse_rule(
        {"id": "g", "kind": "non_finite", "metric": "grad_norm", "for": 1, "act": "stop"}
    )
    assert (strict.for_, strict.act) == (1, "stop")


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"kind": "below"}, "needs an id"),
        ({"id": "r"}, "r: kind is missing"),
        ({"id": "r", "kind": "non_finite"}, "r: non_finite needs a metric"),
        ({"id": "r", "kind": "below", "metric": "f1"}, "r: below needs a value"),
        ({"id": "r", "kind": "below", "metric": "f1", "value": "nan"}, "not a finite number"),
        ({"id": "r", "kind": "below", "metric": "f1", "value": "high"}, "not a finite number"),
        ({"id": "r", "kind": "custom", "act": "explode"}, "allowed: stop, warn"),
        ({"id": "r", "kind": "custom", "for": 0}, "for is 0"),
        ({"id": "r", "kind": "custom", "for": True}, "for is True"),
        ({"id": "r", "kind": "custom", "after_step": -1}, "after_step is -1"),
        ({"id": "r", "kind": "custom", "after_hours": "soon"}, "after_hours is 'soon'"),
        ({"id": "r", "kind": "custom", "steps": "control"}, "list of step ids"),
    ],
)
def test_a_malformed_rule_is_refused_with_its_name(item: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_rule(item)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.1, "0.1"), (-0.0, "0"), (1e16, "1e+16"), ("NaN", "nan"), ("good", "good")],
)
def test_values_have_one_text(value: float | str, text: str) -> None:
    assert as_text(value) == text


def test_huge_whole_numbers_are_infinite() -> None:
    assert as_number(10**400) == math.inf
    assert as_number(-(10**400)) == -math.inf


rules = st.builds(
    StopRule,
    id=st.sampled_from(["a", "b", "c"]),
    kind=st.sampled_from(["non_finite", "below", "above"]),
    metric=st.sampled_from(["loss", "f1"]),
    value=st.sampled_from(["0.5", "-1", "1e3"]),
    for_=st.integers(1, 4),
    act=st.sampled_from(["stop", "warn"]),
    steps=st.sampled_from([(), ("control",)]),
    after_step=st.none() | st.integers(0, 5),
    after_s=st.none() | st.integers(0, 5),
)
observations = st.builds(
    Observation,
    st.dictionaries(
        st.sampled_from(["loss", "f1"]), st.floats() | st.sampled_from(["nan", "-inf"])
    ),
    st.none() | st.integers(0, 6),
    st.none() | st.integers(0, 6),
)


@given(rules)
def test_the_wire_form_loses_nothing(rule: StopRule) -> None:
    assert parse_rules([as_dict(rule)]) == (rule,)


@given(rules, st.lists(observations, max_size=30))
def test_a_rule_fires_at_most_once_and_only_after_enough_hits(
    rule: StopRule, history: list[Observation]
) -> None:
    state, firings = RuleState(), []
    for observation in history:
        before = state
        state, firing = evaluate(rule, state, observation)
        assert state.evaluated >= before.evaluated
        assert state.hits <= before.hits + 1
        assert state.fired or not before.fired
        firings += [firing] if firing else []
    assert len(firings) == int(state.fired)
    assert all(firing.hits == rule.for_ for firing in firings)
    assert state.fired or state.hits < rule.for_


@given(
    st.lists(rules, max_size=4, unique_by=lambda rule: rule.id), st.lists(observations, max_size=20)
)
def test_rules_are_judged_independently(
    together: list[StopRule], history: list[Observation]
) -> None:
    states: dict[str, RuleState] = {}
    for observation in history:
        states, _ = evaluate_all(together, states, observation)
    for rule in together:
        alone = RuleState()
        for observation in history:
            alone, _ = evaluate(rule, alone, observation)
        assert states.get(rule.id, RuleState()) == alone


def counted(truncated: int, name: str = "invoices") -> Observation:
    return Observation(inputs={name: InputCount(1200, truncated)})


def test_a_cut_input_is_a_hit_beyond_what_may_be() -> None:
    strict = StopRule("whole", "input_truncated")
    lenient = StopRule("nearly", "input_truncated", "invoices", value="5")
    state, firing = evaluate(strict, RuleState(), counted(0))
    assert (state.evaluated, state.last, firing) == (1, "0 of 1200", None)
    _, firing = evaluate(strict, state, counted(1))
    assert firing is not None
    assert (firing.metric, firing.value, firing.text) == (
        "invoices",
        "1",
        "1 of 1200 invoices are truncated",
    )
    assert evaluate(lenient, RuleState(), counted(5))[1] is None
    assert evaluate(lenient, RuleState(), counted(900, "labels"))[0].evaluated == 0
    _, firing = evaluate(lenient, RuleState(), counted(6))
    assert firing is not None
    assert firing.text == "6 of 1200 invoices are truncated, at most 5 may be"


def test_a_rule_about_time_knows_the_limit_of_its_step() -> None:
    rule = StopRule("long", "overtime", limits_s=(("control", 36_000), ("variant-a", 7_200)))
    (held,) = rules_for([rule], "variant-a")
    assert (held.after_s, held.limits_s) == (7_200, (("variant-a", 7_200),))
    assert evaluate(held, RuleState(), Observation(elapsed_s=7_200))[1] is None
    _, firing = evaluate(held, RuleState(), Observation(elapsed_s=7_201))
    assert firing is not None
    assert firing.text == "2 h 1 s is over 2 h"
    (unnamed,) = rules_for([rule], "prepare")
    assert evaluate(unnamed, RuleState(), Observation(elapsed_s=10**6))[0].evaluated == 0


def test_the_last_save_is_judged_only_where_the_instant_is_known() -> None:
    rule = StopRule("save", "overtime", after_s=10**6, saves_by=(("control", 1_000_000),))
    unknown = Observation(elapsed_s=60)
    assert evaluate(rule, RuleState(), unknown)[0].last == "1 min"
    before, after = Observation(elapsed_s=60, now_s=999_940), Observation(now_s=1_000_060)
    assert evaluate(rule, RuleState(), before) == (RuleState(1, 0, "1 min left"), None)
    _, firing = evaluate(rule, RuleState(), after)
    assert firing is not None
    assert firing.text == "past the last save that can still be fetched, by 1 min"


@pytest.mark.parametrize("kind", ["not_better", "no_restore", "silent", "custom"])
def test_what_needs_the_server_is_not_judged_here(kind: str) -> None:
    rule = StopRule("there", kind, "loss", value="0", after_s=1)
    everything = Observation({"loss": "nan"}, 10, 10**6, {"a": InputCount(1, 1)}, 10**9)
    assert evaluate(rule, RuleState(), everything) == (RuleState(), None)


def test_every_field_goes_over_the_wire_and_back() -> None:
    rule = StopRule(
        "all", "overtime", "f1", "0.5", 3, "warn", ("control",), 10, 3_600, "lower",
        (("control", 7_200),), (("control", 1_796_112_000),),
    )  # fmt: skip
    said = as_dict(rule)
    assert said["saves_by"] == {"control": "2026-12-01T08:00:00.000Z"}
    assert parse_rule(json.loads(json.dumps(said))) == rule


@pytest.mark.parametrize(
    "wrong",
    [
        {"limits_s": [1]},
        {"limits_s": {"control": "long"}},
        {"saves_by": {"control": "tomorrow"}},
        {"saves_by": {"control": 7}},
    ],
)
def test_limits_that_cannot_be_read_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="stop rule long"):
        parse_rule({"id": "long", "kind": "overtime", **wrong})
