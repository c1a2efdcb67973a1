"""What a change makes of an order: its rows, its sum, its windows; and which ones are refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.orders.rules import (
    CANCELLATION,
    CORRECTION,
    CREDIT,
    EXTENSION,
    PAYMENT_FAILED,
    PRICE,
    REFUND,
    REVERSAL,
    USABLE_UNTIL,
    NewChange,
    Order,
    change_problem,
    change_problems,
    changed,
    contributes,
    reversal_minor,
    same_change,
    tried,
)
from tests.conftest import NOW
from tests.orders.campaigns import END, START, change, order

DAY = date(2026, 12, 1)
HOUR = timedelta(hours=1)


def after(known: Order, *said: NewChange) -> Order:
    """The order after changes that the rules take, one after the other."""
    for new in said:
        assert change_problems(new) == ()
        assert change_problem(known, new) is None
        known = tried(known, new, NOW)
    return known


def refund(minor: int) -> NewChange:
    return NewChange(REFUND, "late", minor, DAY)


def refused(known: Order, new: NewChange) -> str:
    """The field at which the record speaks against a change."""
    problem = change_problem(known, new)
    assert problem is not None
    return problem.field


# Money


@given(st.integers(0, 10**12), st.data())
def test_a_reversal_makes_the_rows_sum_to_zero_whatever_came_before(
    price: int, data: st.DataObject
) -> None:
    known = order(price_minor=price)
    for _ in range(data.draw(st.integers(0, 5))):
        kind = data.draw(st.sampled_from([REFUND, CREDIT, CORRECTION, EXTENSION]))
        amount = data.draw(st.integers(0, price + 10))
        ends_at = known.lots[0].ends_at + HOUR if kind == EXTENSION else None
        new = NewChange(kind, "why", amount, DAY, ends_at=ends_at)
        if not change_problems(new) and change_problem(known, new) is None:
            before = known.rows_minor
            known = tried(known, new, NOW)
            assert known.rows_minor >= 0
            expected = {REFUND: -amount, CREDIT: -amount, EXTENSION: amount}
            assert kind == CORRECTION or known.rows_minor == before + expected[kind]
    gone = changed(known, change(REVERSAL, reversal_minor(known)))
    assert (gone.rows_minor, gone.net_minor, gone.is_active) == (0, 0, False)


def test_a_refund_is_a_row_of_its_own() -> None:
    """E17: 10.00 back on 47.14 is net 37.14; the price stays as it was stated."""
    known = after(order(), refund(1000))
    assert (known.price_minor, known.net_minor) == (4714, 3714)
    assert [row.amount_minor for row in known.changes] == [-1000]


def test_a_changed_amount_is_a_row_with_the_signed_difference() -> None:
    once = after(order(), NewChange(CORRECTION, "a typo", 4741))
    assert (once.price_minor, once.price_now_minor, once.net_minor) == (4714, 4741, 4741)
    twice = after(once, NewChange(CORRECTION, "another", 4700))
    assert [row.amount_minor for row in twice.changes] == [27, -41]
    assert twice.net_minor == 4700


def test_an_extension_carries_what_the_provider_states_and_nothing_worked_out() -> None:
    """E18: from 3 to 7 days; without an amount the order's net is not known."""
    week = START + timedelta(days=7)
    priced = after(order(), NewChange(EXTENSION, "longer", 7000, ends_at=week))
    assert (priced.net_minor, priced.lots[0].ends_at, priced.lots[0].usable_until) == (
        11714, week, week,
    )  # fmt: skip
    open_ = after(order(), NewChange(EXTENSION, "longer", None, ends_at=week))
    assert (open_.net_minor, open_.known_minor) == (None, 4714)
    assert "extension" in str(contributes(open_)[1])
    (row,) = open_.changes
    said = after(open_, NewChange(PRICE, "invoice", 6286, of=row.number))
    assert (said.net_minor, said.price_now_minor) == (11000, 4714)


def test_a_price_that_was_not_known_is_stated_once() -> None:
    unknown = order(price_minor=None)
    assert contributes(unknown)[0] is None
    known = after(unknown, NewChange(PRICE, "invoice", 4714))
    assert (known.price_minor, known.net_minor) == (None, 4714)
    assert refused(known, NewChange(PRICE, "again", 5000)) == "price"
    assert after(known, NewChange(CORRECTION, "typo", 4700)).net_minor == 4700


@pytest.mark.parametrize(
    ("known", "new", "field"),
    [
        (order(), refund(4715), "amount"),
        (after(order(), refund(4714)), refund(1), "amount"),
        (order(price_minor=None), refund(1), "amount"),
        (order(), NewChange(CORRECTION, "x", 4714), "price"),
        (order(price_minor=None), NewChange(CORRECTION, "x", 1), "price"),
        (after(order(), refund(1000)), NewChange(CORRECTION, "x", 999), "price"),
        (order(), NewChange(PRICE, "x", 1), "price"),
        (order(), NewChange(PRICE, "x", 1, of=7), "extension"),
        (order(), NewChange(EXTENSION, "x", 1, ends_at=END), "ends_at"),
        (
            order(),
            NewChange(EXTENSION, "x", 1, ends_at=END + HOUR, usable_until=START),
            "usable_until",
        ),
        (order(), NewChange(USABLE_UNTIL, "x", usable_until=END + HOUR), "usable_until"),
        (order(), NewChange(USABLE_UNTIL, "x", usable_until=END), "usable_until"),
        (order(), NewChange(USABLE_UNTIL, "x", usable_until=END - HOUR, lot=3), "lot"),
    ],
)
def test_what_contradicts_the_record_names_its_field(
    known: Order, new: NewChange, field: str
) -> None:
    assert change_problems(new) == ()
    assert refused(known, new) == field


@pytest.mark.parametrize("kind", [REFUND, CREDIT, CORRECTION, PRICE, EXTENSION, CANCELLATION])
def test_a_reversed_order_takes_no_change(kind: str) -> None:
    gone = order(changes=(change(REVERSAL, -4714),))
    assert change_problem(gone, NewChange(kind, "x", 1, DAY, ends_at=END + HOUR)) is not None


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (NewChange(REFUND, "x", 0, DAY), "amount"),
        (NewChange(REFUND, "x", -1, DAY), "amount"),
        (NewChange(CREDIT, "x", None, DAY), "amount"),
        (NewChange(REFUND, "x", 1), "on"),
        (NewChange(REFUND, "x", 1, date(1, 1, 1)), "on"),
        (NewChange(REFUND, " ", 1, DAY), "reason"),
        (NewChange(REFUND, "x" * 501, 1, DAY), "reason"),
        (NewChange(CORRECTION, "x"), "price"),
        (NewChange(PRICE, "x", -1), "price"),
        (NewChange(EXTENSION, "x", -1, ends_at=END), "amount"),
        (NewChange(EXTENSION, "x", 1), "ends_at"),
        (NewChange(USABLE_UNTIL, "x"), "usable_until"),
        (NewChange(CANCELLATION, ""), "reason"),
    ],
)
def test_what_is_no_change_names_its_field(new: NewChange, field: str) -> None:
    assert [problem.field for problem in change_problems(new)] == [field]


# Windows


def test_a_lot_that_is_usable_for_less_keeps_its_paid_window() -> None:
    known = after(order(), NewChange(USABLE_UNTIL, "they clear early", usable_until=END - HOUR))
    (lot,) = known.lots
    assert (lot.ends_at, lot.usable_until) == (END, END - HOUR)
    assert (known.logged_lots[0].usable_until, known.net_minor) == (END, 4714)


def test_what_was_said_of_deleting_before_the_new_end_holds_no_more() -> None:
    lot = replace(order().lots[0], data_deleted_at=END)
    longer = NewChange(EXTENSION, "x", 1, ends_at=END + HOUR)
    assert after(order(lots=(lot,)), longer).lots[0].data_deleted_at is None
    kept = replace(lot, data_deleted_at=END + 9 * HOUR)
    assert after(order(lots=(kept,)), longer).lots[0].data_deleted_at == END + 9 * HOUR


def test_one_lot_of_several_is_moved_by_its_place() -> None:
    first = order().lots[0]
    two = order(lots=(first, replace(first, position=1, planned_lot=None)))
    new = NewChange(EXTENSION, "x", 1, ends_at=END + HOUR, lot=1)
    assert [lot.ends_at for lot in after(two, new).lots] == [END, END + HOUR]
    assert refused(two, replace(new, lot=None)) == "lot"


# Cancelled, not paid


@pytest.mark.parametrize("kind", [CANCELLATION, PAYMENT_FAILED])
def test_what_ended_before_its_start_contributes_nothing_and_says_why(kind: str) -> None:
    known = after(order(), NewChange(kind, "card refused", at=START - HOUR))
    minor, why = contributes(known)
    assert (minor, known.net_minor, known.in_force) == (0, 0, False)
    assert "before its start: card refused" in str(why)
    back = after(known, refund(4714))
    assert (back.net_minor, back.rows_minor) == (0, 0)


@pytest.mark.parametrize("kind", [CANCELLATION, PAYMENT_FAILED])
def test_what_ended_after_its_start_keeps_its_money_until_something_comes_back(kind: str) -> None:
    known = after(order(), NewChange(kind, "too slow", at=START))
    assert (contributes(known), known.in_force) == ((4714, None), True)
    assert contributes(after(known, refund(2000)))[0] == 2714


def test_an_order_ends_early_once() -> None:
    known = after(order(), NewChange(CANCELLATION, "x", at=START))
    for kind in (CANCELLATION, PAYMENT_FAILED):
        assert change_problem(known, NewChange(kind, "y", at=START)) is not None


# Sent twice


@pytest.mark.parametrize(
    "new",
    [
        refund(1000),
        NewChange(CREDIT, "voucher", 1000, DAY),
        NewChange(CORRECTION, "typo", 4741),
        NewChange(EXTENSION, "longer", 100, ends_at=END + HOUR),
        NewChange(USABLE_UNTIL, "early", usable_until=END - HOUR),
        NewChange(CANCELLATION, "x", at=START),
        NewChange(PAYMENT_FAILED, "x"),
    ],
)
def test_a_change_sent_twice_is_one_row(new: NewChange) -> None:
    known = after(order(), new)
    assert same_change(order(), new) is None
    assert same_change(known, new) == known.changes[0]
    assert same_change(known, replace(new, reason="another")) is None


def test_a_correction_back_and_forth_is_three_rows() -> None:
    there, back = NewChange(CORRECTION, "typo", 4741), NewChange(CORRECTION, "typo", 4714)
    known = after(order(), there, back)
    assert same_change(known, there) is None
    assert after(known, there).net_minor == 4741
