"""What is said of a step's saving, and of the parts of its estimate."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.plan.rules.estimated import estimated
from app.plan.rules.model import Checkpoint, OnInterruption, Parts, Step
from app.plan.rules.saving import Saving, saving
from tests.plan.campaigns import HOUR_S, lot, step

MEASURED = Checkpoint(120, 300, HOUR_S, 24 * HOUR_S, 40 * 2**30)
RATE = 200_000_000


def control(checkpoint: Checkpoint | None, then: OnInterruption | None = None) -> Step:
    return replace(step("control", "machine", 10), checkpoint=checkpoint, on_interruption=then)


def said(one: Step, rate: int | None = RATE) -> Saving:
    found = saving(one, [lot()], rate)
    assert found is not None
    return found


def test_everything_measured_gives_interval_expected_time_reserve_and_last_save() -> None:
    found = said(control(MEASURED))

    assert str(found.line) == "Save every 1 h; costs 2 min each (3.3 %)."
    assert str(found.terms) == (
        "The smaller of Daly's interval (1 h 14 min) and the work one can bear to lose (1 h)."
    )
    assert str(found.expected) == (
        "10 h of work take about 10 h 35 min with 10 saves and the interruptions to be expected; "
        "with a save only at its end 12 h 29 min."
    )
    assert str(found.reserve) == "Kept for it after the step: 36 min."
    assert (found.missing, found.missing_last) == ((), ())
    # 2576.98 s to fetch it and 2 min to write it, before hour 72.
    assert [(one.lot, one.before_end_s, one.hour_s) for one in found.last] == [
        ("lot-1", 2697, 72 * HOUR_S - 2697)
    ]


def test_plain_advice_where_the_time_between_interruptions_is_unknown() -> None:
    found = said(control(Checkpoint(120, 300, HOUR_S)))

    assert str(found.line) == (
        "Save at least every 1 h; costs 2 min each (3.3 %); time between interruptions unknown."
    )
    assert "Daly's interval (not known)" in str(found.terms)
    assert (found.expected, found.reserve) == (None, None)
    assert [str(one) for one in found.missing] == ["the mean time between interruptions"]


@pytest.mark.parametrize("checkpoint", [None, Checkpoint(), Checkpoint(write_s=0)])
def test_nothing_measured_says_what_to_measure_and_no_number(checkpoint: Checkpoint | None) -> None:
    found = said(control(checkpoint), rate=None)

    assert str(found.line) == "How often to save cannot be worked out yet."
    assert (found.terms, found.expected, found.reserve, found.last) == (None, None, None, ())
    assert [str(one) for one in found.missing] == [
        "how long one save takes to write",
        "how long starting again takes",
        "the mean time between interruptions",
    ]
    assert [str(one) for one in found.missing_last][1:] == [
        "the size of a checkpoint",
        "the rate of transfer from the rented machine",
    ]


def test_a_tolerable_loss_alone_bounds_the_interval() -> None:
    found = said(control(Checkpoint(tolerable_loss_s=HOUR_S)))

    assert str(found.line) == "Save at least every 1 h."


def test_a_run_that_starts_over_is_not_told_to_save() -> None:
    found = said(control(replace(MEASURED, write_s=None), OnInterruption.RESTART))

    assert "saves nothing on the way" in str(found.line)
    assert str(found.expected) == (
        "10 h of work take about 12 h 26 min with the interruptions to be expected."
    )
    assert (found.missing, found.missing_last, found.terms) == ((), (), None)


def test_a_run_that_would_not_end_is_said_so() -> None:
    found = said(control(replace(MEASURED, mean_time_between_interruptions_s=1)))

    assert "more than ten years" in str(found.expected)


def test_the_last_save_is_an_instant_where_the_lot_has_a_start() -> None:
    at = datetime(2026, 12, 7, 7, tzinfo=UTC)
    dated = replace(lot(), starts_at=at)
    ending = replace(dated, usable_min=71 * 60)

    on_time, earlier = (saving(control(MEASURED), [one], RATE) for one in (dated, ending))

    assert on_time is not None
    assert earlier is not None
    assert on_time.last[0].at == datetime(2026, 12, 10, 6, 15, 3, tzinfo=UTC)
    assert earlier.last[0].at == datetime(2026, 12, 10, 5, 15, 3, tzinfo=UTC)


def test_only_machine_steps_are_told_how_often_to_save() -> None:
    assert saving(step("prepare", "human", 4), [lot()], RATE) is None


def test_an_estimate_is_shown_with_its_parts_and_their_sum() -> None:
    parts = Parts(load_s=1200, per_unit_s=180, units=100, validate_s=0, write_s=600)
    built = replace(step("run", "machine", None), parts=parts)

    found = estimated(built)

    assert [(str(name), seconds) for name, seconds in found.parts] == [
        ("Loading", 1200),
        ("100 units of 3 min", 18_000),
        ("Validation", 0),
        ("Writing output files", 600),
    ]
    assert found.total_s == sum(seconds for _, seconds in found.parts) == parts.total_s()
    assert [str(one) for one in found.forgotten] == ["long inputs"]


def test_one_figure_forgets_all_that_a_warm_step_forgets() -> None:
    machine, human = (estimated(step("one", kind, 4)) for kind in ("machine", "human"))

    assert (machine.parts, machine.total_s) == ((), 4 * HOUR_S)
    assert len(machine.forgotten) == 4
    assert human.forgotten == ()
