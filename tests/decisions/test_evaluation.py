"""The decision rule applied to runs: exact, and honest about what is no evidence."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.decisions.rules.evaluation import Evaluation, evaluate
from app.decisions.rules.lines import Line
from app.decisions.rules.results import Fired, RunResult, Series, figure, plain
from app.plan.rules.model import Corpus
from tests.decisions.plans import plan, rule, run, steps, stopped

FIGURES = st.decimals("-10", "10", allow_nan=False, allow_infinity=False, places=6)


def line(said: Evaluation, step: str) -> Line:
    return next(one for one in said.variants if one.step == step)


def verdicts(said: Evaluation) -> dict[str, str]:
    return {one.step: one.verdict for one in said.variants}


def test_a_gain_that_is_reached_exactly_passes() -> None:
    runs = [run("c", "control", "0.80"), run("a", "variant-a", "0.82")]
    said = evaluate(plan(), runs)
    found = line(said, "variant-a")
    assert found.verdict == "passes"
    assert found.difference == Fraction(2, 100)
    assert found.needed == Fraction(82, 100)
    assert said.proposed == "positive"


def test_binary_fractions_do_not_decide() -> None:
    """0.1 + 0.2 is 0.3 here: 0.3 against a control of 0.1 and a gain of 0.2 passes."""
    wanted = plan(decision_rule=rule(gain_over_control=Decimal("0.2")))
    said = evaluate(wanted, [run("c", "control", "0.1"), run("a", "variant-a", "0.3")])
    assert line(said, "variant-a").verdict == "passes"


def test_lower_is_better_turns_the_comparison_round() -> None:
    lower = rule(better="lower", gain_over_control=Decimal("0.1"))
    runs = [run("c", "control", "1.0"), run("a", "variant-a", "0.9"), run("b", "variant-b", "0.95")]
    said = evaluate(plan(decision_rule=lower), runs)
    assert verdicts(said) == {"variant-a": "passes", "variant-b": "does_not_pass"}
    assert line(said, "variant-a").needed == Fraction(9, 10)


def test_an_absolute_threshold_needs_no_control() -> None:
    wanted = plan(decision_rule=rule(gain_over_control=None, threshold=Decimal("0.82")))
    said = evaluate(wanted, [run("a", "variant-a", "0.82"), run("b", "variant-b", "0.8199999")])
    assert verdicts(said) == {"variant-a": "passes", "variant-b": "does_not_pass"}
    assert line(said, "variant-a").difference is None


def test_several_runs_of_a_variant_count_by_their_mean() -> None:
    runs = [
        run("c", "control", "0.80"),
        run("a-1", "variant-a", "0.81"),
        run("a-2", "variant-a", "0.82"),
        run("a-3", "variant-a", "0.83"),
    ]
    found = line(evaluate(plan(), runs), "variant-a")
    assert (found.mean, found.n, found.verdict) == (Fraction(82, 100), 3, "passes")


def test_the_best_value_counts_where_the_rule_says_so() -> None:
    best = plan(decision_rule=rule(take="best"))
    series = {"eval_f1": Series("0.70", "0.83", "0.10")}
    runs = [run("c", "control", "0.80"), RunResult("a", "variant-a", "completed", series)]
    assert line(evaluate(best, runs), "variant-a").verdict == "passes"
    assert line(evaluate(plan(), runs), "variant-a").verdict == "does_not_pass"


def test_the_lowest_is_best_where_lower_is_better() -> None:
    lower = rule(better="lower", take="best", gain_over_control=None, threshold=Decimal("0.2"))
    series = {"eval_f1": Series("0.70", "0.83", "0.10")}
    runs = [RunResult("a", "variant-a", "completed", series)]
    assert line(evaluate(plan(decision_rule=lower), runs), "variant-a").mean == Fraction(1, 10)


@pytest.mark.parametrize("name", ["eval_f1", "f1"])
def test_the_job_may_use_its_own_name_or_ours(name: str) -> None:
    runs = [
        run("c", "control", "0.80"),
        RunResult("a", "variant-a", "completed", {name: Series("0.9")}),
    ]
    assert line(evaluate(plan(), runs), "variant-a").verdict == "passes"


def test_a_stop_by_a_rule_on_the_decision_metric_is_a_result() -> None:
    fired = Fired("f1-too-low", "eval_f1", "0.31", 400)
    said = evaluate(plan(), [run("c", "control", "0.80"), stopped("a", "variant-a", fired)])
    found = line(said, "variant-a")
    assert found.verdict == "does_not_pass"
    assert str(found.reason) == (
        "a was stopped by the rule f1-too-low: eval_f1 was 0.31 at step 400"
    )


@pytest.mark.parametrize(
    "fired",
    [
        Fired("loss-not-finite", "loss", "nan", 12),  # another metric
        Fired("f1-too-low", "f1", "nan", 12),  # not finite
        Fired("f1-too-good", "f1", "0.9999", 12),  # not on the losing side
        Fired("nobody-knows", "f1", "0.1", 12),  # a rule that was never sealed
    ],
)
def test_other_stops_are_no_evidence(fired: Fired) -> None:
    said = evaluate(plan(), [run("c", "control", "0.80"), stopped("a", "variant-a", fired)])
    found = line(said, "variant-a")
    assert found.verdict == "no_evidence"
    assert "a was stopped by the rule" in str(found.reason)
    assert said.proposed == "inconclusive"


def test_a_fixed_run_on_its_way_keeps_the_verdict_open() -> None:
    fired = Fired("f1-too-low", "f1", "0.31", 400)
    runs = [
        run("c", "control", "0.80"),
        stopped("a-1", "variant-a", fired),
        run("a-2", "variant-a", None, "running"),
    ]
    found = line(evaluate(plan(), runs), "variant-a")
    assert (found.verdict, str(found.reason)) == ("no_evidence", "a-2 is still running")


def test_a_completed_run_outweighs_a_stopped_one() -> None:
    fired = Fired("f1-too-low", "f1", "0.31", 400)
    runs = [
        run("c", "control", "0.80"),
        stopped("a-1", "variant-a", fired),
        run("a-2", "variant-a", "0.9"),
    ]
    assert line(evaluate(plan(), runs), "variant-a").verdict == "passes"


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (run("a", "variant-a", "nan"), "a: eval_f1 is nan"),
        (run("a", "variant-a"), "a posted no f1"),
        (run("a", "variant-a", None, "planned"), "a has not started"),
        (run("a", "variant-a", None, "lost"), "a was lost"),
        (run("a", "variant-a", None, "failed", reason_code="infra"), "a failed (infrastructure)"),
        (run("a", "variant-a", None, "stopped", reason_code="operator"),
         "a was stopped (by a person)"),
        (run("x", "another-step", "0.9"), "no run yet"),
    ],
)  # fmt: skip
def test_no_evidence_says_why(result: RunResult, reason: str) -> None:
    found = line(evaluate(plan(), [run("c", "control", "0.8"), result]), "variant-a")
    assert (found.verdict, str(found.reason)) == ("no_evidence", reason)


def test_without_a_control_a_gain_is_no_evidence() -> None:
    found = line(evaluate(plan(), [run("a", "variant-a", "0.9")]), "variant-a")
    assert found.verdict == "no_evidence"
    assert str(found.reason) == "the control has no result to compare with"
    assert found.mean == Fraction(9, 10)


def test_unequal_corpora_are_not_comparable() -> None:
    runs = [
        run("c", "control", "0.80", corpora=(("eval", "a" * 64),)),
        run("a", "variant-a", "0.90", corpora=(("eval", "b" * 64),)),
        run("b", "variant-b", "0.90", corpora=(("eval", "a" * 64), ("train", "c" * 64))),
    ]
    said = evaluate(plan(), runs)
    assert verdicts(said) == {"variant-a": "no_evidence", "variant-b": "passes"}
    assert "not comparable" in str(line(said, "variant-a").reason)


def test_the_sealed_hash_of_a_corpus_stands_above_the_control() -> None:
    wanted = plan(corpora=(Corpus("eval", sha256="b" * 64),))
    runs = [
        run("c", "control", "0.80", corpora=(("eval", "a" * 64),)),
        run("a", "variant-a", "0.90", corpora=(("eval", "b" * 64),)),
    ]
    said = evaluate(wanted, runs)
    assert said.control is not None
    assert said.control.mean is None
    assert "not comparable" in str(said.control.notes[0])
    assert line(said, "variant-a").verdict == "no_evidence"


def test_a_hash_that_was_not_stated_is_said_and_not_held_against_the_run() -> None:
    runs = [run("c", "control", "0.80", corpora=(("eval", "a" * 64),)),
            run("a", "variant-a", "0.90")]  # fmt: skip
    found = line(evaluate(plan(), runs), "variant-a")
    assert found.verdict == "passes"
    assert [str(note) for note in found.notes] == ["a did not state the hash of corpus eval"]


def test_a_negative_outcome_needs_every_variant_to_fail() -> None:
    control = run("c", "control", "0.80")
    first = run("a", "variant-a", "0.81")
    assert evaluate(plan(), [control, first]).proposed == "inconclusive"
    said = evaluate(plan(), [control, first, run("b", "variant-b", "0.79")])
    assert (said.proposed, str(said.why)) == ("negative", "No variant passes.")


def test_a_variant_that_was_cut_keeps_nothing_open() -> None:
    runs = [run("c", "control", "0.80"), run("a", "variant-a", "0.81")]
    said = evaluate(plan(), runs, cut={"variant-b"})
    assert said.proposed == "negative"
    assert str(line(said, "variant-b").reason) == "cut by a decision"


def test_a_variant_that_is_not_needed_any_more_keeps_nothing_open() -> None:
    changed = tuple(
        replace(step, needed_if="variant-a passes") if step.id == "variant-b" else step
        for step in steps()
    )
    runs = [run("c", "control", "0.80"), run("a", "variant-a", "0.81")]
    said = evaluate(plan(steps=changed), runs)
    assert line(said, "variant-b").dropped
    assert said.proposed == "negative"


def test_a_plan_without_variants_proposes_nothing() -> None:
    said = evaluate(plan(steps=steps()[:3]), [run("c", "control", "0.80")])
    assert said.proposed is None
    assert said.variants == ()


@given(control=FIGURES, gain=st.decimals("0", "5", places=6), excess=FIGURES)
def test_passing_is_exactly_the_sign_of_the_excess(
    control: Decimal, gain: Decimal, excess: Decimal
) -> None:
    for better, sign in (("higher", 1), ("lower", -1)):
        wanted = plan(decision_rule=rule(better=better, gain_over_control=gain))
        value = control + sign * (gain + excess)
        runs = [run("c", "control", str(control)), run("a", "variant-a", str(value))]
        found = line(evaluate(wanted, runs), "variant-a")
        assert found.verdict == ("passes" if excess >= 0 else "does_not_pass")


@given(st.data(), st.lists(FIGURES, min_size=1, max_size=7))
def test_the_order_of_runs_changes_no_figure(data: st.DataObject, values: list[Decimal]) -> None:
    runs = [run(f"a-{n}", "variant-a", str(value)) for n, value in enumerate(values)]
    shuffled = data.draw(st.permutations(runs))
    control = run("c", "control", "0.5")
    first = line(evaluate(plan(), [control, *runs]), "variant-a")
    second = line(evaluate(plan(), [*shuffled, control]), "variant-a")
    assert (first.mean, first.verdict) == (second.mean, second.verdict)
    assert first.mean == sum(map(Fraction, values), Fraction(0)) / len(values)


@pytest.mark.parametrize("given_", ["nan", "inf", "-inf", "1e999", "1e401", "", "twelve", "--1"])
def test_what_is_no_figure_is_no_value(given_: str) -> None:
    assert figure(given_) is None


@given(st.fractions(min_value=-1000, max_value=1000))
def test_a_figure_for_the_api_is_exact_or_close(value: Fraction) -> None:
    said = plain(value)
    assert said is not None
    assert abs(Fraction(Decimal(said)) - value) <= max(abs(value), Fraction(1)) / 10**11


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Fraction(82, 100), "0.82"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(3), "3"),
        (Fraction(1, 3), "0.333333333333"),
        (Fraction(10**20 + 1, 10**10), "10000000000.0000000001"),
    ],
)
def test_figures_for_the_api(value: Fraction, said: str) -> None:
    assert plain(value) == said
