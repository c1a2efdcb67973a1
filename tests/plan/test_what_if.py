"""Plans tried with other figures: only what was asked changes, and the result is sound."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.offers.rules import read_catalogue
from app.plan.rules.checks import malformed
from app.plan.rules.lots import ResolvedLots, resolve_lots
from app.plan.rules.model import Parts, Plan, PlannedStopRule, Role
from app.plan.rules.schedule import Schedule, schedule
from app.plan.rules.what_if import Trial, left_out, total_minor, tried, without
from tests.plan.campaigns import HOUR_S, family, lot
from tests.plan.drafts import sample, small
from tests.plan.generated import plans


def _placed(plan: Plan) -> tuple[ResolvedLots, Schedule]:
    lots = resolve_lots(plan, read_catalogue())
    return lots, schedule(plan.steps, lots.windows, plan.people)


def _plan(variants: str = "") -> Plan:
    return replace(small(), steps=tuple(family(variants)))


def test_nothing_tried_changes_nothing() -> None:
    assert tried(sample(), Trial()) == sample()
    assert not Trial().changes_anything


def test_another_estimate_takes_its_p90_along_and_the_parts_give_way() -> None:
    plan = _plan()
    control = replace(plan.steps[4], p90_s=15 * HOUR_S, parts=Parts(train_s=10 * HOUR_S))
    plan = replace(plan, steps=(*plan.steps[:4], control, *plan.steps[5:]))
    found = tried(plan, Trial(estimates={"control": 12 * HOUR_S})).steps[4]
    assert (found.p50_s, found.p90_s, found.parts) == (12 * HOUR_S, 18 * HOUR_S, None)


def test_the_same_estimate_is_no_change() -> None:
    plan = _plan()
    assert tried(plan, Trial(estimates={"control": 10 * HOUR_S})) == plan


def test_a_step_left_out_takes_along_what_needs_it() -> None:
    plan = _plan()
    assert left_out(plan.steps, frozenset({"decide"})) == {"decide", "control", "a", "b"}
    found = tried(plan, Trial(out=frozenset({"a"})))
    assert [step.id for step in found.steps] == [s.id for s in plan.steps if s.id != "a"]


def test_a_rule_of_a_step_left_out_does_not_become_a_rule_of_all() -> None:
    rules = (
        PlannedStopRule("both", "non_finite", "loss", steps=("a", "b")),
        PlannedStopRule("one", "non_finite", "loss", steps=("a",)),
        PlannedStopRule("all", "non_finite", "loss"),
    )
    found = tried(replace(_plan(), stop_rules=rules), Trial(out=frozenset({"a"})))
    assert [(rule.id, rule.steps) for rule in found.stop_rules] == [("both", ("b",)), ("all", ())]


def test_one_more_step_comes_behind_what_the_control_comes_after() -> None:
    steps = tuple(
        replace(step, role=Role.CONTROL if step.id == "control" else None) for step in family()
    )
    plan = replace(_plan(), steps=steps)
    found = tried(plan, Trial(added_title="Rank 64", added_s=10 * HOUR_S))
    added = found.steps[-1]
    assert (added.id, added.p50_s, added.after) == ("rank-64", 10 * HOUR_S, ("decide",))
    _, made = _placed(found)
    assert made.end_min == 58 * 60


def test_another_package_and_two_lots_of_it() -> None:
    found = tried(_plan("cde"), Trial(offer="iteragpu/rtx-4090/7d"))
    lots, made = _placed(found)
    assert made.fits
    assert total_minor(lots.windows) == (11000, "USD")
    two = tried(_plan(), Trial(offer="iteragpu/rtx-4090/3d", lots=2))
    lots, made = _placed(two)
    assert made.end_min == 38 * 60
    assert total_minor(lots.windows) == (9428, "USD")


def test_a_price_that_is_unknown_or_of_two_currencies_has_no_total() -> None:
    euro = replace(lot(), price_minor=1, currency="EUR")
    dollar = replace(lot(), price_minor=1, currency="USD")
    for windows in ([], [lot()], [euro, dollar], [dollar, replace(dollar, price_minor=None)]):
        assert total_minor(windows) == (None, None)


@pytest.mark.parametrize("included", [frozenset(), frozenset({"e"})])
def test_exploratory_steps_are_taken_in_or_out(included: frozenset[str]) -> None:
    found = tried(_plan("e"), Trial(included=included))
    assert {step.id for step in found.steps if step.include} == included


def test_what_came_after_the_step_no_longer_waits_for_it() -> None:
    left = without(family(), "decide")
    assert all("decide" not in one.after for one in left)
    assert len(left) == len(family()) - 1


@given(plans(), st.data())
def test_what_is_tried_is_never_malformed(plan: Plan, data: st.DataObject) -> None:
    names = [step.id for step in plan.steps]
    out = data.draw(st.sets(st.sampled_from(names))) if names else set()
    times = {name: data.draw(st.integers(60, 10**6)) for name in names[:3]}
    found = tried(plan, Trial(estimates=times, out=frozenset(out)))
    assert malformed(found) == ()
