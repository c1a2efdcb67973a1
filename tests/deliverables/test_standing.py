"""The state of a deliverable, verdicts of people, counts for the budget."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from app.deliverables.rules.judging import (
    NamedRun,
    place_objections,
    run_objection,
    verdict_objections,
)
from app.deliverables.rules.standing import (
    DeliverableStanding,
    State,
    acceptance,
    reason_of,
    state_of,
)
from tests.deliverables.plans import line, promised, verdict

SHA256 = promised().sha256


def standing(**more: Any) -> DeliverableStanding:
    base = DeliverableStanding(
        id="predictions", title="Predictions", kind="predictions", essential=True, unit=True,
        state=State.SUBMITTED, announced=True, passed=4, failed=0, not_run=0, reason=None,
        submissions=1, newest=line(), judged=None, retrieved=None, place=None,
    )  # fmt: skip
    return replace(base, **more)


def test_the_states_in_their_order() -> None:
    assert state_of(None, None, SHA256) is State.ANNOUNCED
    assert state_of(line(), None, SHA256) is State.SUBMITTED
    assert state_of(line(), verdict("accepted"), SHA256) is State.ACCEPTED
    assert state_of(line(), verdict("rejected", reason="wrong"), SHA256) is State.REJECTED


def test_a_verdict_on_an_older_submission_does_not_count() -> None:
    assert state_of(line(9), verdict("accepted", 5), SHA256) is State.SUBMITTED
    assert state_of(line(9), verdict("rejected", 5), SHA256) is State.SUBMITTED


def test_an_acceptance_holds_for_the_checks_announced_now() -> None:
    assert state_of(line(), verdict("accepted"), "f" * 64) is State.SUBMITTED
    why = reason_of(State.SUBMITTED, line(), verdict("accepted"), "f" * 64)
    assert str(why) == "The announced checks changed after this submission: verify again."
    assert state_of(line(), verdict("accepted"), None) is State.ACCEPTED


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ((2, 1, 1), "1 of 4 checks failed, 1 not run."),
        ((3, 1, 0), "1 of 4 checks failed."),
        ((3, 0, 1), "1 of 4 checks not run."),
        ((0, 0, 0), "No check was announced, so a person decides."),
        ((4, 0, 0), "All 4 checks passed; a person has not accepted it yet."),
    ],
)
def test_what_is_not_accepted_says_why(counts: tuple[int, int, int], says: str) -> None:
    passed, failed, not_run = counts
    newest = line(passed=passed, failed=failed, not_run=not_run)
    assert str(reason_of(State.SUBMITTED, newest, None, SHA256)) == says


def test_a_rejection_says_the_words_of_the_person() -> None:
    said = verdict("rejected", reason="{braces} and all")
    assert str(reason_of(State.REJECTED, line(), said, SHA256)) == "{braces} and all"


def test_the_same_deliverable_counts_once_however_often_it_came() -> None:
    accepted = standing(state=State.ACCEPTED, submissions=5)
    plain = standing(id="analysis", unit=False, state=State.ACCEPTED)
    gone = standing(id="old", announced=False, state=State.ACCEPTED)
    found = acceptance([accepted, plain, gone])
    assert (found.announced, found.accepted) == (2, 2)
    assert (found.announced_units, found.accepted_units) == (1, 1)
    assert found.rejections == ()


@pytest.mark.parametrize(
    ("stands", "says"),
    [
        (("stopped", "infra", "interrupted, clean"), "a-01 was interrupted: finish"
         " it under the same id, or evaluate its checkpoint in a new run and submit that"),
        (("stopped", "operator"), "a-01 was interrupted: finish it"),
        (("failed", "code_error", "ValueError: no"), "a-01 failed (ValueError: no): finish it"),
        (("failed", "infra"), "a-01 failed (infra): finish it"),
        (("failed",), "a-01 failed (no reason was given): finish it"),
        (("lost",), "a-01 is lost: finish it"),
        (("stopped", "rule:loss", "loss is nan"), "a-01 was stopped by the rule loss: evaluate"),
        (("running",), "a-01 has not ended"),
        (("planned",), "a-01 has not ended"),
        ((None,), "a-01 is not known in this campaign"),
    ],
)  # fmt: skip
def test_a_run_that_did_not_complete_is_refused_with_what_would_be_right(
    stands: tuple[str | None, ...], says: str
) -> None:
    assert str(run_objection(NamedRun("a-01", *stands))).startswith(says)


def test_a_completed_run_is_fine() -> None:
    assert run_objection(NamedRun("a-01", "completed")) is None


def refused(on: DeliverableStanding, said: str, reason: str = "", seen: int | None = None) -> Any:
    found = verdict_objections(on, said, reason, seen)
    return [(objection.field, objection.contradicts) for objection in found]


def test_a_rejection_needs_a_reason_also_of_what_was_accepted() -> None:
    assert refused(standing(state=State.ACCEPTED), "rejected") == [("reason", False)]
    assert refused(standing(state=State.ACCEPTED), "rejected", "labels are shuffled") == []


def test_a_person_accepts_only_what_passed_every_check() -> None:
    assert refused(standing(), "accepted") == []
    assert refused(standing(passed=0), "accepted") == []  # nothing was announced to be checked
    assert refused(standing(passed=3, failed=1), "accepted") == [("verdict", True)]
    assert refused(standing(passed=3, not_run=1), "accepted") == [("verdict", True)]
    assert refused(standing(state=State.ACCEPTED), "accepted") == [("verdict", True)]


def test_what_nobody_saw_cannot_be_judged() -> None:
    assert refused(standing(newest=None), "rejected", "x") == [("verdict", True)]
    assert refused(standing(), "rejected", "x", 4) == [("verdict", True)]
    assert refused(standing(), "rejected", "x", 5) == []
    assert refused(standing(announced=False), "accepted") == [("verdict", True)]
    assert refused(standing(), "maybe") == [("verdict", False)]


def test_where_files_lie_is_a_line_and_a_day() -> None:
    today = date(2026, 12, 1)
    assert place_objections("nas:/results", today, today) == ()
    fields = [one.field for one in place_objections("", date(2026, 12, 3), today)]
    assert fields == ["where", "seen_on"]
    assert [one.field for one in place_objections("a\nb", None, today)] == ["where", "seen_on"]
