"""Budgets speak before an order, each currency for itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.budget.rules import Committed, Limit, in_force, left_minor, limit_problems, warns
from app.units import Money

HUNDRED = (Limit("USD", 10000),)


@pytest.mark.parametrize(
    ("committed", "more", "said"),
    [
        ({}, Money(10000, "USD"), None),
        ({"USD": Committed(4714)}, Money(4714, "USD"), None),
        (
            {"USD": Committed(9428)},
            Money(4714, "USD"),
            "With this the committed rent is 141.42 USD: 41.42 USD more than the budget of "
            "100.00 USD.",
        ),
        ({"EUR": Committed(99999)}, Money(4714, "USD"), None),
        ({"USD": Committed(9428)}, Money(4714, "EUR"), None),
        (
            {"USD": Committed(4714)},
            "USD",
            "Whether the budget of 100.00 USD holds is not known: a price is missing. The known "
            "prices leave 52.86 USD.",
        ),
        (
            {"USD": Committed(4714, unpriced=1)},
            Money(1, "USD"),
            "Whether the budget of 100.00 USD holds is not known: a price is missing. The known "
            "prices leave 52.85 USD.",
        ),
        (
            {"USD": Committed(20000, unpriced=1)},
            "USD",
            "With this the committed rent is 200.00 USD: 100.00 USD more than the budget of "
            "100.00 USD.",
        ),
    ],
)
def test_what_a_budget_says_before_an_order(
    committed: dict[str, Committed], more: Money | str, said: str | None
) -> None:
    found = warns(HUNDRED, committed, more)
    assert (None if found is None else str(found)) == said


def test_without_a_budget_nothing_is_said() -> None:
    assert warns((), {"USD": Committed(10**9)}, Money(10**9, "USD")) is None


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_known_sum_is_spoken_of_exactly_where_it_exceeds(
    amount: int, before: int, more: int
) -> None:
    limit = Limit("USD", amount)
    found = warns([limit], {"USD": Committed(before)}, Money(more, "USD"))
    assert (found is not None) == (before + more > amount)
    assert left_minor(limit, Committed(before)) == amount - before


def test_the_newest_budget_of_a_currency_counts_and_the_plan_is_the_first() -> None:
    rows = [Limit("EUR", 500, 3), Limit("USD", 700, 4), Limit("EUR", None, 5)]
    assert in_force("USD", 6000, ()) == (Limit("USD", 6000),)
    assert in_force("USD", 6000, rows[:1]) == (Limit("USD", 6000), rows[0])
    assert in_force("USD", 6000, rows) == (rows[1],)
    assert in_force("USD", None, rows[:2]) == (rows[0], rows[1])


@pytest.mark.parametrize(
    ("currency", "amount", "reason", "fields"),
    [
        ("USD", 6000, "as agreed", []),
        ("USD", 0, "nothing more", []),
        ("USD", None, "not needed", []),
        ("XXX", -1, " ", ["currency", "amount", "reason"]),
    ],
)
def test_what_can_be_a_budget(
    currency: str, amount: int | None, reason: str, fields: list[str]
) -> None:
    assert [one.field for one in limit_problems(currency, amount, reason)] == fields
