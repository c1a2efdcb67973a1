"""A step that can no longer change the choice: what it saves, said before the order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.plan.rules.model import Plan, Role
from app.plan.rules.needed import savings
from tests.plan.campaigns import family
from tests.plan.drafts import small


def _plan(condition: str | None) -> Plan:
    steps = tuple(
        replace(
            one,
            needed_if=condition if one.id == "b" else None,
            role=Role.VARIANT if one.id in ("a", "b", "c") else None,
        )
        for one in family("c")
    )
    return replace(small(), steps=steps)


def test_the_saving_is_said_with_its_hours() -> None:
    (found,) = savings(_plan("a does not pass"))
    assert (found.step, found.work_min) == ("b", 600)
    assert str(found.said) == (
        "If a passes, b cannot change the choice: saves 10 h. Else it is needed."
    )


@pytest.mark.parametrize(
    ("condition", "begins"),
    [
        ("a does not pass and c passes", "If one of these holds"),
        ("a does not pass or c does not pass", "If all of these hold"),
        ("a passes", "If a does not pass"),
    ],
)
def test_conditions_of_several_verdicts(condition: str, begins: str) -> None:
    (found,) = savings(_plan(condition))
    assert str(found.said).startswith(begins)


@pytest.mark.parametrize("condition", [None, "", "whenever it rains", "prepare passes"])
def test_no_condition_no_saving(condition: str | None) -> None:
    assert savings(_plan(condition)) == ()
