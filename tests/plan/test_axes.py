"""Axes: the grid against one cause at a time, and the steps that follow."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.plan.rules.axes import Axis, Trial, grid_runs, read_axes, trials, with_trials
from app.plan.rules.document import from_document
from app.plan.rules.model import Plan
from app.texts import Text

TYPED = "rank: 16, 32, 64\nprecision: bf16, fp32\n\nlearning rate: 1e-4, 2e-4\n"


def _read(typed: str) -> tuple[Axis, ...]:
    found = read_axes(typed)
    assert not isinstance(found, Text)
    return found


def test_a_small_plan_stands_beside_the_grid() -> None:
    axes = _read(TYPED)
    assert grid_runs(axes) == 12
    assert trials(axes) == (
        Trial("rank", "16", "32"),
        Trial("rank", "16", "64"),
        Trial("precision", "bf16", "fp32"),
        Trial("learning rate", "1e-4", "2e-4"),
    )


@given(st.lists(st.integers(2, 6), min_size=1, max_size=5))
def test_one_cause_at_a_time_never_needs_more_runs(sizes: list[int]) -> None:
    axes = [Axis(f"a{n}", tuple(map(str, range(size)))) for n, size in enumerate(sizes)]
    few = 1 + len(trials(axes))
    assert grid_runs(axes) == prod(sizes)
    assert few == 1 + sum(size - 1 for size in sizes) <= prod(sizes)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("", None),
        ("rank 16, 32", "1"),
        ("rank: 16", "1"),
        ("rank: 16, 16", "1"),
        (": 1, 2", "1"),
        ("rank: 16, 32\n\nrank: 1, 2", "3"),
        (f"rank: {', '.join(map(str, range(21)))}", "1"),
        ("\n".join(f"a{n}: 1, 2" for n in range(9)), None),
    ],
)
def test_what_cannot_be_read_names_its_line(typed: str, line: str | None) -> None:
    said = read_axes(typed)
    assert isinstance(said, Text)
    assert line is None or str(said.values["n"]) == line


def _document(*steps: Mapping[str, object]) -> dict[str, object]:
    return {
        "format": "punktum/1",
        "campaign": {"id": "c", "question": "Which?", "zone": "UTC", "currency": "USD"},
        "decision_rule": {
            "metric": "f1", "better": "higher", "take": "final", "threshold": "0.8",
            "yes": "Ship it.", "no": "Keep it.",
        },
        "steps": list(steps),
    }  # fmt: skip


CONTROL = {
    "id": "control", "title": "Control", "kind": "machine", "class": "essential", "gpus": 2,
    "p50": "9h", "p90": "12h", "role": "control",
}  # fmt: skip
RETRIEVAL = {
    "id": "rank-32", "title": "Fetch", "kind": "transfer", "class": "essential", "p50": "1h",
}  # fmt: skip


def test_variants_stand_behind_the_control_and_share_its_estimate() -> None:
    found = trials(_read("rank: 16, 32"))
    made = with_trials(_document(CONTROL, RETRIEVAL), found, ["Rank 32"], ["rank 32, not 16"])
    plan = from_document(made)
    assert isinstance(plan, Plan)
    control, variant, fetch = plan.steps
    assert (variant.id, variant.title, variant.isolates) == (
        "rank-32-2",
        "Rank 32",
        "rank 32, not 16",
    )
    assert (variant.p50_s, variant.p90_s, variant.gpus) == (control.p50_s, control.p90_s, 2)
    assert (str(variant.klass), str(variant.role)) == ("useful", "variant")
    assert fetch.id == "rank-32"


def test_without_a_control_the_variants_stand_alone() -> None:
    made = with_trials(_document(), trials(_read("rank: 16, 32")), ["Rank 32"], ["rank"])
    plan = from_document(made)
    assert isinstance(plan, Plan)
    assert [(step.id, step.gpus, step.p50_s) for step in plan.steps] == [("rank-32", 1, None)]
