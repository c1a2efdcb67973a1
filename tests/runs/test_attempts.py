"""An attempt from all its sources: who ended it, what counts as the reason, how long it ran."""

from __future__ import annotations

import pytest

from app.runs.rules.attempts import facts_of, machine_s, started_at_us, step_of
from app.runs.rules.events import Status
from app.runs.rules.judging import Context
from punktum.stop_rules import StopRule
from tests.runs.stories import CONTEXT, RULES, SHA, T0, arrive, at_once, facts, said, started

NAN = said(2, metrics={"loss": "nan"}, elapsed_s=2)


def test_an_event_without_a_start_is_planned() -> None:
    found = facts([said(2, progress=3)])
    assert (found.started, found.status, found.end) == (False, Status.PLANNED, None)


@pytest.mark.parametrize("end", ["finish", "fail", "stop"])
def test_once_a_rule_asked_any_end_is_its_stop(end: str) -> None:
    code = 0 if end == "finish" else 7
    found = facts([started(), NAN, said(3, end, exit_code=code)])
    assert found.end is not None
    assert (found.status, found.end.reason_code, found.end.rule) == (
        Status.STOPPED, "rule:loss-not-finite", "loss-not-finite",
    )  # fmt: skip
    assert found.end.exit_code == code
    assert found.end.by == "rule"


def test_a_warning_stops_nothing() -> None:
    low = [said(seq, metrics={"f1": 0.1}) for seq in (2, 3, 4)]
    found = facts([started(), *low, said(5, "finish")])
    assert found.status is Status.COMPLETED
    assert [fired.rule for fired in found.firings] == ["f1-floor"]
    assert found.stopped_by is None


def test_the_wrappers_word_on_the_end_counts_first() -> None:
    story = [
        started("wrapper"),
        said(1, "finish"),
        said(2, "fail", "wrapper", reason_code="infra", signal=9),
    ]
    for order in (story, story[::-1]):
        found = facts_of(arrive(order))
        assert found.end is not None
        assert (found.status, found.end.signal, found.end.source) == (Status.FAILED, 9, "wrapper")


def test_a_late_end_corrects_lost_in_any_order() -> None:
    lost = said(1, "lost", "person", reason_text="the box is gone")
    story = [started(), lost, said(2, "finish")]
    assert facts([started(), lost]).status is Status.LOST
    for order in (story, story[::-1]):
        found = facts_of(arrive(order))
        assert found.status is Status.COMPLETED
        assert found.end is not None
        assert found.end.by == "job"


def test_a_person_who_stopped_it_is_outranked_by_what_the_job_had_said_before() -> None:
    close = said(1, "close", "person", reason_text="ended by hand")
    found = facts([started(), close])
    assert found.end is not None
    assert (found.status, found.end.reason_code, found.end.by) == (
        Status.STOPPED,
        "operator",
        "person",
    )
    assert facts([started(), close, said(2, "fail", exit_code=3)]).status is Status.STOPPED
    close = said(5, "close", "person", reason_text="ended by hand")
    assert facts([started(), close, said(2, "fail", exit_code=3)]).status is Status.FAILED


def test_an_assumed_loss_is_corrected_whenever_the_job_speaks() -> None:
    lost = said(1, "lost", "person", reason_text="gone")
    assert facts([started(), lost]).status is Status.LOST
    for seq in (2, 9):
        assert facts([started(), lost, said(seq, "finish")]).status is Status.COMPLETED


@pytest.mark.parametrize("source", ["main", "main-2", "rank-1", "shell"])
def test_what_another_process_says_after_the_end_changes_nothing(source: str) -> None:
    ended = [
        said(1, "start", "wrapper", step="control", config_sha256=SHA, elapsed_s=0),
        said(10, "finish", "wrapper", exit_code=0, elapsed_s=9),
    ]
    before = facts(ended)
    late = said(500, source=source, metrics={"loss": "nan"}, elapsed_s=499)
    after = facts([*ended, late])
    assert (after.status, after.end, after.firings) == (before.status, before.end, ())
    streams = at_once([*ended, late], CONTEXT)
    assert machine_s(streams) == 9
    in_time = said(8, source=source, metrics={"loss": "nan"}, elapsed_s=7)
    assert facts([*ended, in_time]).status is Status.STOPPED


HOURS = 9 * 3600


@pytest.mark.parametrize("off", [-HOURS, 0, HOURS])
def test_what_the_servers_clock_found_counts_whatever_the_jobs_clock_says(off: int) -> None:
    """The job's clock is wrong by hours: its end lies far before or behind what the clock found."""
    found = {"rule": "too-long", "value": "7200", "text": "2 h is over 1 h"}
    context = Context((StopRule("too-long", "overtime", after_s=3600),))
    found_at = said(1 + HOURS + off, "judge", "clock", fired=[found])._replace(seq=1)
    story = [started(), found_at, said(HOURS + 5, "stop", exit_code=0, elapsed_s=7300)]
    told = facts(story, context)
    assert (told.status, told.end and told.end.rule) == (Status.STOPPED, "too-long")


@pytest.mark.parametrize("set_by", [-HOURS, HOURS])
def test_a_clock_that_is_set_in_mid_run_moves_no_firing_behind_the_end(set_by: int) -> None:
    """By how long both processes say to have run, the value came before the end."""
    wrapper = [
        said(1, "start", "wrapper", step="control", config_sha256=SHA, elapsed_s=0),
        said(100 + HOURS, "fail", "wrapper", exit_code=1, elapsed_s=99),
    ]
    value = said(50 + HOURS - set_by, metrics={"loss": "nan"}, elapsed_s=49)
    assert facts([*wrapper, value]).status is Status.STOPPED


def test_reasons_that_were_not_said() -> None:
    ends = {"fail": "code_error", "stop": "operator", "finish": None}
    for kind, code in ends.items():
        end = facts([started(), said(2, kind)]).end
        assert end is not None
        assert end.reason_code == code


def test_the_first_rule_that_fired_is_the_reason() -> None:
    other = said(1, source="rank-1", fired=[{"rule": "mine"}], elapsed_s=1)
    context = Context((StopRule("mine", "custom"), *RULES))
    found = facts([started(), NAN, other, said(3, "stop")], context)
    assert [fired.rule for fired in found.firings] == ["mine", "loss-not-finite"]
    assert found.end is not None
    assert found.end.rule == "mine"


def test_machine_time_is_the_jobs_own_measure() -> None:
    assert machine_s(at_once([started(), said(2, elapsed_s=720 * 3600)])) == 720 * 3600
    assert machine_s(at_once([said(1, "start"), said(61)])) == 60
    assert machine_s(at_once([said(1, "ask", "person")])) == 0
    wrong_clock = [started(), said(5, elapsed_s=100), said(4, elapsed_s=90)]
    assert machine_s(at_once(wrong_clock)) == 100


def test_start_and_step_are_the_starts() -> None:
    streams = at_once([said(1, source="wrapper", step="x"), said(3, "start", step="a")])
    assert started_at_us(streams) == T0 + 3_000_000
    assert step_of(streams) == "a"
    assert started_at_us(at_once([said(5), said(4)])) == T0 + 4_000_000
