"""What each kind of stop rule has to say, and what the jobs are handed of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from app.plan.rules.checks.stopping import stop_rule_problems
from app.plan.rules.model import Checkpoint, PlannedStopRule, Role, StopKind
from app.plan.rules.stopping import NEEDED, TAKEN
from app.runs.rules.planned import stop_rules
from tests.runs.campaigns import plan

VALUES: dict[str, Any] = {
    "metric": "loss", "value": Decimal("0.5"), "for": 3, "after_step": 100,
    "after_hours": Decimal("2"), "better": "lower",
}  # fmt: skip


def made(kind: StopKind, *keys: str) -> PlannedStopRule:
    said = {("for_" if key == "for" else key): VALUES[key] for key in keys}
    return PlannedStopRule("one", kind, **said)


def wanting(rule: PlannedStopRule) -> list[str]:
    """The keys that are complained about; every step has a P90."""
    sound = plan(rule)
    steps = tuple(replace(step, p90_s=50_000) for step in sound.steps)
    found = stop_rule_problems(("stop_rules", 0), rule, replace(sound, steps=steps))
    return [str(problem.path[-1]) for problem in found]


@pytest.mark.parametrize("kind", list(StopKind))
def test_a_rule_with_all_that_its_kind_takes_is_sound(kind: StopKind) -> None:
    assert wanting(made(kind, *TAKEN[kind])) == []


@pytest.mark.parametrize(
    ("kind", "key"), [(kind, key) for kind, keys in NEEDED.items() for key in keys]
)
def test_what_a_kind_needs_is_asked_for(kind: StopKind, key: str) -> None:
    others = [one for one in TAKEN[kind] if one != key]
    assert key in wanting(made(kind, *others))


@pytest.mark.parametrize(
    ("kind", "key"), [(kind, key) for kind in StopKind for key in VALUES if key not in TAKEN[kind]]
)
def test_what_would_be_without_effect_is_refused(kind: StopKind, key: str) -> None:
    assert wanting(made(kind, *TAKEN[kind], key)) == [key]


def test_a_comparison_needs_a_moment_a_direction_and_a_control() -> None:
    rule = PlannedStopRule("behind", StopKind.NOT_BETTER, "loss")
    assert wanting(rule) == ["after_hours", "better"]
    decides = PlannedStopRule("behind", StopKind.NOT_BETTER, "f1", after_step=1)
    assert wanting(decides) == []
    lonely = plan(decides)
    steps = tuple(replace(one, role=Role.VARIANT) if one.gpus else one for one in lonely.steps)
    found = stop_rule_problems(("stop_rules", 0), decides, replace(lonely, steps=steps))
    assert [problem.path[-1] for problem in found] == ["kind"]


def test_overtime_without_a_limit_takes_the_p90_of_its_steps() -> None:
    rule = PlannedStopRule("long", StopKind.OVERTIME)
    bare = plan(rule)
    assert [p.path[-1] for p in stop_rule_problems(("stop_rules", 0), rule, bare)] == [
        "after_hours"
    ]
    steps = tuple(replace(one, p90_s=50_000) if one.gpus else one for one in bare.steps)
    (shared,) = stop_rules(replace(bare, steps=steps))
    assert shared.limits_s == (("control", 50_000), ("variant-a", 50_000))
    assert shared.after_s is None


def test_the_last_save_follows_from_size_rate_and_the_end_of_the_lot() -> None:
    """40 GiB at 200 Mbit/s take 1717.987 s, and half as long again: 2576.980 s (vectors.md)."""
    bare = plan(PlannedStopRule("long", StopKind.OVERTIME, after_hours=Decimal("90")))
    saves = Checkpoint(write_s=0, size_bytes=40 << 30)
    steps = tuple(
        replace(one, checkpoint=saves) if one.id == "control" else one for one in bare.steps
    )
    full = replace(bare, steps=steps, transfer_rate_bps=200_000_000)
    until = datetime(2026, 12, 3, 7, tzinfo=UTC)
    (shared,) = stop_rules(full, until)
    assert shared.saves_by == (("control", int(until.timestamp()) - 2577),)
    assert stop_rules(full)[0].saves_by == ()


def test_what_is_better_is_said_by_the_decision_rule_for_its_own_metric() -> None:
    (shared,) = stop_rules(plan(PlannedStopRule("b", StopKind.NOT_BETTER, "f1", after_step=1)))
    assert shared.better == "higher"
