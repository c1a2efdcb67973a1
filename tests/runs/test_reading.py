"""Reading events: what is right is kept exactly, everything else is refused by its name."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.runs.rules.events import JOB_KINDS, REASONS, SOURCES, Kind
from app.runs.rules.reading import FIELDS, exit_event, read_event
from app.runs.rules.values import MOST_SEQ, Unreadable
from tests.runs.stories import SHA, T0

BEAT: dict[str, Any] = {"run": "a-01", "attempt_id": "1" * 32, "seq": 7, "kind": "beat"}
START: dict[str, Any] = {**BEAT, "kind": "start", "step": "a", "config_sha256": SHA}


def _refused(body: object, **known: str) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        read_event(body, **known)
    json.dumps([caught.value.field, str(caught.value.said)]).encode()
    return caught.value


def test_a_beat_as_the_client_sends_it() -> None:
    event = read_event(
        {
            **BEAT,
            "source": "rank-3",
            "at": "2026-12-01T08:00:00.000Z",
            "elapsed_s": 1800,
            "progress": 10,
            "total": None,
            "metrics": {"loss": "nan", "f1": 0.82},
            "fired": [
                {
                    "rule": "r",
                    "metric": "loss",
                    "value": "nan",
                    "act": "stop",
                    "text": "loss is nan",
                }
            ],
            "judged": {"r": {"evaluated": 4, "hits": 1, "last": "nan"}},
        }
    )
    assert (event.run, event.source, event.seq, event.kind) == ("a-01", "rank-3", 7, Kind.BEAT)
    assert event.at_us == T0
    assert "total" not in event.fields
    assert event.fields["metrics"] == {"loss": "nan", "f1": 0.82}


def test_run_and_kind_come_from_the_address() -> None:
    event = read_event({"seq": 1}, run="a-01", kind="beat")
    assert (event.run, event.kind) == ("a-01", Kind.BEAT)
    assert read_event({"run": "a-01", "kind": "beat"}, run="a-01", kind="beat").seq is None
    assert _refused({"run": "b"}, run="a-01", kind="beat").field == "run"
    assert _refused({"kind": "stop"}, run="a-01", kind="beat").field == "kind"


def test_a_post_without_a_number_is_a_shells() -> None:
    assert read_event({}, run="a", kind="beat").source == "shell"
    assert read_event({"seq": 1}, run="a", kind="beat").source == "main"


@pytest.mark.parametrize("run", ["", ".a", "a/b", "a b", "ä", "a" * 65, "a\n"])
def test_run_ids_have_a_pattern(run: str) -> None:
    assert _refused({}, run=run, kind="beat").field == "run_id"


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, "NaN", "1e999", "-Infinity", " nan "]
)
def test_values_that_are_not_finite_become_texts(value: float | str) -> None:
    event = read_event({**BEAT, "metrics": {"loss": value}})
    assert event.fields["metrics"]["loss"] in ("nan", "inf", "-inf")
    json.dumps(event.fields, allow_nan=False)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("metrics", {"loss": True}),
        ("metrics", {"loss": "good"}),
        ("metrics", {"loss": None}),
        ("metrics", {"loss\x00": 1}),
        ("metrics", {"\ud800": 1}),
        ("metrics", [1]),
        ("metrics", {str(n): n for n in range(501)}),
        ("seq", 0),
        ("seq", 1.0),
        ("seq", "7"),
        ("seq", 2**53),
        ("seq", 2**63),
        ("seq", True),
        ("progress", -1),
        ("elapsed_s", 10**10),
        ("expect_next_s", 0),
        ("at", "2026-12-01T08:00:00"),
        ("at", "2026-12-01"),
        ("at", "yesterday"),
        ("at", 1_796_112_000),
        ("at", "1969-12-31T00:00:00Z"),
        ("at", "9999-12-31T23:59:59Z"),
        ("source", "person"),
        ("source", "Main"),
        ("source", "gpu"),
        ("source", "clock"),
        ("source", "main-"),
        ("source", "rank"),
        ("source", "main2"),
        ("source", "rank-" + "1" * 40),
        ("attempt_id", "1" * 31),
        ("note", "a\x07b"),
        ("note", "\ud800"),
        ("note", "x" * 501),
        ("step", 3),
        ("fired", [{"metric": "loss"}]),
        ("fired", [{"rule": "r", "act": "explode"}]),
        ("fired", {"rule": "r"}),
        ("judged", {"r": {"evaluated": -1}}),
        ("judged", {"r": {"strange": 1}}),
    ],
)
def test_a_wrong_value_is_refused_by_its_field(field: str, value: object) -> None:
    assert _refused({**BEAT, field: value}).field.split(".")[0] == field


@pytest.mark.parametrize(
    "source",
    [
        "wrapper",
        "wrapper-2",
        "main",
        "main-2",
        "rank-0",
        "rank-128",
        "rank-3-2",
        "tracker",
        "shell",
    ],
)
def test_a_source_is_one_of_those_that_clients_use(source: str) -> None:
    assert read_event({**BEAT, "source": source}).source == source


def test_another_source_is_refused_with_the_forms_that_are_right() -> None:
    refused = _refused({**BEAT, "source": "gpu"})
    assert (refused.field, refused.allowed) == ("source", SOURCES)
    assert [read_event({**BEAT, "source": one}).source for one in SOURCES] == list(SOURCES)


def test_the_number_of_an_event_is_one_that_every_reader_of_json_takes() -> None:
    assert read_event({**BEAT, "seq": MOST_SEQ}).seq == MOST_SEQ
    assert str(MOST_SEQ) in str(_refused({**BEAT, "seq": MOST_SEQ + 1}).said)


@pytest.mark.parametrize(
    ("kind", "said", "field"),
    [
        ("beat", {"seq": 10**400}, "seq"),
        ("beat", {"progress": 10**400}, "progress"),
        ("checkpoint", {"write_s": 10**400}, "write_s"),
        ("beat", {"restore": {"passed": True, "save_s": 10**400}}, "restore.save_s"),
    ],
)
def test_a_number_that_is_too_long_is_called_so(
    kind: str, said: dict[str, Any], field: str
) -> None:
    refused = _refused({**BEAT, "kind": kind, **said})
    assert refused.field == field
    assert "a number is too long" in str(refused.said)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (2**63 - 1, 2**63 - 1),
        (2**63, 2.0**63),
        (-(10**30), -1e30),
        (10**400, "inf"),
        (-(10**400), "-inf"),
    ],
)
def test_a_metric_of_more_than_64_bits_is_the_nearest_float(value: int, kept: float | str) -> None:
    found = read_event({**BEAT, "metrics": {"loss": value}}).fields["metrics"]["loss"]
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(
    ("kind", "said", "field", "allowed"),
    [
        *[("finish", {"reason_code": one}, "reason_code", ("rule:<id>",)) for one in REASONS],
        ("fail", {"exit_code": 0}, "exit_code", None),
        ("finish", {"exit_code": 3}, "exit_code", ("0",)),
        *[
            (kind, {"judged": {"r": {"evaluated": 3, "hits": 4}}}, "judged.r.hits", None)
            for kind in ("start", "beat", "checkpoint", "stop", "fail", "finish")
        ],
    ],
)
def test_what_contradicts_itself_is_refused_by_its_field(
    kind: str, said: dict[str, Any], field: str, allowed: tuple[str, ...] | None
) -> None:
    needed = {"step": "control", "config_sha256": SHA} if kind == "start" else {}
    refused = _refused({**BEAT, "kind": kind, **needed, **said})
    assert (refused.field, refused.allowed) == (field, allowed)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("finish", {"rule": "mine"}),
        ("finish", {"reason_code": "rule:mine", "exit_code": 0}),
        ("fail", {"exit_code": 1, "reason_code": "code_error"}),
        ("fail", {"reason_code": "infra"}),
        ("stop", {"exit_code": 0, "reason_code": "operator"}),
        ("beat", {"judged": {"r": {"evaluated": 3, "hits": 3}, "s": {"hits": 2}}}),
    ],
)
def test_what_goes_together_is_taken(kind: str, said: dict[str, Any]) -> None:
    fields = read_event({**BEAT, "kind": kind, **said}).fields
    assert {name: fields[name] for name in said} == said


def test_no_more_inputs_are_cut_short_than_there_are() -> None:
    counts = {"expected": 3, "truncated": 3}
    assert read_event({**BEAT, "inputs": {"a": counts}}).fields["inputs"] == {"a": counts}
    refused = _refused({**BEAT, "inputs": {"a": counts, "b": {"expected": 3, "truncated": 4}}})
    assert refused.field == "inputs.b.truncated"
    assert "3" in str(refused.said)


def test_an_unknown_field_is_named_with_those_that_are_right() -> None:
    refused = _refused({**BEAT, "exit_code": 1})
    assert refused.field == "exit_code"
    assert refused.allowed is not None
    assert "metrics" in refused.allowed
    assert "exit_code" not in refused.allowed
    assert "\x00" not in _refused({**BEAT, "a\x00b": 1}).field


@pytest.mark.parametrize("field", ["step", "config_sha256"])
def test_a_start_needs_its_step_and_its_configuration(field: str) -> None:
    assert _refused({name: value for name, value in START.items() if name != field}).field == field


def test_a_start_keeps_its_configuration() -> None:
    config = {"params": {"lr": "0.1"}, "git_commit": "abcdef1", "corpora": {"eval": SHA}}
    event = read_event({**START, "config": config, "gpus": [0, 1], "takeover": True})
    assert event.fields["config"] == config
    assert _refused({**START, "config": {"params": {"lr": 0.1}}}).field == "config.params.lr"
    assert _refused({**START, "config": {"lr": "0.1"}}).field == "config.lr"


def test_the_rule_of_a_stop() -> None:
    for said in (
        {"reason_code": "rule:loss"},
        {"rule": "loss"},
        {"rule": "loss", "reason_code": "rule:loss"},
    ):
        event = read_event({**BEAT, "kind": "stop", **said})
        assert (event.fields["rule"], event.fields["reason_code"]) == ("loss", "rule:loss")
    assert _refused({**BEAT, "kind": "stop", "rule": "a", "reason_code": "rule:b"}).field == "rule"
    refused = _refused({**BEAT, "kind": "fail", "reason_code": "bad luck"})
    assert refused.allowed is not None
    assert "code_error" in refused.allowed
    assert _refused({**BEAT, "kind": "stop", "reason_code": "rule:"}).field == "reason_code"


def test_a_run_that_finished_has_no_other_exit_code_than_0() -> None:
    assert read_event({**BEAT, "kind": "finish", "exit_code": 0}).fields["exit_code"] == 0
    assert _refused({**BEAT, "kind": "finish", "exit_code": 1}).field == "exit_code"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"log_tail": "Traceback …\nValueError: no such file\n\n"}, "ValueError: no such file"),
        ({"log_tail": "ValueError: x", "reason_text": "mine"}, "mine"),
        ({"log_tail": " \n\n"}, None),
        ({}, None),
    ],
)
def test_a_failure_without_a_reason_has_the_last_line_of_its_log(
    said: dict[str, Any], reason: str | None
) -> None:
    event = read_event({**BEAT, "kind": "fail", **said})
    assert event.fields.get("reason_text") == reason
    finished = read_event({**BEAT, "kind": "finish", "log_tail": "a line"})
    assert "reason_text" not in finished.fields


def test_a_log_tail_shows_its_control_characters() -> None:
    tail = "é" * 20_000 + "\x1b[0m\ud800\n"
    event = read_event({**BEAT, "kind": "fail", "log_tail": tail})
    kept = event.fields["log_tail"]
    assert kept.endswith("\\x1b[0m\\xd800\n")
    assert len(kept.encode()) <= 10_240


@pytest.mark.parametrize("body", [None, 3, "beat", [], [BEAT]])
def test_what_is_no_object_is_refused(body: object) -> None:
    assert _refused(body, run="a", kind="beat").field == "body"


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    refused = _refused({**BEAT, "kind": "lost"})
    assert refused.allowed == JOB_KINDS
    assert _refused({"run": "a"}).field == "kind"


@pytest.mark.parametrize(
    ("code", "kind", "fields"),
    [
        (0, "finish", {"exit_code": 0}),
        (3, "fail", {"exit_code": 3, "reason_code": "code_error"}),
        (128, "fail", {"exit_code": 128, "reason_code": "code_error"}),
        (129, "fail", {"exit_code": 129, "signal": 1, "reason_code": "infra"}),
        (130, "stop", {"exit_code": 130, "signal": 2, "reason_code": "operator"}),
        (143, "stop", {"exit_code": 143, "signal": 15, "reason_code": "infra"}),
        (137, "fail", {"exit_code": 137, "signal": 9, "reason_code": "infra"}),
        (139, "fail", {"exit_code": 139, "signal": 11, "reason_code": "infra"}),
        (192, "fail", {"exit_code": 192, "signal": 64, "reason_code": "infra"}),
        (193, "fail", {"exit_code": 193, "reason_code": "code_error"}),
        (255, "fail", {"exit_code": 255, "reason_code": "code_error"}),
    ],
)
def test_exit_codes_are_read_as_shells_write_them(
    code: int, kind: str, fields: dict[str, Any]
) -> None:
    event = exit_event("a-01", code, b"")
    assert (event.kind.value, event.fields) == (kind, fields)


def test_the_end_of_a_log_gives_the_reason() -> None:
    event = exit_event(
        "a-01", 1, b"x" * 20_000 + b"\r\nTraceback\n\xff\xfe Error: no space\tleft\n\n"
    )
    assert event.fields["reason_text"].endswith("Error: no space left")
    assert len(event.fields["log_tail"].encode()) <= 10_240
    with pytest.raises(Unreadable):
        exit_event("a-01", 256, b"")


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(JOB_KINDS),
    st.dictionaries(
        st.sampled_from(sorted({*FIELDS[Kind.START], *FIELDS[Kind.STOP]})),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=5), inner, max_size=3)
            ),
            max_leaves=6,
        ),
        max_size=6,
    ),
)
def test_whatever_comes_is_read_or_refused(kind: Kind, body: dict[str, Any]) -> None:
    try:
        event = read_event({**body, "kind": kind.value, "run": "a"})
    except Unreadable as refused:
        json.dumps([refused.field, str(refused.said)], ensure_ascii=False).encode()
    else:
        json.dumps(event.fields, allow_nan=False, ensure_ascii=False).encode()
