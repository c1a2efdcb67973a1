"""Runs that were too quick, and rules that have nothing to judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.runs.rules.remarks import NAMES, Unseen, suspiciously_short, unseen
from app.runs.rules.views import RunView
from punktum.stop_rules import StopRule
from tests.runs.stories import CONTEXT, FLOOR, LOSS, at_once, said, started
from tests.runs.test_viewing import kept, view

NAMED = CONTEXT.names
LATER = StopRule("later", "below", "acc", value="0.5", after_s=7200)


@pytest.mark.parametrize(
    ("status", "machine_s", "p50_s", "is_short"),
    [
        ("completed", 17_999, 36_000, True), ("completed", 18_000, 36_000, False),
        ("failed", 60, 36_000, False), ("running", 60, 36_000, False),
        ("completed", 60, None, False), ("completed", 0, 0, False),
    ],
)  # fmt: skip
def test_completed_in_under_half_its_estimate(
    status: str, machine_s: int, p50_s: int | None, is_short: bool
) -> None:
    assert suspiciously_short(status, machine_s, p50_s) is is_short


def ran(minutes: float, *rules: StopRule, **metrics: Any) -> RunView:
    story = [started(), said(2, elapsed_s=round(minutes * 60), metrics=metrics)]
    return view(kept(1, story, rules=rules))


@pytest.mark.parametrize(
    ("minutes", "metrics", "found"),
    [
        (9, {"train_loss": 1.0}, ()),
        (10, {"loss": 1.0, "eval_f1": 0.5}, ()),
        (10, {"loss": "nan", "f1": 0.5}, ()),
        (
            10,
            {"train_loss": 1.0, "eval_loss": 1.0},
            (
                Unseen("loss-not-finite", "loss", ("eval_loss", "train_loss")),
                Unseen("f1-floor", "eval_f1", ("eval_loss", "train_loss")),
            ),
        ),
        (10, {"loss": 1.0}, (Unseen("f1-floor", "eval_f1", ("loss",)),)),
        (10, {"eval_f1": 0.5}, (Unseen("loss-not-finite", "loss", ("eval_f1",)),)),
    ],
)
def test_a_rule_whose_metric_has_not_come_after_ten_minutes(
    minutes: float, metrics: Mapping[str, Any], found: tuple[Unseen, ...]
) -> None:
    assert unseen(ran(minutes, LOSS, FLOOR, **metrics), NAMED) == found


def test_nothing_at_all_came() -> None:
    story = [started(), said(2, elapsed_s=3600)]
    (one,) = unseen(view(kept(1, story, rules=(LOSS,))), NAMED)
    assert one == Unseen("loss-not-finite", "loss", ())


def test_a_rule_that_begins_later_is_waited_for() -> None:
    assert unseen(ran(100, LATER, loss=1.0), {}) == ()
    assert unseen(ran(129, LATER, loss=1.0), {}) == ()
    assert [one.rule for one in unseen(ran(130, LATER, loss=1.0), {})] == ["later"]


def test_a_rule_judged_on_the_box_has_seen_its_metric() -> None:
    told = {"loss-not-finite": {"evaluated": 3, "hits": 0, "last": "0.5"}}
    story = [started(), said(2, elapsed_s=3600, judged=told)]
    assert unseen(view(kept(1, story, rules=(LOSS,))), {}) == ()


@pytest.mark.parametrize("kind", ["custom", "overtime", "silent", "no_restore", "input_truncated"])
def test_rules_of_other_kinds_wait_for_no_metric(kind: str) -> None:
    assert unseen(ran(60, StopRule("x", kind, "long"), other=1.0), {}) == ()


def test_many_names_are_cut() -> None:
    metrics = {f"m-{n:02}": 1.0 for n in range(NAMES + 3)}
    (one,) = unseen(ran(60, LOSS, **metrics), {})
    assert (len(one.seen), one.more, one.seen[0]) == (NAMES, 3, "m-00")


def test_our_name_of_a_mapped_metric_is_not_one_the_job_said() -> None:
    story = [started(), said(2, elapsed_s=3600, metrics={"eval_f1": 0.5})]
    assert set(at_once(story)["main"].metrics) == {"eval_f1", "f1"}
    (one,) = unseen(view(kept(1, story, rules=(LOSS,))), NAMED)
    assert one.seen == ("eval_f1",)
