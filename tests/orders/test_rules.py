"""What an order is, when it is the same one, and which planned lot it fills."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.offers.rules import read_catalogue
from app.orders.rules import (
    REVERSAL,
    Fillable,
    Filling,
    Problem,
    Source,
    as_new,
    corrections,
    differences,
    fill,
    fillable,
    find_same,
    problems,
    unfilled,
)
from app.plan.rules.lots import resolve_lots
from app.plan.rules.model import PlannedLot
from tests.orders.campaigns import END, OFFER, START, change, new_order, order, plan


def _planned(*lots: PlannedLot) -> tuple[Fillable, ...]:
    kept = plan(*lots)
    return fillable(kept, resolve_lots(kept, read_catalogue()).windows, read_catalogue())


def _filled_by(fillings: tuple[Filling, ...] | Problem) -> Filling:
    assert not isinstance(fillings, Problem)
    (filling,) = fillings
    return filling


# What is wrong by itself


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"reference": "  "}, "reference"),
        ({"provider": ""}, "provider"),
        ({"reference": "A\x00B"}, "reference"),
        ({"note": "a\x07"}, "note"),
        ({"reference": "x" * 201}, "reference"),
        ({"currency": "XAU"}, "currency"),
        ({"price_minor": -1}, "price"),
        ({"ends_at": START}, "ends_at"),
        ({"ends_at": START - timedelta(hours=1)}, "ends_at"),
        ({"usable_until": END + timedelta(minutes=1)}, "usable_until"),
        ({"usable_until": START}, "usable_until"),
        ({"gpus": 0}, "gpus"),
        ({"lot": "lot-1", "extra": True}, "extra"),
        ({"memory_gib": 0}, "memory_gib"),
        ({"start_basis": "soon"}, "start_basis"),
        ({"end_policy": "burnt"}, "end_policy"),
        ({"data_deleted_at": START}, "data_deleted_at"),
        ({"link": "ftp://example.com/x"}, "link"),
        ({"link": "javascript:alert(1)"}, "link"),
        ({"link": "https://"}, "link"),
        ({"link": "https://example.com/" + "x" * 500}, "link"),
        ({"lots": ()}, "lots"),
        ({"lots": new_order().lots * 21}, "lots"),
        ({"source": Source("fax")}, "source"),
        ({"source": Source("paste", "ab")}, "source"),
        ({"source": Source("paste", None, "x" * 65_537)}, "source"),
    ],
)
def test_what_cannot_be_an_order_names_its_field(change: dict[str, Any], field: str) -> None:
    assert [problem.field for problem in problems(new_order(**change))] == [field]


def test_an_order_without_a_price_and_with_a_note_of_two_lines_is_fine() -> None:
    assert problems(new_order(price_minor=None, note="one\ntwo", usable_until=END)) == ()


def test_texts_are_composed_and_stripped_and_keep_their_case() -> None:
    said = new_order(" ig-20931A ", provider=" Café ", account="  ")
    assert (said.reference, said.provider, said.account) == ("ig-20931A", "Café", None)


def test_a_field_of_one_of_several_lots_is_called_by_its_place() -> None:
    lots = (*new_order().lots, *new_order(ends_at=START).lots)
    assert [one.field for one in problems(replace(new_order(), lots=lots))] == ["lots.1.ends_at"]
    twice = new_order(lot="lot-1").lots * 2
    assert [one.field for one in problems(replace(new_order(), lots=twice))] == ["lots.1.lot"]


def test_everything_that_a_provider_may_state_is_taken() -> None:
    new = new_order(
        memory_gib=24, start_basis="on_delivery", end_policy="kept_until",
        data_deleted_at=END + timedelta(days=7), auto_renew=False, account="lab",
        ordered_at=START - timedelta(days=1), link="https://iteragpu.example/orders/1",
        source=Source("api"),
    )  # fmt: skip
    assert problems(new) == ()


# The same order


def test_the_same_provider_and_reference_is_the_same_order() -> None:
    known = order()
    assert find_same([known], new_order(provider="iteragpu")) is known
    assert find_same([known], new_order("ig-20931")) is None
    assert differences(known, new_order()) == ()


def test_two_accounts_may_use_one_reference() -> None:
    known = order(account="lab")
    assert find_same([known], new_order(account="other")) is None
    assert find_same([known], new_order()) is known


def test_a_reversed_order_is_not_the_same_any_more() -> None:
    gone = order(changes=(change(REVERSAL, -4714),))
    assert find_same([gone], new_order()) is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"price_minor": 4700}, "price"),
        ({"price_minor": None}, "price"),
        ({"currency": "EUR"}, "currency"),
        ({"ends_at": END + timedelta(hours=1)}, "usable_until"),
        ({"usable_until": END - timedelta(hours=1)}, "usable_until"),
        ({"note": "late"}, "note"),
        ({"account": "lab"}, "account"),
        ({"gpus": 2}, "gpus"),
        ({"lot": "lot-2"}, "lot"),
        ({"extra": True}, "lot"),
    ],
)
def test_a_difference_names_what_is_recorded(change: dict[str, Any], field: str) -> None:
    assert differences(order(), new_order(**change))[-1].field == field


def test_what_was_stated_beyond_is_compared_only_where_it_is_said_again() -> None:
    lot = replace(order().lots[0], end_policy="wiped", memory_gib=24)
    known = order(lots=(lot,), link="https://a.example/1", ordered_at=START)
    assert differences(known, new_order()) == ()
    said = new_order(end_policy="kept_until", link="https://a.example/2")
    assert [one.field for one in differences(known, said)] == ["link", "end_policy"]
    right = [one.field for one in corrections(known, new_order())]
    assert right == ["ordered_at", "link", "memory_gib", "end_policy"]


def test_the_order_as_it_stands_is_said_again_without_a_difference() -> None:
    known = order(lots=(replace(order().lots[0], auto_renew=True),), note="by phone")
    assert corrections(known, as_new(known)) == differences(known, as_new(known)) == ()


def test_another_number_of_lots_is_one_difference() -> None:
    two = replace(new_order(), lots=new_order().lots * 2)
    assert [str(one.name) for one in differences(order(), two)] == ["number of lots"]
    later = (*new_order().lots, *new_order(ends_at=END + timedelta(hours=1)).lots)
    known = order(lots=(order().lots[0], replace(order().lots[0], position=1, planned_lot=None)))
    found = differences(known, replace(new_order(), lots=later))
    assert [one.field for one in found] == ["lots.1.ends_at", "lots.1.usable_until"]
    assert str(found[0].name) == "end of lot 2"


# Which planned lot it fills


def test_the_first_unfilled_lot_with_equal_gpus_is_filled() -> None:
    planned = _planned(
        PlannedLot("big", gpus=2, hours=72),
        PlannedLot("a", offer=OFFER),
        PlannedLot("b", offer=OFFER),
    )
    offers = read_catalogue()
    assert _filled_by(fill(new_order(gpus=1), planned, set(), offers)).planned_lot == "a"
    assert _filled_by(fill(new_order(gpus=1), planned, {"a"}, offers)).planned_lot == "b"
    assert _filled_by(fill(new_order(gpus=2), planned, set(), offers)).planned_lot == "big"


def test_without_a_number_of_gpus_the_next_lot_lends_its_own() -> None:
    planned = _planned(PlannedLot("big", gpus=2, hours=72), PlannedLot("a", offer=OFFER))
    first = _filled_by(fill(new_order(), planned, set(), read_catalogue()))
    assert (first.planned_lot, first.gpus, first.gpu) == ("big", 2, None)
    second = _filled_by(fill(new_order(), planned, {"big"}, read_catalogue()))
    assert (second.planned_lot, second.gpus, second.gpu) == ("a", 1, "RTX 4090")


def test_what_fits_no_planned_lot_is_extra_and_what_nobody_states_stays_unknown() -> None:
    planned = _planned()
    assert _filled_by(fill(new_order(gpus=8), planned, set(), read_catalogue())).planned_lot is None
    assert (
        _filled_by(fill(new_order(extra=True), planned, set(), read_catalogue())).planned_lot
        is None
    )
    last = _filled_by(fill(new_order(), planned, {"lot-1"}, read_catalogue()))
    assert last == Filling(None, None, None, None)
    assert (
        order(lots=(replace(order().lots[0], planned_lot=None, gpus=None),)).lots[0].capacity == 1
    )


def test_the_named_lot_is_filled_whatever_its_gpus_and_keeps_what_the_order_says() -> None:
    planned = _planned(PlannedLot("a", offer=OFFER))
    filling = _filled_by(fill(new_order(lot="a", gpus=2), planned, set(), read_catalogue()))
    assert (filling.planned_lot, filling.gpus) == ("a", 2)


def test_a_lot_that_is_not_there_or_filled_is_refused_with_the_open_ones() -> None:
    planned = _planned(PlannedLot("a", offer=OFFER), PlannedLot("b", offer=OFFER))
    for name in ("c", "a"):
        refused = fill(new_order(lot=name), planned, {"a"}, read_catalogue())
        assert isinstance(refused, Problem)
        assert (refused.field, refused.allowed) == ("lot", ("b",))


def test_a_lot_of_two_gpus_is_one_price_and_two_gpus() -> None:
    """S8: the composition of a lot does not multiply its price, and no price is made up."""
    (planned,) = _planned(PlannedLot("b200", offer="iteragpu/b200", hours=72))
    assert (planned.gpus, planned.gpu, planned.price_minor) == (2, "B200", None)
    filling = _filled_by(fill(new_order(price_minor=90000), (planned,), set(), read_catalogue()))
    assert (filling.planned_lot, filling.gpus) == ("b200", 2)
    assert filling.offer is not None
    assert filling.offer.price_minor is None


def test_the_offer_is_kept_as_it_is_when_the_order_is_logged() -> None:
    filling = _filled_by(fill(new_order(), _planned(), set(), read_catalogue()))
    assert filling.offer is not None
    assert (filling.offer.id, filling.offer.price_minor, filling.offer.hours) == (OFFER, 4714, 72)
    assert filling.offer.source


def test_an_unknown_offer_is_refused_with_the_known_ones() -> None:
    refused = fill(new_order(offer="nobody/x"), _planned(), set(), read_catalogue())
    assert isinstance(refused, Problem)
    assert OFFER in refused.allowed


def test_a_planned_lot_with_a_start_has_an_end() -> None:
    (lot,) = _planned()
    assert (lot.starts_at, lot.ends_at, lot.hours) == (START, END, 72)
    assert unfilled((lot,), {"lot-1"}) == ()


def test_the_lots_of_one_order_fill_one_planned_lot_each() -> None:
    planned = _planned(PlannedLot("a", offer=OFFER), PlannedLot("b", offer=OFFER))
    two = replace(new_order(), lots=new_order().lots * 3)
    filled = fill(two, planned, set(), read_catalogue())
    assert not isinstance(filled, Problem)
    assert [one.planned_lot for one in filled] == ["a", "b", None]


def test_a_lot_that_another_one_of_the_order_names_is_kept_for_it() -> None:
    planned = _planned(PlannedLot("a", offer=OFFER), PlannedLot("b", offer=OFFER))
    lots = (*new_order().lots, *new_order(lot="a").lots)
    filled = fill(replace(new_order(), lots=lots), planned, set(), read_catalogue())
    assert not isinstance(filled, Problem)
    assert [one.planned_lot for one in filled] == ["b", "a"]


def test_a_refused_lot_of_several_is_named_by_its_place() -> None:
    planned = _planned(PlannedLot("a", offer=OFFER))
    lots = (*new_order().lots, *new_order(lot="z").lots)
    refused = fill(replace(new_order(), lots=lots), planned, set(), read_catalogue())
    assert isinstance(refused, Problem)
    assert refused.field == "lots.1.lot"
