"""What goes to the journal: starts, stop records and ends, once, and again where they move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.runs.rules.attempts import NOTHING
from app.runs.rules.binding import (
    Binding,
    Subject,
    bindings,
    disagreement,
    ended_payload,
    stop_facts,
)
from app.runs.rules.events import Stored
from app.runs.rules.metrics import MetricSeen
from tests.runs.stories import SHA, facts, said, started

SUBJECT = Subject("a-01", 1, "1" * 32, "control", SHA, 90, {"host": "box", "gpus": [0]}, 0)
NAN = said(3, metrics={"loss": "nan"})


def _entries(before: Sequence[Stored], now: Sequence[Stored]) -> list[Binding]:
    old = facts(before) if before else NOTHING
    return list(bindings(SUBJECT, old, facts(now)))


def test_a_start_binds_once() -> None:
    (entry,) = _entries([], [started()])
    assert (entry.kind, entry.by) == ("run.started", "job")
    assert entry.payload["config_sha256"] == SHA
    assert entry.payload["host"] == "box"
    assert _entries([started()], [started(), said(2), said(3, progress=4)]) == []


def test_a_rule_that_fires_is_recorded_by_the_rule() -> None:
    (entry,) = _entries([started()], [started(), NAN])
    assert (entry.kind, entry.by) == ("run.stop_recorded", "rule:loss-not-finite")
    said_of = {
        name: entry.payload[name] for name in ("rule", "reason_code", "metric", "value", "act")
    }
    assert said_of == {
        "rule": "loss-not-finite",
        "reason_code": "rule:loss-not-finite",
        "metric": "loss",
        "value": "nan",
        "act": "stop",
    }


def test_a_rule_that_fired_on_the_box_is_recorded_by_the_job() -> None:
    fired = said(3, fired=[{"rule": "loss-not-finite", "value": "nan", "text": "loss is nan"}])
    (entry,) = _entries([started()], [started(), fired])
    assert entry.by == "job"
    assert (entry.payload["fired_on_box"], entry.payload["confirmed"]) == (True, False)


def test_the_end_after_a_rule_adds_no_second_stop_record() -> None:
    story = [started(), NAN]
    (entry,) = _entries(story, [*story, said(4, "stop", rule="loss-not-finite", exit_code=3)])
    assert (entry.kind, entry.by) == ("run.ended", "rule")
    assert (entry.payload["status"], entry.payload["exit_code"]) == ("stopped", 3)


def test_another_stop_is_recorded_with_its_reason() -> None:
    story = [started(), said(2, "stop", reason_code="infra", reason_text="interrupted, clean")]
    stop, end = _entries([started()], story)
    assert (stop.kind, stop.payload["reason_code"], stop.payload["rule"]) == (
        "run.stop_recorded",
        "infra",
        None,
    )
    assert (end.kind, end.payload["reason_text"]) == ("run.ended", "interrupted, clean")


def test_a_stop_by_a_rule_of_the_jobs_own() -> None:
    named = said(2, "stop", rule="mine", reason_code="rule:mine", reason_text="enough")
    stop, _end = _entries([started()], [started(), named])
    assert (stop.payload["rule"], stop.payload["key"]) == (None, "ended")
    assert (stop.payload["reason_code"], stop.payload["text"]) == ("operator", "mine: enough")
    assert stop.by == "job"


def test_a_failure_is_no_stop() -> None:
    (entry,) = _entries([started()], [started(), said(2, "fail", exit_code=1)])
    assert entry.kind == "run.ended"
    assert entry.payload["reason_code"] == "code_error"


def test_a_person_who_asks_is_in_the_register() -> None:
    ask = said(1, "ask", "person", reason_text="wrong corpus")
    (entry,) = _entries([started()], [started(), ask])
    assert (entry.by, entry.payload["text"], entry.payload["key"]) == (
        "person",
        "wrong corpus",
        "asked",
    )


def test_evidence_that_came_late_moves_a_firing_by_a_further_entry() -> None:
    earlier = said(2, metrics={"loss": "inf"})
    (entry,) = _entries([started(), NAN], [started(), earlier, NAN])
    assert (entry.kind, entry.payload["value"]) == ("run.stop_recorded", "inf")


def test_a_firing_that_lay_behind_the_end_is_withdrawn() -> None:
    story = [started(), NAN]
    withdrawn, ended = _entries(story, [*story, said(2, "finish")])
    assert (withdrawn.kind, withdrawn.payload["withdrawn"]) == ("run.stop_recorded", True)
    assert ended.payload["status"] == "completed"


def test_a_late_end_says_what_it_corrects() -> None:
    lost = [started(), said(1, "lost", "person", reason_text="gone")]
    (entry,) = _entries(lost, [*lost, said(2, "finish")])
    assert (entry.payload["status"], entry.payload["corrects"]) == ("completed", "lost")


def test_the_register_of_an_attempt_names_each_thing_once() -> None:
    found = facts([started(), NAN, said(1, "ask", "person"), said(4, "stop")])
    assert [line.key for line in stop_facts(found)] == ["rule:loss-not-finite", "asked"]


def test_an_end_is_written_again_only_when_its_values_changed() -> None:
    story = [started(), said(2, "finish", metrics={"f1": 0.8})]
    seen = {"f1": MetricSeen("0.8", "0.8", "0.8", "0.8")}
    before, now = facts(story), facts([*story, said(1, "ask", "person")])
    measured = replace(SUBJECT, metrics=seen)
    assert [b.kind for b in bindings(measured, before, now, seen)] == ["run.stop_recorded"]
    (entry,) = bindings(measured, before, before, {})
    assert entry.payload["metrics"] == {"f1": seen["f1"]._asdict()}


def test_a_value_that_an_older_entry_does_not_carry_is_no_disagreement() -> None:
    now = facts([started(), said(2, "finish")])
    assert now.end is not None
    written = ended_payload(SUBJECT, now.end, None)
    older = {name: value for name, value in written.items() if name not in ("metrics", "corpora")}
    assert disagreement(SUBJECT, now, older) == ()
    assert disagreement(SUBJECT, now, {**written, "exit_code": 7}) == ("exit_code",)
    assert disagreement(SUBJECT, now, None) == ("end",)
    assert disagreement(SUBJECT, facts([started()]), written) == ("end",)
