"""The difference of two versions in the words of the forms."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from hypothesis import given

from app.plan.rules.changes import Change, readable
from app.plan.rules.differences import differences
from app.plan.rules.document import to_document
from app.plan.rules.model import Plan, PlannedStopRule, StepClass, StepKind, Tolerance
from tests.plan.drafts import small, step
from tests.plan.generated import plans


def _changes(before: Plan, after: Plan) -> list[tuple[str, str | None, str, str, str]]:
    old, new = to_document(before), to_document(after)
    return [_plain(one) for one in readable(differences(old, new), old, new)]


def _plain(one: Change) -> tuple[str, str | None, str, str, str]:
    return str(one.part), one.row, str(one.field), str(one.before), str(one.after)


def test_a_longer_step_names_the_row_the_field_and_both_lengths() -> None:
    first, train, last = small().steps
    after = replace(small(), steps=(first, replace(train, p50_s=12 * 3600), last))
    assert _changes(small(), after) == [("Steps", "Train", "P50", "10h", "12h")]


def test_choices_and_yes_or_no_are_said_in_words() -> None:
    first, train, last = small().steps
    changed = replace(train, klass=StepClass.USEFUL, per_lot=True)
    after = replace(small(), steps=(first, changed, last), research_decision=True)
    found = _changes(small(), after)
    assert ("Steps", "Train", "Class", "Essential", "Useful") in found
    assert ("Steps", "Train", "Once for each lot", "None", "yes") in found


def test_rows_that_come_and_go_and_the_order() -> None:
    extra = step("extra", StepKind.MACHINE, 3)
    first, train, last = small().steps
    found = _changes(small(), replace(small(), steps=(extra, train, first)))
    turned = _changes(small(), replace(small(), steps=(train, first, last)))
    assert ("Steps", "Retrieve", "None", "there", "None") in found
    assert ("Steps", "Extra", "None", "None", "there") in found
    before, after = "Prepare, Train, Retrieve", "Train, Prepare, Retrieve"
    assert turned == [("Steps", None, "Order", before, after)]


def test_a_stop_rule_that_is_eased() -> None:
    rule = PlannedStopRule("floor", "below", "f1", value=Decimal("0.5"))
    eased = replace(rule, value=Decimal("0.4"))
    before, after = replace(small(), stop_rules=(rule,)), replace(small(), stop_rules=(eased,))
    assert _changes(before, after) == [("Stop rules", "floor", "Value", "0.5", "0.4")]


def test_the_question_and_tolerance() -> None:
    after = replace(small(question="Is it?"), tolerance=Tolerance(20, 60))
    found = _changes(small(), after)
    assert ("Campaign", None, "Question", "Is it worth it?", "Is it?") in found
    assert len(found) > 1


@given(plans(), plans())
def test_every_difference_can_be_said(before: Plan, after: Plan) -> None:
    old, new = to_document(before), to_document(after)
    found = differences(old, new)
    assert len(readable(found, old, new)) == len(found)
