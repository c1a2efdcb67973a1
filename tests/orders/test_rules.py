"""What an order is, when it is the same one, which planned lot it fills, how it nets to zero."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.offers.rules import read_catalogue
from app.orders.rules import (
    REFUND,
    REVERSAL,
    Fillable,
    Filling,
    Order,
    OrderChange,
    Problem,
    differences,
    fill,
    fillable,
    find_same,
    problems,
    refund_problem,
    reversal_minor,
    unfilled,
)
from app.plan.rules.lots import resolve_lots
from app.plan.rules.model import PlannedLot
from tests.conftest import NOW
from tests.orders.campaigns import END, OFFER, START, new_order, order, plan


def _change(kind: str, amount: int | None, number: int = 9) -> OrderChange:
    on = date(2026, 12, 1) if kind == REFUND else None
    return OrderChange(number, NOW, "local", kind, amount, on, "why")


def _planned(*lots: PlannedLot) -> tuple[Fillable, ...]:
    kept = plan(*lots)
    return fillable(kept, resolve_lots(kept, read_catalogue()).windows, read_catalogue())


def _filled_by(filling: Filling | Problem) -> Filling:
    assert isinstance(filling, Filling)
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
    ],
)
def test_what_cannot_be_an_order_names_its_field(change: dict[str, Any], field: str) -> None:
    assert [problem.field for problem in problems(new_order(**change))] == [field]


def test_an_order_without_a_price_and_with_a_note_of_two_lines_is_fine() -> None:
    assert problems(new_order(price_minor=None, note="one\ntwo", usable_until=END)) == ()


def test_texts_are_composed_and_stripped_and_keep_their_case() -> None:
    said = new_order(" ig-20931A ", provider=" Café ", account="  ")
    assert (said.reference, said.provider, said.account) == ("ig-20931A", "Café", None)


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
    gone = order(changes=(_change(REVERSAL, -4714),))
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


# Taking back


def _with_refunds(price: int | None, amounts: list[int]) -> Order:
    refunds = tuple(_change(REFUND, -amount, n) for n, amount in enumerate(amounts, 10))
    return order(price_minor=price, changes=refunds)


@given(st.integers(0, 10**12), st.data())
def test_a_reversal_nets_to_zero_whatever_came_back_before(price: int, data: st.DataObject) -> None:
    logged, left = _with_refunds(price, []), price
    for number in range(10, 10 + data.draw(st.integers(0, 4))):
        amount = data.draw(st.integers(0, left))
        if amount == 0 or refund_problem(logged, amount) is not None:
            continue
        left -= amount
        logged = replace(logged, changes=(*logged.changes, _change(REFUND, -amount, number)))
    assert logged.net_minor == left
    amount_back = reversal_minor(logged)
    taken = replace(logged, changes=(*logged.changes, _change(REVERSAL, amount_back, 99)))
    rows = [taken.price_minor or 0, *(change.amount_minor or 0 for change in taken.changes)]
    assert sum(rows) == 0 == taken.net_minor
    assert not taken.is_active


def test_an_unpriced_order_is_unknown_until_it_is_reversed() -> None:
    unknown = _with_refunds(None, [])
    assert unknown.net_minor is None
    assert reversal_minor(unknown) is None
    assert replace(unknown, changes=(_change(REVERSAL, None),)).net_minor == 0


@pytest.mark.parametrize(
    ("logged", "amount"),
    [
        (_with_refunds(4714, []), 4715),
        (_with_refunds(4714, [4714]), 1),
        (_with_refunds(None, []), 1),
        (order(changes=(_change(REVERSAL, -4714),)), 1),
    ],
)
def test_more_than_is_left_cannot_come_back(logged: Order, amount: int) -> None:
    assert refund_problem(logged, amount) is not None


def test_a_refund_up_to_the_whole_price_is_taken() -> None:
    assert refund_problem(_with_refunds(4714, [1000]), 3714) is None
