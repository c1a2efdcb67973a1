"""Numbers that cannot be: what is not kept is said once, and no training is disturbed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import punktum
from punktum.counts import LONGEST_S, MOST, read_count, read_seconds
from tests.punktum_client.box import Box


class Odd:
    """A value that fails in every way."""

    def __index__(self) -> int:
        raise RuntimeError("no")

    def __float__(self) -> float:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("no")


ANYTHING = st.one_of(
    st.integers(), st.floats(), st.text(), st.none(), st.binary(), st.lists(st.integers()),
    st.integers(min_value=10**30), st.booleans(), st.just(Odd()), st.complex_numbers(),
)  # fmt: skip


@given(ANYTHING)
def test_whatever_is_given_is_kept_as_it_is_or_said(value: Any) -> None:
    count, seconds = read_count(value), read_seconds(value)
    if count.kept is None:
        assert count.wrong
    else:
        assert type(count.kept) is int
        assert 0 <= count.kept <= MOST
        assert (count.wrong is None) == (count.kept == float(value) or count.kept == value)
    if seconds.kept is None:
        assert seconds.wrong
    else:
        assert 0 <= seconds.kept <= LONGEST_S
        assert math.isclose(seconds.kept, float(value), abs_tol=0.001)


@pytest.mark.parametrize(
    ("value", "kept", "wrong"),
    [
        (0, 0, None),
        (MOST, MOST, None),
        (3.0, 3, None),
        ("12", 12, None),
        (True, 1, None),
        (10**30, None, f"10^30 is above {MOST}; not kept"),
        (-(10**30), None, "-10^30 is below 0; not kept"),
        pytest.param(10**5000, None, f"10^5000 is above {MOST}; not kept", id="long"),
        (float("inf"), None, f"inf is above {MOST}; not kept"),
        (float("nan"), None, "nan is no number; not kept"),
        (-1, None, "-1 is below 0; not kept"),
        (0.5, 0, "0.5 is no whole number; 0 is kept"),
        ("x", None, "'x' is no number; not kept"),
        (None, None, "None is no number; not kept"),
        (Odd(), None, "a Odd is no number; not kept"),
    ],
)
def test_a_count(value: object, kept: int | None, wrong: str | None) -> None:
    found = read_count(value)
    assert (found.kept, found.wrong) == (kept, wrong)


ABSURD = [10**30, -1, float("nan"), float("inf"), "x", Odd(), [1]]
CALLS: list[tuple[str, Callable[[Any, Any], object]]] = [
    ("progress", lambda run, value: run.progress(value, 9)),
    ("total", lambda run, value: run.progress(2, value)),
    ("size of a checkpoint", lambda run, value: run.checkpoint("x", size=value)),
    ("write_s of a checkpoint", lambda run, value: run.checkpoint("x", write_s=value)),
    ("inputs of eval cut", lambda run, value: run.input_truncated("eval", value, 5)),
    ("inputs of eval", lambda run, value: run.input_truncated("eval", 1, value)),
    ("save_s of a restore check", lambda run, value: run.restore_check(True, save_s=value)),
    ("steps of a restore check", lambda run, value: run.restore_check(True, steps=value)),
]


@pytest.mark.parametrize("value", ABSURD, ids=[type(one).__name__ + "-" + str(n) for n, one in
                                               enumerate(ABSURD)])  # fmt: skip
@pytest.mark.parametrize(("name", "call"), CALLS, ids=[name for name, _ in CALLS])
def test_what_cannot_be_is_said_once_and_the_rest_is_kept(
    box: Box,
    capsys: pytest.CaptureFixture[str],
    name: str,
    call: Callable[[Any, Any], object],
    value: Any,
) -> None:
    with punktum.run("control", params={}) as run:
        for _ in range(3):
            call(run, value)
    said = capsys.readouterr().err
    assert said.count(f"punktum: {name}: ") == 1, said
    assert "while recording" not in said
    kinds = [event["kind"] for event in box.spooled()]
    if "checkpoint" in name:
        assert kinds.count("checkpoint") == 3
    if "restore" in name:
        assert [one["restore"] for one in box.spooled() if "restore" in one] == [
            {"passed": True}
        ] * 3
    assert str(MOST) not in str(box.spooled())


def test_a_number_that_can_be_is_kept_after_one_that_cannot(box: Box) -> None:
    with punktum.run("control", params={}) as run:
        for step in (1, 10**30, 2, -7, 3):
            run.progress(step, 10**30 if step == 2 else 3)
    assert (box.spooled_end()["progress"], box.spooled_end()["total"]) == (3, 3)


@pytest.mark.parametrize("beat_s", [float("nan"), float("inf"), -1, "soon", None, 10**30])
def test_beats_that_cannot_be_are_the_usual_ones(
    box: Box, capsys: pytest.CaptureFixture[str], beat_s: Any
) -> None:
    with punktum.run("control", params={}, beat_s=beat_s):
        pass
    assert box.spooled()[0]["expect_next_s"] == 60
    said = capsys.readouterr().err
    assert "is not between 0 and 86400 seconds; 30 is taken" in said


def test_states_that_there_are_not_are_said(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    with punktum.run("control", params={}) as run:
        for _ in range(2):
            run.checkpoint("x", size=1, states=["optimizer", "weights"])
        run.checkpoint("x", size=1, states="optimizer")
    said = capsys.readouterr().err
    assert said.count("states of a checkpoint: weights not kept; there are parameters, ") == 1
    kept = [event["states"] for event in box.spooled() if event["kind"] == "checkpoint"]
    assert kept == [["optimizer"]] * 3


CUT: list[tuple[list[tuple[Any, Any]], dict[str, int] | None, int]] = [
    ([(5, 2)], None, 1),
    ([(1, 0)], None, 1),
    ([(5, 2), (7, 3), (MOST, 1)], None, 1),
    ([(1, 4), (5, 2), (2, 2)], {"expected": 6, "truncated": 3}, 1),
    ([(0, 0), (3, None)], {"expected": 3, "truncated": 3}, 0),
]


@pytest.mark.parametrize(("reports", "kept", "times"), CUT)
def test_more_inputs_cut_than_there_were_cannot_be(
    box: Box,
    capsys: pytest.CaptureFixture[str],
    reports: list[tuple[Any, Any]],
    kept: dict[str, int] | None,
    times: int,
) -> None:
    with punktum.run("control", params={}) as run:
        for n, of in reports:
            run.input_truncated("invoices", n=n, of=of)
    said = capsys.readouterr().err
    assert said.count("cannot be; not kept") == times, said
    found = box.spooled_end().get("inputs")
    assert found == (None if kept is None else {"invoices": kept})
