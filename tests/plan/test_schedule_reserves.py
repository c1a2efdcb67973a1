"""Time kept for interruptions: a bar of its own right after its step, counted in every figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from app.plan.rules.checkpoints import reserve_min
from app.plan.rules.facts import in_hours
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Checkpoint, Step
from app.plan.rules.schedule import Placement, Schedule, schedule
from app.plan.rules.validator import violations
from tests.plan.campaigns import lot, step

SAVING = Checkpoint(write_s=120, restore_s=300, mean_time_between_interruptions_s=24 * 3600)
RESERVE = 35
"""10 h of work with saves of 2 min, 24 h between interruptions and 5 min to restart: 10.5828 h."""


def run(
    id_: str = "run", hours: float = 10, klass: str = "essential", after: Sequence[str] = ()
) -> Step:
    return replace(step(id_, "machine", hours, klass, after=after), checkpoint=SAVING)


def bars(made: Schedule) -> dict[str, tuple[int, int]]:
    return {one.id: (one.start_min, one.end_min) for one in made.placements}


def accepted(steps: list[Step], lots: list[LotWindow]) -> Schedule:
    made = schedule(steps, lots)
    assert violations(steps, lots, 1, made) == ()
    return made


def test_the_reserve_follows_its_step_on_the_same_gpus_and_what_comes_after_waits_for_it() -> None:
    steps = [run(), step("read", "human", 1, after=["run"]), step("other", "machine", 2)]
    made = accepted(steps, [lot()])

    assert reserve_min(steps[0]) == RESERVE
    assert bars(made) == {
        "run": (0, 600),
        "run/reserve": (600, 600 + RESERVE),
        "read": (600 + RESERVE, 660 + RESERVE),
        "other": (600 + RESERVE, 720 + RESERVE),
    }
    work, kept = made.placements[:2]
    assert (work.reserve, kept.reserve, kept.step) == (False, True, "run")
    assert (kept.lot, kept.gpus, kept.lane) == (work.lot, work.gpus, work.lane)
    assert made.end_min == made.lower_bound_min == 720 + RESERVE


def test_a_reserve_holds_the_gpus_of_a_wide_step() -> None:
    wide = replace(run(), gpus=2)
    made = accepted([wide, step("other", "machine", 1, gpus=2)], [lot(gpus=3)])

    assert bars(made)["other"] == (600 + RESERVE, 660 + RESERVE)
    assert {one.gpus for one in made.placements} == {(0, 1)}


def test_the_plan_ends_with_its_reserve_and_may_exceed_the_lot_by_it() -> None:
    fits, exceeds = accepted([run()], [lot(hours=11)]), accepted([run()], [lot(hours=10)])

    assert (fits.end_min, fits.uncommitted_min) == (600 + RESERVE, 60 - RESERVE)
    assert (exceeds.fits, exceeds.exceeds_min, exceeds.end_min) == (False, RESERVE, 635)
    assert str(exceeds.proof) == (
        "The essential part needs at least 10 h 35 min: 35 min more than the window of 10 h"
    )


def test_a_proof_that_counts_the_reserve_says_so() -> None:
    steps = [step("wait", "human", 14), run(after=["wait"])]
    made = schedule(steps, [lot(hours=24), lot("lot-2", hours=1)])

    assert made.exceeds_min == RESERVE
    late = schedule(steps, [lot(hours=24), lot("lot-2", gpus=1, hours=9, start=30)])
    assert str(late.proof) == (
        "run can begin after 14 h at the earliest and takes 10 h 35 min with its reserve: "
        "35 min outside every lot that can hold it"
    )


def test_an_optional_step_is_refused_when_only_its_reserve_has_no_room() -> None:
    steps = [step("must", "machine", 14), run(klass="useful")]
    made = accepted(steps, [lot(hours=24)])

    assert [one.id for one in made.dropped] == ["run"]
    assert "run/reserve" not in bars(made)


def test_no_time_is_kept_where_something_is_not_known_or_no_machine_works() -> None:
    unknown = replace(run(), checkpoint=replace(SAVING, restore_s=None))
    by_hand = replace(step("by-hand", "human", 10), checkpoint=SAVING)

    assert set(bars(accepted([unknown, by_hand], [lot()]))) == {"run", "by-hand"}


def test_a_step_once_for_each_lot_keeps_time_on_each() -> None:
    made = accepted(
        [replace(run("set-up"), per_lot=True), step("x", "machine", 1, after=["set-up"])],
        [lot(), lot("lot-2", start=5)],
    )
    assert bars(made) == {
        "set-up@lot-1": (0, 600),
        "set-up@lot-1/reserve": (600, 635),
        "x": (635, 695),
        "set-up@lot-2": (300, 900),
        "set-up@lot-2/reserve": (900, 935),
    }


def test_reserves_may_be_given_instead_of_what_the_steps_ask_for() -> None:
    steps = [run("used-up"), run("half"), run("whole")]
    made = schedule(steps, [lot()], reserves={"used-up": 0, "half": 10})

    assert {name: end - start for name, (start, end) in bars(made).items() if "/" in name} == {
        "half/reserve": 10,
        "whole/reserve": RESERVE,
    }


def test_the_api_lists_a_reserve_as_a_step_of_its_own() -> None:
    listed = in_hours(accepted([run(hours=10)], [lot()]))["steps"]
    assert isinstance(listed, list)

    assert [(one["id"], one["start_hours"], one["lane"]) for one in listed] == [
        ("run", "0", "lot-1/gpu-0"),
        ("run/reserve", "10", "lot-1/gpu-0"),
    ]


BROKEN: dict[str, Callable[[Placement], tuple[Placement, ...]]] = {
    "a minute early": lambda one: (
        replace(one, start_min=one.start_min - 1, end_min=one.end_min - 1),
    ),
    "a minute late": lambda one: (
        replace(one, start_min=one.start_min + 1, end_min=one.end_min + 1),
    ),
    "too short": lambda one: (replace(one, end_min=one.end_min - 1),),
    "on another GPU": lambda one: (replace(one, gpus=(1,), lane="lot-1/gpu-1"),),
    "of another bar": lambda one: (replace(one, id="other/reserve"),),
    "not said to be one": lambda one: (replace(one, reserve=False),),
    "missing": lambda _: (),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_validator_finds_a_reserve_that_is_not_right(name: str) -> None:
    steps, lots = [run(), step("other", "machine", 1)], [lot(gpus=2)]
    made = accepted(steps, lots)
    kept = next(one for one in made.placements if one.reserve)
    others = (one for one in made.placements if one is not kept)
    broken = replace(made, placements=(*others, *BROKEN[name](kept)))

    assert "reserve" in {one.rule for one in violations(steps, lots, 1, broken)}


def test_the_validator_lets_nothing_begin_before_the_reserve_is_over() -> None:
    steps = [run(), step("read", "human", 1, after=["run"])]
    made = accepted(steps, [lot()])
    read = made.placements[-1]
    early = replace(read, start_min=read.start_min - 1, end_min=read.end_min - 1)
    broken = replace(made, placements=(*made.placements[:-1], early), end_min=read.end_min - 1)

    assert "order" in {one.rule for one in violations(steps, [lot()], 1, broken)}
