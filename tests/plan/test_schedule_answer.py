"""The one line over a plan, its facts for the API, and its record in a seal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from app.plan.rules.answer import plan_answer, why_not
from app.plan.rules.facts import from_record, in_hours, to_record
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Step
from app.plan.rules.schedule import schedule
from app.plan.rules.spans import hours_said
from tests.plan.campaigns import family, lot, lots_of, step, steps_of

BEGUN = replace(lot(), starts_at=datetime(2026, 11, 30, 7, tzinfo=UTC))
LONG = family("cde", further="essential")


@pytest.mark.parametrize(
    ("steps", "lots", "said"),
    [
        (family(), [lot()], "Answer after 48 h: fits, 24 h uncommitted"),
        (family("cde"), [lot(hours=168)], "Answer after 78 h: fits, 90 h uncommitted"),
        (family(), [BEGUN], "Answer by Wed 02 Dec 2026, 07:00 UTC, 24 h to spare"),
        (LONG, [lot()], "Exceeds the lot by 6 h"),
        (LONG, [BEGUN], "Exceeds the lot by 6 h"),
        (LONG, [lot(hours=40), lot("lot-2", hours=40)], "Exceeds its lots by 8 h"),
        (family(), [], "No lot is planned yet"),
        ([], [lot()], "The plan has no steps yet"),
        (
            [step("long", "machine", 80)],
            [lot()],
            "No lot can hold this plan. long takes 80 h: 8 h longer than the longest window",
        ),
        ([step("x", "human", 2, before_window=True)], [lot()], "Fits, 72 h uncommitted"),
        (
            [step("x", "human", 1.55)],
            [lot()],
            "Answer after 1 h 33 min: fits, 70 h 27 min uncommitted",
        ),
    ],
)
def test_the_answer(steps: list[Step], lots: Sequence[LotWindow], said: str) -> None:
    assert str(plan_answer(schedule(steps, lots), lots)) == said


@settings(max_examples=60, deadline=None)
@given(steps_of(most=20), lots_of())
def test_no_answer_has_a_negative_figure(steps: list[Step], lots: list[LotWindow]) -> None:
    said = str(plan_answer(schedule(steps, lots), lots))

    assert not any(sign in said for sign in (" -", "−", "(-"))


def test_a_length_is_said_in_hours_and_never_negative() -> None:
    assert [str(hours_said(minutes)) for minutes in (0, 40, 78 * 60, 1104)] == [
        "0 h",
        "40 min",
        "78 h",
        "18 h 24 min",
    ]
    with pytest.raises(ValueError, match="never negative"):
        hours_said(-1)


def test_impossible_is_said_with_a_proof_only() -> None:
    three = [step(name, "machine", 40) for name in "xyz"]
    undecided = schedule(three, [lot(), lot("lot-2", start=100)])
    proved = schedule(LONG, [lot()])

    assert str(why_not(undecided)) == (
        "No plan found that fits; it is not proved that there is none."
    )
    assert why_not(proved) == proved.proof is not None
    assert why_not(schedule(family(), [lot()])) is None


def test_the_facts_of_the_api() -> None:
    steps = [
        step("read", "human", 1.5, before_window=True),
        step("run", "machine", 10.25, after=["read"]),
        step("more", "machine", 70, "useful"),
        step("play", "machine", 1, "exploratory"),
        step("long", "machine", 70, "exploratory"),
    ]

    assert in_hours(schedule(steps, [lot()])) == {
        "end_hours": "10.25",
        "window_hours": "72",
        "fits": True,
        "uncommitted_hours": "61.75",
        "exceeds_hours": None,
        "lower_bound_hours": "10.25",
        "proof": None,
        "dropped": ["more"],
        "may_be_dropped": [],
        "would_fit": [{"id": "play", "over_hours": "0"}, {"id": "long", "over_hours": "8.25"}],
        "steps": [
            {"id": "read", "start_hours": "-1.5", "end_hours": "0", "lane": "people"},
            {"id": "run", "start_hours": "0", "end_hours": "10.25", "lane": "lot-1/gpu-0"},
        ],
    }


def test_the_facts_of_a_plan_that_does_not_fit() -> None:
    facts = in_hours(schedule(LONG, [lot()]))

    assert (facts["end_hours"], facts["fits"], facts["exceeds_hours"]) == ("78", False, "6")
    assert facts["uncommitted_hours"] is None
    assert facts["proof"] == (
        "The essential part needs at least 78 h: 6 h more than the window of 72 h"
    )


@settings(max_examples=60, deadline=None)
@given(steps_of(most=20), lots_of())
def test_a_schedule_comes_back_from_its_record(steps: list[Step], lots: list[LotWindow]) -> None:
    made = schedule(steps, lots)

    assert from_record(json.loads(json.dumps(to_record(made)))) == made
