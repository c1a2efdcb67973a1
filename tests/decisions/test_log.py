"""The log after corrections, and what may be entered."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.decisions.rules.entering import Ground, NewDecision, objections, same, tidied
from app.decisions.rules.log import CHOICES, DecisionEntry, Decisions, read_log
from tests.conftest import NOW
from tests.decisions.plans import steps


def entry(number: int, choice: str = "continue", **more: Any) -> DecisionEntry:
    at = NOW + timedelta(minutes=number)
    return DecisionEntry(number, at, "person", "local", choice, "because", **more)


def ground(*entries: DecisionEntry, version: int = 1, done: frozenset[str] = frozenset()) -> Ground:
    return Ground(steps(), version, read_log(entries), done)


def new(choice: str = "continue", **more: Any) -> NewDecision:
    return NewDecision(choice, **{"reason": "the pilot took 1.05 times its estimate", **more})


def refused(decision: NewDecision, on: Ground) -> list[tuple[str, bool]]:
    found = objections(tidied(decision, on.log), on)
    return [(objection.field, objection.contradicts) for objection in found]


def test_the_log_reads_newest_first_and_ends_decision_points_once() -> None:
    log = read_log(
        [entry(3, step="pilot-decision"), entry(9, "stop", step="pilot-decision", corrects=3)]
    )
    assert [found.number for found in log.entries] == [9, 3]
    assert log.ended["pilot-decision"].number == 3
    assert log.stopped is not None
    assert log.stopped.number == 9
    assert [found.stands for found in log.entries] == [True, False]


def test_a_correction_takes_a_cut_back() -> None:
    log = read_log([entry(3, "cut", cut=("variant-b", "probe")), entry(5, "continue", corrects=3)])
    assert log.cut == {}
    assert log.newest_of(log.entries[1]).number == 5


def test_a_cut_stands_with_the_entry_that_made_it() -> None:
    log = read_log([entry(3, "cut", cut=("probe",)), entry(5, "cut", cut=("variant-b",))])
    assert {step: found.number for step, found in log.cut.items()} == {"probe": 3, "variant-b": 5}


@given(st.permutations(list(range(1, 8))), st.sets(st.integers(2, 7)))
def test_the_order_of_reading_changes_nothing(order: list[int], corrections: set[int]) -> None:
    """Each entry may correct the one before it; exactly the uncorrected ones stand."""
    written = [entry(n, corrects=n - 1 if n in corrections else None) for n in range(1, 8)]
    log = read_log(written[n - 1] for n in order)
    assert [found.number for found in log.entries] == list(range(7, 0, -1))
    assert {found.number for found in log.entries if not found.stands} == {
        n - 1 for n in corrections
    }


@pytest.mark.parametrize("choice", CHOICES)
def test_every_choice_may_be_entered(choice: str) -> None:
    cut = ("variant-b", "probe") if choice == "cut" else ()
    assert refused(new(choice, step="pilot-decision", cut=cut), ground()) == []


def test_a_decision_needs_its_reason() -> None:
    assert refused(new(reason="  \n "), ground()) == [("reason", False)]
    assert refused(new(reason="x" * 4001), ground()) == [("reason", False)]
    assert refused(new(reason="bell \x07"), ground()) == [("reason", False)]


def test_an_unknown_choice_names_the_known_ones() -> None:
    (objection,) = objections(new("wait"), ground())
    assert objection.allowed == CHOICES


def test_only_a_decision_point_of_the_plan_can_be_decided() -> None:
    (objection,) = objections(new(step="control"), ground())
    assert (objection.field, objection.allowed) == ("step", ("pilot-decision",))


def test_a_decision_point_is_decided_once_and_then_corrected() -> None:
    decided = ground(entry(3, step="pilot-decision"), entry(5, step="pilot-decision", corrects=3))
    (objection,) = objections(new(step="pilot-decision"), decided)
    assert objection.contradicts
    assert "entry 5" in str(objection.message)
    assert refused(new("stop", corrects=5), decided) == []


def test_a_correction_keeps_its_decision_point() -> None:
    decided = ground(entry(3, step="pilot-decision"))
    assert tidied(new("stop", corrects=3), decided.log).step == "pilot-decision"
    elsewhere = Ground((*steps(), replace(steps()[1], id="later")), 1, decided.log)
    assert refused(new("stop", corrects=3, step="later"), elsewhere) == [("step", True)]


def test_only_the_newest_of_a_chain_is_corrected() -> None:
    chain = ground(entry(3), entry(5, corrects=3))
    (objection,) = objections(new(corrects=3), chain)
    assert (objection.field, objection.contradicts, objection.allowed) == ("corrects", True, ("5",))
    assert refused(new(corrects=77), chain) == [("corrects", False)]


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        ((), [("cut", False)]),
        (("nowhere",), [("cut", False)]),
        (("control",), [("cut", True)]),  # essential
        (("pilot-decision",), [("cut", True)]),
        (("variant-b",), [("cut", True)]),  # probe needs its result
        (("probe",), []),
        (("variant-b", "probe"), []),
    ],
)
def test_only_optional_steps_that_nothing_needs_can_be_cut(
    cut: tuple[str, ...], expected: list[tuple[str, bool]]
) -> None:
    assert refused(new("cut", cut=cut), ground()) == expected


def test_what_is_done_or_cut_already_cannot_be_cut() -> None:
    assert refused(new("cut", cut=("probe",)), ground(done=frozenset({"probe"}))) == [("cut", True)]
    before = ground(entry(3, "cut", cut=("probe",)))
    assert refused(new("cut", cut=("probe",)), before) == [("cut", True)]
    assert refused(new("cut", cut=("probe", "variant-b"), corrects=3), before) == []
    assert [step.id for step in before.optional_steps] == ["variant-b"]


def test_other_choices_name_no_steps_and_no_version() -> None:
    assert refused(new("continue", cut=("probe",), version=2), ground(version=2)) == [
        ("cut", False),
        ("version", False),
    ]


def test_a_revision_refers_to_a_later_sealed_version() -> None:
    assert refused(new("revise"), ground()) == []
    assert refused(new("revise", version=2), ground(version=3)) == []
    (objection,) = objections(new("revise", version=1), ground(version=3))
    assert (objection.field, objection.allowed) == ("version", ("2", "3"))
    assert refused(new("revise", version=2), ground(version=1)) == [("version", False)]


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "ftp://x/y", "https://", "https://a b", "http://[::1", "x"]
)
def test_a_link_is_one_of_the_web(link: str) -> None:
    assert refused(new(link=link), ground()) == [("link", False)]


def test_a_good_link_and_an_empty_one() -> None:
    assert refused(new(link="https://example.org/notes?x=1#y"), ground()) == []
    assert tidied(new(link="  "), Decisions()).link is None


def test_the_same_decision_is_recognised() -> None:
    log = Decisions()
    said = tidied(new("cut", cut=("probe", "probe"), reason=" because\r\nof it "), log)
    assert said.cut == ("probe",)
    assert said.reason == "because\nof it"
    written = replace(entry(4, "cut", cut=("probe",)), reason="because\nof it")
    assert same(said, written)
    assert not same(replace(said, link="https://a.b"), written)


def test_what_is_too_long_is_told_as_that_and_not_as_another_fault() -> None:
    said = tidied(new("nothing", reason="y" * 4001, link=f"https://x/{'a' * 2000}"), Decisions())
    words = {found.field: str(found.message) for found in objections(said, ground())}
    assert words == {
        "choice": "Choose one of: Continue, Cut, Revise, Go to the close.",
        "reason": "At most 4000 characters are kept.",
        "link": "At most 2000 characters are kept.",
    }
