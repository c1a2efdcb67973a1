"""A step that can no longer change the choice: what it saves, said before the order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.plan.rules.model import Plan, Role
from app.plan.rules.needed import savings, without
from tests.plan.campaigns import family, lot
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
    (found,) = savings(_plan("a does not pass"), [lot()])
    assert (found.step, found.work_min, found.earlier_min) == ("b", 600, 600)
    assert str(found.said) == (
        "If a passes, b cannot change the choice: saves 10 h. Else it is needed."
    )


def test_on_two_gpus_the_work_is_saved_and_the_end_may_stay() -> None:
    (found,) = savings(_plan("a does not pass"), [lot(gpus=4)])
    assert (found.work_min, found.earlier_min) == (600, 0)


@pytest.mark.parametrize(
    ("condition", "begins"),
    [
        ("a does not pass and c passes", "If one of these holds"),
        ("a does not pass or c does not pass", "If all of these hold"),
        ("a passes", "If a does not pass"),
    ],
)
def test_conditions_of_several_verdicts(condition: str, begins: str) -> None:
    (found,) = savings(_plan(condition), [lot()])
    assert str(found.said).startswith(begins)


@pytest.mark.parametrize("condition", [None, "", "whenever it rains", "prepare passes"])
def test_no_condition_no_saving(condition: str | None) -> None:
    assert savings(_plan(condition), [lot()]) == ()


def test_what_came_after_the_step_no_longer_waits_for_it() -> None:
    left = without(family(), "decide")
    assert all("decide" not in one.after for one in left)
    assert len(left) == len(family()) - 1
