"""What a plan is refused for as a whole, and what it is merely warned of."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from app.plan.rules.checks import malformed, unsealable, warnings
from app.plan.rules.model import (
    Check,
    CheckKind,
    Corpus,
    DecisionPoint,
    DecisionRule,
    Deliverable,
    DeliverableKind,
    Parts,
    Plan,
    PlannedLot,
    PlannedStopRule,
    Role,
    Step,
    StepClass,
    StepKind,
)
from tests.plan.drafts import sample
from tests.plan.generated import plans

FULL = Parts(load_s=60, train_s=3600, long_inputs_s=0, validate_s=60, write_s=60)


def step(name: str, kind: str = "machine", klass: str = "essential", **said: Any) -> Step:
    """A step with an estimate, and one GPU where it is a machine step."""
    values = {
        "title": name,
        "gpus": int(kind == "machine"),
        **({} if "parts" in said else {"p50_s": 3600}),
        **said,
    }
    return Step(name, kind=StepKind(kind), klass=StepClass(klass), **values)


RULE = DecisionRule("f1", "higher", "final", "Ship.", "Keep.", threshold=Decimal("0.82"))
WHOLE = Plan(
    id="whole",
    question="Ship?",
    zone="UTC",
    currency="USD",
    decision_rule=RULE,
    corpora=(Corpus("eval", sha256="0" * 64, ids=("a", "b")),),
    lots=(PlannedLot("lot-1", offer="iteragpu/rtx-4090/3d"),),
    steps=(
        step("data", "human", role=Role.DATA_CHECK),
        step("pilot", parts=FULL, role=Role.PILOT),
        step("restore", parts=FULL, role=Role.RESTORE_CHECK, after=("pilot",)),
        step("decide", "decision_point", after=("restore", "data")),
        step("control", parts=FULL, role=Role.CONTROL, after=("decide",)),
        step("rank-16", parts=FULL, role=Role.VARIANT, after=("decide",), isolates="rank"),
        step("retrieve", "transfer", role=Role.RETRIEVAL, follows=("*",)),
    ),
    decision_points=(DecisionPoint("decide", "continue if pilot passed; else wait"),),
    stop_rules=(PlannedStopRule("nan", "non_finite", "loss"),),
    deliverables=(
        Deliverable(
            "predictions",
            "Predictions",
            DeliverableKind.PREDICTIONS,
            unit=True,
            checks=(Check(CheckKind.EXPECTED_IDS, corpus="eval", file="ids.csv"),),
        ),
    ),
)


def with_step(name: str, **said: Any) -> Plan:
    """The whole plan with something else said of one step."""
    assert any(one.id == name for one in WHOLE.steps)
    steps = (replace(one, **said) if one.id == name else one for one in WHOLE.steps)
    return replace(WHOLE, steps=tuple(steps))


def with_check(check: Check) -> Plan:
    """The whole plan with this as the only check."""
    (deliverable,) = WHOLE.deliverables
    return replace(WHOLE, deliverables=(replace(deliverable, checks=(check,)),))


def test_a_whole_plan_has_nothing_to_refuse_and_nothing_to_warn_of() -> None:
    assert unsealable(WHOLE) == ()
    assert warnings(WHOLE) == ()


@given(plans())
def test_generated_plans_are_sound(made: Plan) -> None:
    assert malformed(made) == ()
    assert all(str(warning) for warning in warnings(made))


MALFORMED: list[tuple[Plan, str, str]] = [
    (with_step("control", after=("decde",)), "steps[4].after[0]", "did you mean “decide”?"),
    (with_step("control", follows=("pilots",)), "steps[4].follows[0]", "did you mean “pilot”?"),
    (
        with_step("rank-16", needed_if="rank-8 does not pass"),
        "steps[5].needed_if",
        "did you mean “rank-16”?",
    ),
    (with_step("rank-16", needed_if="maybe"), "steps[5].needed_if", "It ends where"),
    (with_step("control", gpus=0), "steps[4].gpus", "write gpus = 1 or more"),
    (with_step("data", gpus=1), "steps[0].gpus", "human and takes no GPU"),
    (with_step("decide", gpus=1), "steps[3].gpus", "decision_point and takes no GPU"),
    (with_step("retrieve", gpus=1), "steps[6].gpus", "transfer and takes no GPU"),
    (with_step("control", p50_s=3600), "steps[4].p50", "both p50 and parts"),
    (with_step("data", p90_s=3599), "steps[0].p90", "less than the estimate of 1 h"),
    (with_step("control", p90_s=3600), "steps[4].p90", "less than the estimate of 1 h 3 min"),
    (with_step("data", p50_s=None, p90_s=60), "steps[0].p90", "says nothing without"),
    (with_step("data", p50_s=0), "steps[0].p50", "Only a decision point may take no time"),
    (with_step("control", parts=Parts()), "steps[4].parts", "Only a decision point"),
    (
        with_step("control", parts=Parts(per_unit_s=10**9, units=10**9)),
        "steps[4].parts",
        "a hundred years",
    ),
    (with_step("control", parts=Parts(train_s=1, units=3)), "steps[4].parts.per_unit", "per_unit"),
    (with_step("control", parts=Parts(train_s=1, per_unit_s=3)), "steps[4].parts.units", "units"),
    (with_step("control", before_window=True), "steps[4].before_window", "rented GPU"),
    (
        replace(WHOLE, decision_points=(DecisionPoint("decid"),)),
        "decision_points[0].step",
        "did you mean “decide”?",
    ),
    (
        replace(WHOLE, decision_points=(DecisionPoint("pilot"),)),
        "decision_points[0].step",
        "kind machine; a decision point needs one of kind decision_point",
    ),
    (
        replace(WHOLE, decision_points=(DecisionPoint("decide", "continue if pilt passed"),)),
        "decision_points[0].standing",
        "did you mean “pilot”?",
    ),
    (
        replace(
            WHOLE,
            decision_points=(DecisionPoint("decide", "continue if no rule fired; else cut x"),),
        ),
        "decision_points[0].standing",
        "“x” is not known here",
    ),
    (
        replace(WHOLE, decision_points=(DecisionPoint("decide", "continue"),)),
        "decision_points[0].standing",
        "It ends where if is needed. Write for example",
    ),
    (
        replace(WHOLE, stop_rules=(PlannedStopRule("a", "custom", steps=("pilott",)),)),
        "stop_rules[0].steps[0]",
        "did you mean “pilot”?",
    ),
    (
        replace(WHOLE, stop_rules=(PlannedStopRule("a", "below", "f1"),)),
        "stop_rules[0].value",
        "A rule of kind below needs value.",
    ),
    (
        replace(WHOLE, stop_rules=(PlannedStopRule("a", "above", value=Decimal(1)),)),
        "stop_rules[0].metric",
        "A rule of kind above needs metric.",
    ),
    (
        replace(WHOLE, decision_rule=replace(RULE, threshold=None)),
        "decision_rule.threshold",
        "gain_over_control",
    ),
    (
        replace(WHOLE, decision_rule=replace(RULE, gain_over_control=Decimal(1))),
        "decision_rule.gain_over_control",
        "keep one of them",
    ),
    (
        replace(WHOLE, corpora=(replace(WHOLE.corpora[0], rows=3),)),
        "corpora[0].rows",
        "3 rows but 2 ids",
    ),
    (replace(WHOLE, lots=(PlannedLot("lot-1", hours=72),)), "lots[0].gpus", "its own gpus"),
    (replace(WHOLE, lots=(PlannedLot("lot-1", gpus=1),)), "lots[0].hours", "its own hours"),
    (
        with_check(Check(CheckKind.EXPECTED_IDS, file="ids.csv")),
        "deliverables[0].checks[0].corpus",
        "Which ids are expected?",
    ),
    (
        with_check(Check(CheckKind.EXPECTED_IDS, file="ids.csv", ids=())),
        "deliverables[0].checks[0].corpus",
        "Which ids are expected?",
    ),
    (
        with_check(Check(CheckKind.EXPECTED_IDS, corpus="eval")),
        "deliverables[0].checks[0].file",
        "where the ids are looked for",
    ),
    (
        with_check(Check(CheckKind.EXPECTED_IDS, corpus="evl", file="ids.csv")),
        "deliverables[0].checks[0].corpus",
        "did you mean “eval”?",
    ),
    (with_check(Check(CheckKind.RELOAD)), "deliverables[0].checks[0].command", "exit with 0"),
    (
        with_check(Check(CheckKind.NON_EMPTY, command="ls")),
        "deliverables[0].checks[0].command",
        "command has no effect on a non_empty check.",
    ),
    (
        with_check(Check(CheckKind.EXPECTED_IDS, corpus="eval", file="../ids.csv")),
        "deliverables[0].checks[0].file",
        "inside the output folder",
    ),
    (
        with_check(Check(CheckKind.EXPECTED_IDS, corpus="eval", file="/tmp/ids.csv")),
        "deliverables[0].checks[0].file",
        "inside the output folder",
    ),
]


@pytest.mark.parametrize(("plan", "field", "said"), MALFORMED)
def test_what_contradicts_itself_is_refused(plan: Plan, field: str, said: str) -> None:
    (problem,) = malformed(plan)
    assert problem.field == field
    assert said in str(problem.message)


@pytest.mark.parametrize("klass", ["useful", "exploratory"])
def test_an_essential_step_after_an_optional_one_is_refused_naming_both(klass: str) -> None:
    plan = with_step("rank-16", klass=StepClass(klass))
    needing = replace(WHOLE.steps[6], id="evaluate", after=("rank-16",), follows=())
    (problem,) = malformed(replace(plan, steps=(*plan.steps, needing)))
    assert problem.field == "steps[7].after[0]"
    assert f"“evaluate” is essential but after “rank-16”, which is {klass}" in str(problem.message)


def test_an_essential_step_may_follow_an_optional_one() -> None:
    plan = with_step("rank-16", klass=StepClass.USEFUL)
    following = replace(WHOLE.steps[6], id="evaluate", follows=("rank-16",))
    assert malformed(replace(plan, steps=(*plan.steps, following))) == ()


def circle(**waits: str) -> list[tuple[str, str]]:
    """Field and path of each circle among steps a, b, …, where `a="b f:c"` waits for both."""
    steps = []
    for name, others in waits.items():
        after = tuple(one for one in others.split() if not one.startswith("f:"))
        follows = tuple(one[2:] for one in others.split() if one.startswith("f:"))
        steps.append(step(name, "human", after=after, follows=follows))
    plan = replace(WHOLE, steps=tuple(steps), decision_points=())
    return [(one.field, str(one.message).split(": ")[1].split(";")[0]) for one in malformed(plan)]


def test_a_circle_is_refused_with_its_path() -> None:
    assert circle(a="b", b="a") == [("steps[0].after[0]", "a → b → a")]
    assert circle(a="a") == [("steps[0].after[0]", "a → a")]
    assert circle(z="c", c="b", b="f:d c", d="b") == [("steps[1].after[0]", "c → b → c")]
    assert circle(a="f:b", b="c", c="a", d="a") == [("steps[0].follows[0]", "a → b → c → a")]


def test_each_circle_is_told_once() -> None:
    found = circle(x="a", a="b", b="a", c="d", d="c", y="c x")
    assert found == [("steps[1].after[0]", "a → b → a"), ("steps[3].after[0]", "c → d → c")]


def test_all_else_stands_in_no_circle() -> None:
    assert circle(a="f:*", b="f:*", c="a") == []


def test_a_draft_may_lack_estimates_but_a_seal_may_not() -> None:
    plan = with_step("data", p50_s=None)
    assert malformed(plan) == ()
    (problem,) = unsealable(plan)
    assert problem.field == "steps[0].p50"
    assert "“data” has no estimate" in str(problem.message)
    assert unsealable(with_step("decide", p50_s=None)) == ()


def test_a_plan_without_steps_is_not_sealed() -> None:
    empty = replace(WHOLE, steps=(), decision_points=())
    assert [problem.field for problem in unsealable(empty)] == ["steps"]


WARNED: list[tuple[Plan, str]] = [
    (with_step("control", role=None), "No step is the control"),
    (with_step("data", role=None), "No step checks the data"),
    (with_step("restore", role=None), "No step tries an early save"),
    (with_step("retrieve", role=None), "No step retrieves the outputs"),
    (with_step("retrieve", role=None, klass=StepClass.USEFUL), "No step retrieves the outputs"),
    (with_step("control", klass=StepClass.USEFUL), "“control” (Control) is not essential."),
    (with_step("pilot", role=None), "No pilot is planned."),
    (with_step("restore", after=()), "No decision point comes after the pilot."),
    (replace(WHOLE, stop_rules=()), "No stop rule is written down."),
    (replace(WHOLE, lots=()), "No lot is planned"),
    (replace(WHOLE, deliverables=()), "No deliverable is announced"),
    (
        replace(WHOLE, deliverables=(replace(WHOLE.deliverables[0], checks=()),)),
        "“predictions” announces no check.",
    ),
    (
        replace(WHOLE, deliverables=(replace(WHOLE.deliverables[0], unit=False),)),
        "no cost per unit",
    ),
    (
        replace(
            WHOLE,
            deliverables=(replace(WHOLE.deliverables[0], kind=DeliverableKind.ADAPTER),),
        ),
        "has no check of its base model's revision",
    ),
    (
        replace(WHOLE, corpora=(replace(WHOLE.corpora[0], ids=None),)),
        "Nothing says which ids “eval” holds",
    ),
    (replace(WHOLE, corpora=(replace(WHOLE.corpora[0], sha256=None),)), "has no SHA-256"),
    (with_step("rank-16", isolates=None), "“rank-16” states neither"),
    (with_step("rank-16", include=True), "it is not exploratory"),
    (
        with_step("control", parts=None, p50_s=3600),
        "“control” has no part for: loading, long inputs, validation, output files.",
    ),
    (
        with_step("pilot", parts=replace(FULL, long_inputs_s=None)),
        "“pilot” has no part for: long inputs.",
    ),
]


@pytest.mark.parametrize(("plan", "said"), WARNED)
def test_what_is_left_out_is_warned_of_and_not_refused(plan: Plan, said: str) -> None:
    assert unsealable(plan) == ()
    (warning,) = warnings(plan)
    assert said in str(warning)


def test_a_step_after_one_that_nobody_includes_is_warned_of() -> None:
    probe = step("probe", parts=FULL, klass="exploratory")
    later = step("later", parts=FULL, klass="useful", after=("probe",))
    plan = replace(WHOLE, steps=(*WHOLE.steps, probe, later))
    assert [str(one) for one in warnings(plan)] == [
        "“later” is after “probe”, which is exploratory and not included."
    ]
    included = replace(WHOLE, steps=(*WHOLE.steps, replace(probe, include=True), later))
    assert warnings(included) == ()


def test_a_research_decision_needs_no_unit() -> None:
    (deliverable,) = WHOLE.deliverables
    plan = replace(WHOLE, research_decision=True, deliverables=(replace(deliverable, unit=False),))
    assert warnings(plan) == ()


def test_a_step_cannot_wait_for_its_own_verdict() -> None:
    (problem,) = malformed(_conditioned("variant-b passes"))
    assert problem.field.endswith(".needed_if")
    assert "its own verdict" in str(problem.message)


def test_a_condition_on_a_step_without_a_verdict_is_warned_of() -> None:
    found = [str(one) for one in warnings(_conditioned("pilot passes"))]
    assert "“variant-b” waits for the verdict on “pilot”, but only variants get one." in found


def _conditioned(condition: str) -> Plan:
    """The sample with another condition on its second variant."""
    plan = sample()
    steps = tuple(
        replace(step, needed_if=condition) if step.id == "variant-b" else step
        for step in plan.steps
    )
    return replace(plan, steps=steps)
