"""Control and variants on one lot, where the plan says that they may not run elsewhere."""

from __future__ import annotations

from dataclasses import replace

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Role, Step
from app.plan.rules.schedule import Schedule, keep_plan, schedule
from app.plan.rules.validator import violations
from tests.plan.campaigns import lot, step
from tests.plan.drafts import small


def compared(*hours: float, gpus: int = 1, per_lot: bool = False) -> list[Step]:
    """A control and variants of so many hours, and an analysis on a GPU of its own."""
    control, *variants = (
        step(f"v{n}", "machine", length, gpus=gpus, per_lot=per_lot)
        for n, length in enumerate(hours)
    )
    return [
        replace(control, id="control", title="control", role=Role.CONTROL),
        *(replace(one, role=Role.VARIANT) for one in variants),
        replace(step("analyse", "machine", 5), role=Role.ANALYSIS),
    ]


def accepted(steps: list[Step], lots: list[LotWindow], elsewhere: bool | None) -> Schedule:
    made = schedule(steps, lots, elsewhere=elsewhere)
    assert violations(steps, lots, 1, made, elsewhere=elsewhere) == ()
    return made


def lots_used(made: Schedule) -> dict[str, str | None]:
    return {bar.id: bar.lot for bar in made.placements}


def test_not_said_is_planned_like_yes_and_no_keeps_them_on_one_lot() -> None:
    steps, lots = compared(10, 10, 10), [lot(), lot("lot-2")]
    apart, unsaid = accepted(steps, lots, True), accepted(steps, lots, None)
    together = accepted(steps, lots, False)

    assert apart == unsaid
    assert apart.end_min == 20 * 60
    assert together.end_min == 30 * 60
    assert lots_used(together) == {
        "control": "lot-1", "v1": "lot-1", "v2": "lot-1", "analyse": "lot-2",
    }  # fmt: skip


def test_the_lot_is_the_one_on_which_the_plan_ends_first() -> None:
    steps = compared(10, 10)
    lots = [lot(start=0), lot("late", gpus=2, start=5), lot("wide", gpus=2, start=2)]

    assert lots_used(accepted(steps, lots, False)) == {
        "control": "wide", "v1": "wide", "analyse": "lot-1",
    }  # fmt: skip


def test_the_lot_is_the_one_that_holds_more_of_the_optional_steps() -> None:
    control, variant, more, _ = compared(20, 20, 30)
    steps = [control, variant, replace(more, klass=step("x", "human", 1, "useful").klass)]
    made = accepted(steps, [lot(hours=50), lot("lot-2", hours=72, start=10)], False)

    assert set(lots_used(made).values()) == {"lot-2"}
    assert made.may_be_dropped == ("v2",)


def test_where_no_lot_holds_them_all_it_is_said_which_one_is_in_the_way() -> None:
    control, variant, _ = compared(60, 10)
    wide = replace(variant, gpus=2)
    made = schedule(
        [control, wide], [lot(hours=72), lot("lot-2", gpus=2, hours=24)], elsewhere=False
    )

    assert made.end_min is None
    assert str(made.proof) == (
        "v1 cannot run on lot-1, and control and variants are to run on one lot"
    )
    assert accepted([control, wide], [lot(hours=72), lot("lot-2", gpus=2, hours=24)], True).fits


def test_an_optional_variant_that_cannot_run_there_is_dropped_with_the_reason() -> None:
    control, variant, _ = compared(60, 10)
    wide = replace(variant, gpus=2, klass=step("x", "human", 1, "useful").klass)
    made = accepted([control, wide], [lot(hours=72), lot("lot-2", gpus=2, hours=24)], False)

    assert made.fits
    assert [(one.id, str(one.why)) for one in made.dropped] == [
        ("v1", "v1 cannot run on lot-1, and control and variants are to run on one lot")
    ]


def test_what_runs_once_for_each_lot_is_not_bound_to_one() -> None:
    steps = compared(10, 10, per_lot=True)

    assert len(accepted(steps, [lot(), lot("lot-2")], False).placements) == 5


def test_a_plan_that_says_so_is_planned_so() -> None:
    steps, lots = tuple(compared(10, 10)), [lot(), lot("lot-2")]
    plan = replace(small(), steps=steps)

    assert keep_plan(plan, lots).schedule.end_min == 15 * 60
    said = keep_plan(replace(plan, variants_elsewhere=False), lots).schedule
    assert said.end_min == 20 * 60


def test_the_validator_finds_control_and_variants_apart() -> None:
    steps, lots = compared(10, 10), [lot(), lot("lot-2")]
    apart = schedule(steps, lots)
    found = violations(steps, lots, 1, apart, elsewhere=False)

    assert {(one.rule, one.id) for one in found} == {("together", "control"), ("together", "v1")}


def test_the_bound_holds_for_every_lot_they_could_run_on() -> None:
    """On the quick lot nothing is shorter than 22 h, on the late one than 25 h."""
    steps = compared(10, 12)
    quick, late = lot(), lot("lot-2", start=3)
    made = accepted(steps, [quick, late], False)

    assert (made.end_min, made.lower_bound_min) == (22 * 60, 22 * 60)
    elsewhere = accepted(steps, [quick, late], True)
    assert elsewhere.lower_bound_min is not None
    assert elsewhere.lower_bound_min < 22 * 60


def test_what_is_impossible_on_one_lot_is_no_proof_while_another_is_open() -> None:
    """The second lot of 24 h holds neither run of 25 h, and the first one not both."""
    steps = compared(25, 25)[:2]
    proved = accepted(steps, [lot(hours=48), lot("lot-2", hours=24, start=60)], False)
    assert str(proved.proof) == (
        "The steps that run on lot-1 alone need 50 h of GPU time; it holds 48 h"
    )
    waiting = [
        step("wait", "human", 1),
        *(replace(one, after=("wait",)) for one in steps),
    ]
    late = accepted(waiting, [lot(hours=50), lot("lot-2", hours=24, start=60)], False)
    assert str(late.proof) == (
        "After 1 h the steps that run on lot-1 alone still need 50 h of GPU time; "
        "it then holds 49 h"
    )

    # Three runs of 20 h on two GPUs need 40 h, which no bound of work sees.
    three = compared(20, 20, 20)[:3]
    lots = [lot(hours=59), lot("wide", gpus=2, hours=35)]
    made = accepted(three, lots, False)
    assert (made.fits, made.exceeds_min) == (False, 60)
    assert made.undecided
