"""Which steps can no longer change the choice, from the verdicts so far."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.decisions.rules.need import unneeded
from app.plan.rules.model import Plan
from tests.plan.campaigns import family
from tests.plan.drafts import small


def _plan(condition: str) -> Plan:
    steps = tuple(
        replace(step, needed_if=condition) if step.id == "b" else step for step in family()
    )
    return replace(small(), steps=steps)


@pytest.mark.parametrize(
    ("condition", "verdict", "found"),
    [
        ("a does not pass", "passes", ("b",)),
        ("a does not pass", "does_not_pass", ()),
        ("a does not pass", "no_evidence", ()),
        ("a passes", "does_not_pass", ("b",)),
        ("what nobody can read", "passes", ()),
    ],
)
def test_a_verdict_makes_a_step_useless(
    condition: str, verdict: str, found: tuple[str, ...]
) -> None:
    assert unneeded(_plan(condition), {"a": verdict}) == found


def test_without_verdicts_everything_is_needed() -> None:
    assert unneeded(_plan("a does not pass"), {}) == ()
