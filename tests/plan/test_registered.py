"""Stop rules: those that stood before the first outcome, and those that were added later."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from app.plan.rules.model import Plan, PlannedStopRule
from app.plan.rules.registered import registered
from app.plan.rules.sealing import Knowledge, knowledge_of
from tests.plan.drafts import small

LOSS = PlannedStopRule("loss", "non_finite", "loss")
FLOOR = PlannedStopRule("floor", "below", "f1", value=Decimal("0.5"))


def _sealed(n: int, known: Knowledge, *rules: PlannedStopRule) -> tuple[int, Plan, Knowledge]:
    return n, replace(small(), stop_rules=rules), known


NOTHING, STARTED, SEEN = knowledge_of(0, 0), knowledge_of(2, 0), knowledge_of(3, 1)


def test_a_rule_of_the_first_version_is_not_late() -> None:
    (found,) = registered([_sealed(1, NOTHING, LOSS), _sealed(2, SEEN, LOSS)])
    assert (found.version, found.is_late, found.said) == (1, False, None)


def test_a_rule_added_after_results_says_so_with_the_count() -> None:
    first, second = registered([_sealed(1, NOTHING, LOSS), _sealed(2, SEEN, LOSS, FLOOR)])
    assert not first.is_late
    assert (second.rule, second.version) == ("floor", 2)
    assert "after the first outcome (1 ended)" in str(second.said)


def test_a_rule_added_after_starts_says_so() -> None:
    (found,) = registered([_sealed(1, NOTHING), _sealed(2, STARTED, LOSS)])
    assert "after runs had started" in str(found.said)


def test_a_rule_that_was_changed_counts_from_the_change() -> None:
    eased = replace(FLOOR, value=Decimal("0.4"))
    (found,) = registered([_sealed(1, NOTHING, FLOOR), _sealed(2, SEEN, eased)])
    assert (found.version, found.is_late) == (2, True)


def test_a_rule_that_was_away_in_between_counts_from_its_return() -> None:
    versions = [_sealed(1, NOTHING, LOSS), _sealed(2, STARTED), _sealed(3, SEEN, LOSS)]
    (found,) = registered(versions)
    assert found.version == 3


def test_a_draft_has_nothing_registered() -> None:
    assert registered([]) == ()
