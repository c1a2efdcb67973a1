"""What a seal fixes and promises, what two documents say differently, and the small drawing."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from app.offers.rules import Offer, read_catalogue
from app.plan.queries import placed_with
from app.plan.rules.differences import Difference, changed_paths, differences
from app.plan.rules.document import to_document
from app.plan.rules.drawing import draw
from app.plan.rules.model import Plan, PlannedLot, StepClass
from app.plan.rules.sealing import (
    foreign_prices,
    knowledge_of,
    offer_of,
    offer_record,
    promise,
    resolved,
    used_offers,
)
from app.plan.rules.words import decision_rule_said, lot_said, stop_rule_said
from tests.plan.drafts import longer, sample, small
from tests.plan.generated import plans


@pytest.mark.parametrize("offer", read_catalogue(), ids=lambda offer: offer.id)
def test_an_offer_is_read_again_as_it_was_kept(offer: Offer) -> None:
    assert offer_of(offer_record(offer)) == offer


def test_an_offers_figures_fill_what_the_lot_leaves_open() -> None:
    open_lot = PlannedLot("a", offer="iteragpu/rtx-4090/3d")
    own_price = PlannedLot("b", offer="iteragpu/rtx-4090/7d", price_minor=9900)
    no_price = PlannedLot("c", offer="iteragpu/b200", hours=24)
    plan = resolved(replace(small(), lots=(open_lot, own_price, no_price)), read_catalogue())
    assert [(lot.gpus, lot.hours, lot.price_minor) for lot in plan.lots] == [
        (1, 72, 4714),
        (1, 168, 9900),
        (2, 24, None),
    ]
    assert resolved(plan, read_catalogue()) == plan
    assert [offer.id for offer in used_offers(plan, read_catalogue())] == [
        "iteragpu/rtx-4090/3d",
        "iteragpu/rtx-4090/7d",
        "iteragpu/b200",
    ]


def test_a_foreign_price_is_named_only_where_the_lot_states_none() -> None:
    plan = replace(small(), currency="EUR")
    assert len(foreign_prices(plan, read_catalogue())) == 1
    own = replace(plan, lots=(replace(plan.lots[0], price_minor=4000),))
    assert foreign_prices(own, read_catalogue()) == ()
    assert foreign_prices(small(), read_catalogue()) == ()


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (small(), "an answer 16 h after the lot begins, inside a window of 72 h, and leaves 56 h"),
        (
            longer(small(), 72),
            "ends 78 h after the lot begins and exceeds its window of 72 h by 6 h",
        ),
        (replace(small(), lots=()), "promises no end"),
    ],
)
def test_the_promise_is_calendar_arithmetic(plan: Plan, said: str) -> None:
    assert said in str(promise(placed_with(plan, read_catalogue())[1]))


@pytest.mark.parametrize(
    ("started", "ended", "level"),
    [(0, 0, "nothing_run"), (3, 0, "runs_started"), (3, 2, "results_seen")],
)
def test_the_floor_of_what_was_known(started: int, ended: int, level: str) -> None:
    known = knowledge_of(started, ended)
    assert known.level == level
    assert str(known.said) != str(known.said_now)


def test_differences_are_matched_by_ids() -> None:
    before: dict[str, Any] = to_document(sample())
    after: dict[str, Any] = to_document(sample())
    after["steps"].insert(0, after["steps"].pop(3))
    after["steps"][0]["title"] = "Save, then load"
    del after["stop_rules"][1]
    after["campaign"]["people"] = 2
    found = differences(before, after)
    assert [one.path for one in found] == [
        "campaign.people",
        "steps[restore-check].title",
        "steps",
        "stop_rules[grad-norm-not-finite]",
    ]
    assert found[0] == Difference("campaign.people", None, 2)
    assert found[3].after is None


@settings(max_examples=40, deadline=None)
@given(plans(), plans())
def test_documents_differ_exactly_when_they_are_not_equal(one: Plan, other: Plan) -> None:
    before, after = to_document(one), to_document(other)
    assert changed_paths(before, before) == ()
    assert bool(changed_paths(before, after)) == (before != after)


@settings(max_examples=60, deadline=None)
@given(plans())
def test_a_drawing_stays_inside_its_frame(plan: Plan) -> None:
    lots, made = placed_with(plan, read_catalogue())
    drawing = draw(plan.steps, lots.windows, made)
    assert (drawing is None) == (not made.placements or made.end_min is None)
    if drawing is None:
        return
    shapes = [one for lane in drawing.lanes for one in (*lane.bars, *lane.marks)]
    shapes += [one for one in (drawing.free, drawing.over) if one is not None]
    for shape in shapes:
        assert 0 <= shape.x <= shape.end <= 100
        assert shape.width == pytest.approx(shape.end - shape.x, abs=0.02)
    for lane in drawing.lanes:
        if not str(lane.title).startswith("Transfer"):  # transfers take nothing, and may overlap
            edges = sorted((bar.x, bar.end) for bar in lane.bars)
            assert all(end <= start + 0.02 for (_, end), (start, _) in pairwise(edges))
    assert 1 <= len(drawing.ticks) <= 9


def test_every_gpu_that_a_step_takes_is_a_lane_of_its_own() -> None:
    plan = small()
    two = replace(plan.steps[1], gpus=2)
    lot = PlannedLot("lot-1", gpus=2, hours=72)
    wide = replace(plan, lots=(lot,), steps=(plan.steps[0], two, plan.steps[2]))
    lots, made = placed_with(wide, read_catalogue())
    drawing = draw(wide.steps, lots.windows, made)
    assert drawing is not None
    assert [str(lane.title) for lane in drawing.lanes] == ["People", "GPU 0", "GPU 1", "Transfer"]
    assert drawing.lanes[1].bars == drawing.lanes[2].bars


def test_a_plan_in_words() -> None:
    rule = small().decision_rule
    assert str(decision_rule_said(rule)) == "Yes if the final f1 is 0.82 or more."
    gain = replace(rule, threshold=None, gain_over_control=Decimal("0.02"), better="lower")
    said = str(decision_rule_said(replace(gain, take="best")))
    assert said == "Yes if the best f1 is below the control by 0.02 or more."
    assert [str(piece) for piece in stop_rule_said(sample().stop_rules[1])] == [
        "grad_norm is not finite",
        "5 times in a row",
        "only warns",
    ]
    lots, _ = placed_with(small(), read_catalogue())
    pieces = [str(piece) for piece in lot_said(lots.windows[0])]
    assert pieces[:2] == ["1 GPU RTX 4090", "72 h rented"]
    assert "for the whole lot" in pieces[2]


def test_nothing_optional_is_promised() -> None:
    plan = small()
    extra = replace(plan.steps[1], id="extra", klass=StepClass.USEFUL, p50_s=70 * 3600)
    _, made = placed_with(replace(plan, steps=(*plan.steps, extra)), read_catalogue())
    assert "an answer 16 h after the lot begins" in str(promise(made))
