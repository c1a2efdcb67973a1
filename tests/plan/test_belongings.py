"""What usually belongs to a plan: there, missing, or there without being essential."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.plan.rules.belongings import belongings
from app.plan.rules.document import from_document
from app.plan.rules.model import Plan, StepClass
from app.plan.rules.typed.pattern import usual_protocol
from tests.plan.drafts import small


def _usual() -> Plan:
    document = {
        "format": "punktum/1",
        "campaign": {"id": "c", "question": "Which?", "zone": "UTC", "currency": "USD"},
        "decision_rule": {
            "metric": "f1", "better": "higher", "take": "final", "threshold": "0.8",
            "yes": "Ship it.", "no": "Keep it.",
        },
        **usual_protocol(str),
        "deliverables": [
            {
                "id": "p", "title": "Predictions", "kind": "predictions",
                "checks": [{"kind": "non_empty"}],
            },
        ],
    }  # fmt: skip
    plan = from_document(document)
    assert isinstance(plan, Plan)
    return plan


def _missing(plan: Plan) -> list[str]:
    return [str(one.name) for one in belongings(plan) if not one.is_there]


def test_the_usual_protocol_lacks_nothing() -> None:
    assert _missing(_usual()) == []
    assert len(belongings(_usual())) == 7


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("control", "A control to compare with"),
        ("data_check", "A check of the data"),
        ("restore_check", "A restore check"),
        ("retrieval", "Retrieval of the outputs"),
        ("pilot", "A pilot with a decision point after it"),
    ],
)
def test_each_part_that_is_taken_away_is_named(role: str, name: str) -> None:
    plan = _usual()
    steps = tuple(replace(step, role=None) if step.role == role else step for step in plan.steps)
    assert _missing(replace(plan, steps=steps)) == [name]


def test_a_control_that_is_only_useful_is_said() -> None:
    plan = _usual()
    steps = tuple(
        replace(step, klass=StepClass.USEFUL) if step.role == "control" else step
        for step in plan.steps
    )
    (found,) = [one for one in belongings(replace(plan, steps=steps)) if not one.is_there]
    assert str(found.why) == "“Control” is not essential"


def test_a_decision_point_before_the_pilot_does_not_count() -> None:
    plan = _usual()
    steps = tuple(
        replace(step, after=()) if step.id == "pilot-decision" else step for step in plan.steps
    )
    assert _missing(replace(plan, steps=steps)) == ["A pilot with a decision point after it"]


def test_stop_rules_and_deliverables_without_checks_are_named() -> None:
    plan = _usual()
    (deliverable,) = plan.deliverables
    bare = replace(plan, stop_rules=(), deliverables=(replace(deliverable, checks=()),))
    assert _missing(bare) == ["Stop rules", "Checks of “Predictions”"]
    assert "Deliverables" in _missing(replace(small(), deliverables=()))
