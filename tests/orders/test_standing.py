"""Where an order stands, and the committed total replayed to any instant."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.orders.rules import (
    CANCELLATION,
    CHANGE_KINDS,
    EXTENSION,
    PAYMENT_FAILED,
    REFUND,
    REVERSAL,
    STATUS_NAMES,
    STATUSES,
    NewChange,
    Order,
    OrderChange,
    added_minor,
    as_of,
    change_problem,
    change_problems,
    changed,
    committed_at,
    contributes,
    ledger,
    row_of,
    status,
)
from tests.conftest import NOW
from tests.orders.campaigns import END, START, change, order

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("changes", "at", "said"),
    [
        ((), START - HOUR, "scheduled"),
        ((), START, "active"),
        ((), END - HOUR, "active"),
        ((), END, "ended"),
        ((change(CANCELLATION, at=START - HOUR),), START - HOUR, "cancelled"),
        ((change(CANCELLATION, at=START + HOUR),), START, "active"),
        ((change(CANCELLATION, at=START + HOUR),), END, "cancelled"),
        ((change(PAYMENT_FAILED, at=START - HOUR),), START, "payment_failed"),
        ((change(REFUND, -1000),), END, "ended"),
        ((change(REFUND, -4714),), END, "refunded"),
        ((change(CANCELLATION, at=START), change(REFUND, -4714, 10)), END, "refunded"),
        ((change(REVERSAL, -4714),), START, "reversed"),
    ],
)
def test_the_status_at_a_moment(changes: tuple[OrderChange, ...], at: datetime, said: str) -> None:
    assert status(changed(order(), *changes), at) == said


def test_a_lot_that_starts_on_delivery_is_only_ordered_until_it_begins() -> None:
    waits = order(lots=(replace(order().lots[0], start_basis="on_delivery"),))
    assert status(waits, START - HOUR) == "ordered"
    assert status(waits, START) == "active"


def test_an_extended_order_is_active_until_its_new_end() -> None:
    longer = changed(order(), change(EXTENSION, 1, lot=0, ends_at=END + HOUR))
    assert status(longer, END) == "active"
    assert status(longer, END + HOUR) == "ended"


def test_an_order_that_cost_nothing_is_not_refunded() -> None:
    assert status(order(price_minor=0), END) == "ended"


def test_every_status_has_its_words() -> None:
    assert set(STATUS_NAMES) == set(STATUSES)


@pytest.mark.parametrize(
    ("known", "minor", "why"),
    [
        (order(), 4714, None),
        (order(price_minor=0), 0, None),
        (order(price_minor=None), None, "its price is not known"),
        (order(changes=(change(REVERSAL, -4714),)), 0, "reversed: why"),
    ],
)
def test_what_an_order_contributes(known: Order, minor: int | None, why: str | None) -> None:
    found, said = contributes(known)
    assert (found, None if said is None else str(said)) == (minor, why)


def test_a_row_that_is_not_logged_yet_is_not_known() -> None:
    known = changed(order(), change(REFUND, -1000))
    early = as_of(known, NOW)
    assert early is not None
    assert (early.net_minor, early.changes) == (4714, ())
    assert as_of(known, NOW - HOUR) is None
    longer = changed(order(), change(EXTENSION, 1, lot=0, ends_at=END + HOUR))
    before = as_of(longer, NOW)
    assert before is not None
    assert before.lots[0].ends_at == END


# The replay


@st.composite
def records(draw: st.DrawFn) -> tuple[Order, ...]:
    """Orders with changes that the rules take, logged one after the other."""
    orders: list[Order] = []
    number, at = 0, NOW - timedelta(days=9)
    for _ in range(draw(st.integers(1, 8))):
        number, at = number + 1, at + draw(st.sampled_from([timedelta(0), HOUR]))
        if not orders or draw(st.booleans()):
            price = draw(st.one_of(st.none(), st.integers(0, 10_000)))
            currency = draw(st.sampled_from(["USD", "EUR"]))
            orders.append(order(number, price_minor=price, currency=currency, logged_at=at))
            continue
        place = draw(st.integers(0, len(orders) - 1))
        known = orders[place]
        new = NewChange(
            draw(st.sampled_from(CHANGE_KINDS)),
            "why",
            draw(st.one_of(st.none(), st.integers(0, 10_000))),
            date(2026, 12, 1),
            ends_at=known.lots[0].ends_at + HOUR,
            at=draw(st.sampled_from([START - HOUR, START])),
        )
        if not change_problems(new) and change_problem(known, new) is None:
            orders[place] = changed(known, row_of(known, new, number, "local", at))
    return tuple(orders)


@given(records())
def test_the_total_at_an_instant_is_that_of_the_rows_until_then(orders: tuple[Order, ...]) -> None:
    rows = ledger(orders)
    assert [row.number for row in rows] == sorted(row.number for row in rows)
    for instant in {row.logged_at for row in rows}:
        until = [row for row in rows if row.logged_at <= instant]
        last = {row.total.currency: row.total for row in until}
        assert committed_at(orders, instant) == last
        for currency, total in last.items():
            added = sum(row.amount_minor or 0 for row in until if row.total.currency == currency)
            assert total.known_minor == added


@given(records())
def test_the_total_now_is_what_the_orders_contribute(orders: tuple[Order, ...]) -> None:
    totals = committed_at(orders, NOW)
    for currency, total in totals.items():
        mine = [one for one in orders if one.currency == currency]
        assert total.known_minor == sum(one.known_minor for one in mine)
        assert (total.unpriced > 0) == any(contributes(one)[0] is None for one in mine)


def test_the_ledger_says_what_each_row_added() -> None:
    known = changed(
        order(1),
        change(EXTENSION, None, 2, lot=0, ends_at=END + HOUR),
        change(REFUND, -1000, 3),
        change(CANCELLATION, None, 4, at=START - HOUR),
    )
    rows = ledger([known])
    assert [(row.kind, row.amount_minor) for row in rows] == [
        ("order", 4714), (EXTENSION, None), (REFUND, -1000), (CANCELLATION, -3714),
    ]  # fmt: skip
    assert [(row.total.known_minor, row.total.unpriced) for row in rows] == [
        (4714, 0), (4714, 1), (3714, 1), (0, 0),
    ]  # fmt: skip


def test_a_refund_says_what_it_adds() -> None:
    assert added_minor(order(), NewChange(REFUND, "x", 1000, date(2026, 12, 1))) == -1000
