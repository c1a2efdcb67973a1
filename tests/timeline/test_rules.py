"""The forecast, the deviations and the answer, as pure functions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.timeline.rules.answer import answer
from app.timeline.rules.facts import DONE, FAILED, RUNNING, SILENT, STOPPED, Decided, Facts
from app.timeline.rules.forecast import forecast
from app.timeline.rules.lines import StepLine, step_lines
from app.timeline.rules.states import state_of
from tests.timeline.cases import FAMILY, H, at, facts, middle, step, work


def _lines(case: Facts) -> dict[str, StepLine]:
    return {line.id: line for line in step_lines(case, forecast(case))}


def test_before_anything_happened_the_forecast_is_the_sealed_plan() -> None:
    case = facts(-1)
    ahead = forecast(case)
    planned = {one.id: (one.start_min * 60, one.end_min * 60) for one in case.sealed.placements}
    assert {bar[0]: bar[1:3] for bar in ahead.bars} == planned
    assert (ahead.end_s, ahead.spare_s) == (48 * H, 24 * H)
    assert str(answer(case, ahead).text).startswith("Answer by ")


def test_in_the_middle_what_is_done_is_fixed_and_the_rest_is_placed_from_now() -> None:
    case = middle()
    ahead = forecast(case)
    bars = {bar[0]: bar[1:3] for bar in ahead.bars}
    assert set(bars) == {"a", "b", "retrieve"}
    assert bars["a"] == (round(31.2 * H), round(37.6 * H))
    assert bars["b"] == (round(37.6 * H), round(47.6 * H))
    assert bars["retrieve"] == (round(47.6 * H), round(53.6 * H))
    assert ahead.spare_s == round(18.4 * H)
    lines = _lines(case)
    assert lines["control"].duration_delta_s == round(0.7 * H)
    assert lines["control"].end_delta_s == round(0.7 * H)
    assert lines["a"].is_forecast
    assert lines["a"].observed_s == round(7.8 * H)
    assert lines["a"].duration_delta_s == round((4.2 + 10 - 10) * H)


def test_what_runs_past_its_estimate_is_given_one_more_minute() -> None:
    case = facts(20, [work("prepare", 0, 4), work("install", 4, 20, "i-01", RUNNING)])
    bars = {bar[0]: bar[1:3] for bar in forecast(case).bars}
    assert bars["install"] == (20 * H, 20 * H + 60)


def test_a_stop_is_not_told_as_work_that_was_done() -> None:
    begun = [work("prepare", 0, 5)]
    for done in ([], begun):
        case = facts(6, done, decided=Decided(stopped=True))
        said = answer(case, forecast(case))
        assert str(said.text).startswith("Stopped by a decision, 2 d ")
        assert said.kind == "fits"
    all_done = [work(one.id, n, n + 1) for n, one in enumerate(FAMILY)]
    case = facts(9, all_done, decided=Decided((("decide", at(4)),), stopped=True))
    assert str(answer(case, forecast(case)).text).startswith("All planned work is done")


def test_a_stop_before_any_lot_has_a_start_leaves_no_figure() -> None:
    case = facts(6, dated=False, decided=Decided(stopped=True))
    assert forecast(case).spare_s is None


def test_a_window_that_nobody_rented_is_not_called_rented() -> None:
    rented = facts(100)
    planned = replace(rented, windows=tuple(replace(w, ordered=False) for w in rented.windows))
    assert str(answer(rented, forecast(rented)).text).startswith("The rented window is over")
    assert str(answer(planned, forecast(planned)).text).startswith("The planned window is over")


def test_a_plan_that_slipped_says_by_how_much_it_exceeds() -> None:
    case = facts(50, [work("prepare", 0, 49)], decided=Decided())
    said = answer(case, forecast(case))
    assert said.kind == "exceeds"
    assert said.spare_s is not None
    assert said.spare_s < 0
    assert "Exceeds the lot by" in str(said.text)
    assert "-" not in str(said.text)


def test_all_done_says_what_is_left() -> None:
    done = [
        work(one.id, n, n + 1, None if one.kind in ("human", "transfer") else one.id)
        for n, one in enumerate(FAMILY)
    ]
    case = facts(20, done)
    ahead = forecast(case)
    assert ahead.bars == ()
    assert str(answer(case, ahead).text) == "All planned work is done, 2 d 16 h to spare"


def test_closed_says_the_outcome_and_what_was_left() -> None:
    case = replace(middle(), closed_at=at(61), outcome="negative")
    said = answer(case, forecast(case), "no variant reaches 0.82")
    assert said.kind == "closed"
    assert str(said.text) == "Closed: no variant reaches 0.82, decided with 11 h left"
    assert said.next == ()


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([("r", DONE)], "done"),
        ([("r", RUNNING)], "running"),
        ([("r", SILENT)], "running"),
        ([("r", STOPPED)], "stopped"),
        ([("r", FAILED)], "stopped"),
        ([("r", STOPPED), ("s", RUNNING)], "running"),
        ([("r", STOPPED), ("s", DONE)], "done"),
        ([("r", STOPPED), ("r", DONE)], "done"),
        ([], "not_started"),
    ],
)
def test_the_state_of_a_step_is_the_latest_word_on_it(
    kinds: list[tuple[str, str]], expected: str
) -> None:
    spans = [work("control", 2 * n, 2 * n + 1, run, kind) for n, (run, kind) in enumerate(kinds)]
    case = facts(30, spans)
    assert state_of(FAMILY[4], case) == expected


def test_a_run_that_a_rule_stopped_on_its_verdict_is_not_repeated() -> None:
    judged = facts(30, [work("a", 12, 13, "a-01", STOPPED, proof=True)])
    broken = facts(30, [work("a", 12, 13, "a-01", STOPPED)])
    assert "a" not in {bar[0] for bar in forecast(judged).bars}
    assert "a" in {bar[0] for bar in forecast(broken).bars}


def test_a_cut_step_is_dropped_and_frees_its_time() -> None:
    case = facts(0, decided=Decided(cut=("b",)))
    assert state_of(FAMILY[6], case) == "dropped"
    assert forecast(case).end_s == 38 * H


def test_what_is_due_next_is_said_shortly() -> None:
    case = facts(
        12,
        [work("prepare", 0, 4), work("install", 4, 6, "i"), work("pilot", 6, 10, "p")],
        announced=4,
    )
    said = [str(line) for line in answer(case, forecast(case)).next]
    assert said[0] == "Decide: Decide."
    assert said[1].startswith("Begin retrieving by ")
    assert "(0 of 4 accepted)" in said[1]


def test_without_a_date_the_answer_counts_in_hours() -> None:
    case = replace(facts(0, dated=False), version=0, sealed_at=None)
    assert str(answer(case, forecast(case)).text) == "Answer after 48 h, 24 h to spare"


def test_a_draft_without_steps_or_lots_says_what_is_missing() -> None:
    nothing = replace(facts(0, steps=()), version=0)
    assert str(answer(nothing, forecast(nothing)).text) == "No steps are planned yet"
    homeless = replace(facts(0, steps=(step("x", "human", 1),)), windows=(), zero_at=None)
    assert answer(homeless, forecast(homeless)).kind == "open"


@settings(max_examples=60, deadline=None)
@given(now=st.floats(0, 90), spent=st.floats(0.1, 30))
def test_the_forecast_never_lies_in_the_past_and_the_sealed_plan_never_moves(
    now: float, spent: float
) -> None:
    ends = min(spent, now)
    case = facts(now, [work("prepare", 0, ends)] if ends > 0 else [])
    ahead = forecast(case)
    assert all(bar[1] >= round(now * H) - 1 for bar in ahead.bars)
    assert (ahead.spare_s is None) or (ahead.exceeds_s is None)
    assert {line.planned for line in step_lines(case, ahead)} == {
        (one.start_min * 60, one.end_min * 60) for one in case.sealed.placements
    }


def test_what_can_no_longer_change_the_choice_is_said_until_it_is_begun_or_cut() -> None:
    said = "B cannot change the choice any more: cutting it saves 10 h."
    idle = facts(20, unneeded=("b",))
    assert said in [str(one) for one in answer(idle, forecast(idle)).next]
    for changed in (
        facts(20, [work("b", 19, 20, "b-01", RUNNING)], unneeded=("b",)),
        facts(20, unneeded=("b",), decided=Decided(cut=("b",))),
        facts(20),
    ):
        assert said not in [str(one) for one in answer(changed, forecast(changed)).next]
