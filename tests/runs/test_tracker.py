"""What a tracker says, translated: ids that hold everything, moments, and what cannot be read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.runs.rules.events import RUN_ID
from app.runs.rules.tracked import log_events
from app.runs.rules.tracker import Reference, created, fingerprint, logged, reference
from app.runs.rules.values import METRICS, Unreadable

ATTEMPT = "ab" * 16
MLFLOW_TAKES = r"[a-zA-Z0-9][\w\-]{0,255}"


def _metric(key: str, value: object, step: int = 0, timestamp: int = 1) -> dict[str, Any]:
    return {"key": key, "value": value, "step": step, "timestamp": timestamp}


@given(st.from_regex(RUN_ID, fullmatch=True), st.booleans())
def test_an_id_that_was_given_is_read_again(run: str, attached: bool) -> None:
    ref = Reference(ATTEMPT, run, attached)
    assert reference(ref.said) == ref
    assert re.fullmatch(MLFLOW_TAKES, ref.said)


@pytest.mark.parametrize("said", [None, "", "x", ATTEMPT, f"{ATTEMPT}-", f"{ATTEMPT}-_d", 3])
def test_other_ids_are_refused(said: object) -> None:
    with pytest.raises(Unreadable):
        reference(said)


def test_values_of_one_step_are_one_moment_in_their_order() -> None:
    told = logged(
        {
            "metrics": [
                _metric("a", 1, 1),
                _metric("b", 2, 1),
                _metric("a", 3, 2),
                _metric("a", 4, 2),
            ]
        }
    )
    assert [(one.step, dict(one.values)) for one in told.values] == [
        (1, {"a": 1, "b": 2}),
        (2, {"a": 3}),
        (2, {"a": 4}),
    ]


def test_no_moment_holds_more_than_an_event_takes() -> None:
    told = logged({"metrics": [_metric(f"m{number}", 1) for number in range(2 * METRICS + 1)]})
    assert [len(one.values) for one in told.values] == [METRICS, METRICS, 1]


def test_progress_never_goes_back() -> None:
    told = logged({"metrics": [_metric("loss", 1, 1200), _metric("eval", 1, 3), _metric("x", 1)]})
    said = {"began_us": None, "started": True, "event_id": "e"}
    events = log_events(ATTEMPT, "a", told, progress=900, **said)  # type: ignore[arg-type]
    assert [event.fields["progress"] for event in events] == [1200, 1200, 1200]
    assert ["event_id" in event.fields for event in events] == [False, False, True]


def test_times_that_are_none_are_left_out() -> None:
    told = logged({"metrics": [_metric("a", 1, timestamp=when) for when in (0, -5, 10**18)]})
    assert [one.at_us for one in told.values] == [None, None, None]


@pytest.mark.parametrize("value", [None, "good", [], {}, True])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(Unreadable):
        logged({"metrics": [_metric("a", value)]})


def test_a_run_without_a_name_has_a_step_all_the_same() -> None:
    assert created({}).proposal == "training-01"
    assert created({"run_name": "Größe 1/2\n"}).step == "Größe 1/2"


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4))
def test_the_same_call_has_the_same_name_whatever_the_order(body: dict[str, Any]) -> None:
    turned = dict(reversed(list(body.items())))
    assert fingerprint("a", body) == fingerprint("a", turned) != fingerprint("b", body)
