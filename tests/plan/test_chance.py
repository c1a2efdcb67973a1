"""The chance that a plan fits: seeded draws on the scheduler that made it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.plan.rules.chance import Chance, chance, drawn_minutes, in_100, spreads_of
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Checkpoint, Parts, Step
from app.plan.rules.placing import place
from app.plan.rules.schedule import Kept, keep
from tests.plan.campaigns import HOUR_S, family, lot, lots_of, step, steps_of


def spread_out(steps: list[Step], by: float, *names: str) -> list[Step]:
    """The steps with a P90 of `by` times the P50, all of them or those named."""
    return [
        replace(one, p90_s=round((one.p50_s or 0) * by)) if not names or one.id in names else one
        for one in steps
    ]


def of(steps: list[Step], lots: list[LotWindow], **asked: float) -> Chance | None:
    return chance(keep(steps, lots), steps, **asked)  # type: ignore[arg-type]


def chain(hours: float, p90: float, count: int = 10) -> list[Step]:
    return [
        replace(
            step(f"s{n}", "machine", hours, after=[f"s{n - 1}"] if n else []),
            p90_s=round(p90 * HOUR_S),
        )
        for n in range(count)
    ]


def test_ten_independent_steps_do_not_add_up_to_the_sum_of_their_p80s() -> None:
    """Median 4.8 h and σ 0.3: P80 of the sum is about 54.2 h, the sum of the P80s 61.79 h."""
    steps = chain(4.8, 7.05025)

    found = of(steps, [lot(hours=168)], draws=4000, correlation=0)

    assert found is not None
    assert found.end_min_p80 is not None
    assert found.end_min_p80 / 60 == pytest.approx(54.2, abs=0.3)


def test_steps_that_are_slow_together_add_up() -> None:
    found = of(chain(4.8, 7.05025), [lot(hours=168)], draws=4000, correlation=1)

    assert found is not None
    assert found.end_min_p80 is not None
    assert found.end_min_p80 / 60 == pytest.approx(61.79, abs=0.9)


def test_the_same_seed_gives_the_same_draws() -> None:
    steps, lots = spread_out(family("cde"), 1.5), [lot()]

    first, again, other = (of(steps, lots, seed=seed) for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_what_states_no_p90_is_fixed_and_named() -> None:
    """The decision takes two hours and has no spread; `e` is not in the plan."""
    steps = spread_out(family("cde"), 1.5, "control", "a", "e")

    found = of(steps, [lot()])

    assert found is not None
    in_plan = [one.id for one in steps if one.id != "e"]
    assert found.fixed == tuple(one for one in in_plan if one not in ("control", "a"))


@pytest.mark.parametrize(
    ("steps", "lots"),
    [
        pytest.param(family(), [lot()], id="no spread stated"),
        pytest.param(spread_out(family("cde"), 1.5, "e"), [lot()], id="only on a dropped step"),
        pytest.param(spread_out(family(), 1.5), [], id="no lot to fit"),
        pytest.param([], [lot()], id="no steps"),
        pytest.param(
            spread_out([step("run", "machine", 80)], 1.5), [lot()], id="nothing can be placed"
        ),
    ],
)
def test_no_chance_where_nothing_varies(steps: list[Step], lots: list[LotWindow]) -> None:
    assert of(steps, lots) is None


def test_the_spread_of_an_estimate_from_parts_is_around_their_sum() -> None:
    parts = Parts(load_s=HOUR_S, train_s=9 * HOUR_S)
    built = replace(step("run", "machine", None), parts=parts, p90_s=15 * HOUR_S)

    found = of([built], [lot()])

    assert found is not None
    assert found.end_min_p50 is not None
    assert found.end_min_p50 / 60 == pytest.approx(10, abs=0.4)
    assert found.end_min_p80 is not None
    assert found.end_min_p80 / 60 == pytest.approx(13.05, abs=0.5)


def test_about_half_of_the_draws_fit_a_lot_as_long_as_the_median() -> None:
    """One step of 10 h (P50) in a lot of 10 h, 13.05 h (its P80) and 15 h (its P90)."""
    steps = [replace(step("run", "machine", 10), p90_s=15 * HOUR_S)]

    shares = [
        found.fitting / found.draws
        for hours in (10, 13, 15)
        if (found := of(steps, [lot(hours=hours)], draws=4000)) is not None
    ]

    assert shares == pytest.approx([0.5, 0.797, 0.9], abs=0.025)


def test_a_reserve_does_not_vary_with_its_step() -> None:
    kept_for = Checkpoint(120, 300, None, 24 * HOUR_S)
    steps = [replace(step("run", "machine", 10), p90_s=15 * HOUR_S, checkpoint=kept_for)]
    kept = keep(steps, [lot()])
    assert kept.layout is not None

    varying = spreads_of(kept.layout, kept.order, steps)

    assert [kept.layout.pieces[number].id for number in varying] == ["run"]


@pytest.mark.parametrize("correlation", [-0.1, 1.1])
def test_a_correlation_lies_between_none_and_all(correlation: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        of(spread_out(family(), 1.5), [lot()], correlation=correlation)


@pytest.mark.parametrize(
    ("fitting", "said"),
    [
        (2000, "more than 99 in 100"),
        (1981, "more than 99 in 100"),
        (1980, "about 99 in 100"),
        (1600, "about 80 in 100"),
        (20, "about 1 in 100"),
        (19, "fewer than 1 in 100"),
        (0, "fewer than 1 in 100"),
    ],
)
def test_never_certain_and_never_impossible(fitting: int, said: str) -> None:
    assert str(in_100(Chance(fitting, 2000, 0.5, (), None, None))) == said


def moved(kept: Kept, steps: list[Step]) -> list[list[int]]:
    """The drawn minutes of some passes."""
    assert kept.layout is not None
    varying = spreads_of(kept.layout, kept.order, steps)
    return list(drawn_minutes(kept.layout, varying, 1000, 0.5, 1))


def test_machine_steps_share_a_factor_and_people_do_not() -> None:
    steps = [
        replace(step(name, kind, 10), p90_s=15 * HOUR_S)
        for name, kind in (("a", "machine"), ("b", "machine"), ("p", "human"), ("q", "human"))
    ]
    kept = keep(steps, [lot()])
    assert kept.layout is not None
    number = {piece.id: n for n, piece in enumerate(kept.layout.pieces)}
    drawn = moved(kept, steps)

    def together(one: str, other: str) -> float:
        """How much more often than not two steps are above their medians together."""
        above = [(row[number[one]] > 600) == (row[number[other]] > 600) for row in drawn]
        return sum(above) / len(above)

    # With ρ = 0.5 two are on the same side in 2 of 3 draws, independent ones in 1 of 2.
    assert together("a", "b") == pytest.approx(2 / 3, abs=0.05)
    assert together("p", "q") == pytest.approx(1 / 2, abs=0.05)
    assert together("a", "p") == pytest.approx(1 / 2, abs=0.05)


def test_other_lots_are_tried_with_the_same_durations() -> None:
    """Dropping a step or adding a lot changes no other step's draws."""
    steps = spread_out(family("cde"), 1.5)
    rows = []
    for lots in ([lot()], [lot(hours=168)], [lot(), lot("lot-2")]):
        kept = keep(steps, lots)
        assert kept.layout is not None
        number = {piece.id: n for n, piece in enumerate(kept.layout.pieces)}
        rows.append(
            [[row[number[name]] for name in ("control", "c")] for row in moved(kept, steps)]
        )

    assert rows[0] == rows[1] == rows[2]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_plan_without_spread_ends_in_every_draw_as_planned(data: st.DataObject) -> None:
    """P90 = P50 draws the planned minutes, so each pass is the kept schedule again."""
    lots = data.draw(lots_of())
    steps = [replace(one, p90_s=one.p50_s) for one in data.draw(steps_of())]
    kept = keep(steps, lots)
    found = chance(kept, steps, draws=10)
    if found is None or kept.layout is None:
        return

    placed = place(kept.layout, kept.order, kept.layout.minutes())
    assert found.fitting == (10 if not placed.overrun else 0)
    assert found.fitting == (10 if kept.schedule.fits else 0)
    assert found.end_min_p50 == kept.schedule.end_min
