"""The money vectors: exact fractions, nothing divided by zero, currencies and kinds apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.budget.rules import (
    Budget,
    CurrencyBudget,
    Expense,
    NewExpense,
    after_close_problem,
    as_json,
    budget,
    correction_problem,
    differing,
    family,
    find_same,
    later,
    net_minor,
    problems,
    until_close,
)
from app.orders.rules import Order
from app.orders.rules.records import CANCELLATION, CORRECTION, EXTENSION, PRICE
from app.units import Money, amount_text
from tests.budget.rows import (
    COUNTED,
    RESEARCH,
    accepted,
    change,
    expense,
    priced,
    refund,
    reversal,
)
from tests.orders.campaigns import START


def of(orders: list[Order], units: int, *expenses: Expense) -> CurrencyBudget:
    """The only currency of a budget."""
    (one,) = budget(COUNTED, orders, expenses, accepted(units)).currencies
    return one


def unit_cost(found: Budget | CurrencyBudget) -> dict[str, Any]:
    """The first currency's unit cost as scripts read it."""
    shown = found
    if isinstance(found, CurrencyBudget):
        shown = budget(COUNTED, [], [], accepted(0))
        shown = replace(shown, currencies=(found,))
    assert isinstance(shown, Budget)
    currencies: Any = as_json(shown)["currencies"]
    cost: dict[str, Any] = currencies[0]["unit_cost"]
    return cost


# Vectors


def test_s7_two_lots_are_the_sum_of_their_prices() -> None:
    assert of([priced(1, 4714), priced(2, 4714)], 0).committed_minor == 9428


def test_s8_a_lot_of_two_gpus_has_one_price() -> None:
    two = replace(priced(1, 4714).lots[0], gpus=2, gpu="B200")
    assert of([priced(1, 90000, lots=(two,))], 2).committed_minor == 90000


def test_s9_two_accepted_units_share_the_rent() -> None:
    assert unit_cost(of([priced(1, 4714)], 2)) == {
        "value": "23.57",
        "numerator": 2357,
        "denominator": 100,
        "rounded": False,
        "undefined_reason": None,
    }


def test_s10_with_none_accepted_the_ratio_is_undefined_and_the_money_spent() -> None:
    found = budget(COUNTED, [priced(1, 4714)], [], accepted(0, "predictions"))
    assert found.currencies[0].committed_minor == 4714
    assert unit_cost(found) == {
        "value": None,
        "numerator": None,
        "denominator": None,
        "rounded": False,
        "undefined_reason": "no unit was accepted",
    }
    assert [str(one.reason) for one in found.rejections] == ["ids missing"]
    assert str(found.result) == (
        "47.14 USD committed · cost of a unit undefined: no unit was accepted"
    )


def test_s11_five_runs_of_one_corpus_are_one_unit() -> None:
    cost = unit_cost(of([priced(1, 4714)], 1))
    assert (cost["value"], cost["numerator"], cost["denominator"]) == ("47.14", 2357, 50)


def test_s15_a_negative_result_keeps_its_cost() -> None:
    """A stopped run is spent and never accepted: without a unit the rent stands undivided."""
    one = of([priced(1, 4714)], 0)
    assert (one.committed_minor, one.accepted, one.unit_cost) == (4714, 0, None)


def test_s17_external_expenses_stand_on_their_own_line() -> None:
    one = of([priced(1, 4714)], 2, expense(2, "transfer", 1200))
    assert one.unit_cost is not None
    assert one.unit_cost.text == "23.57"
    assert one.external == (("transfer", 1200),)


def test_e17_a_refund_lowers_what_is_committed() -> None:
    one = of([priced(1, 4714, changes=(refund(2, 1000),))], 2)
    assert one.committed_minor == 3714
    assert unit_cost(one)["value"] == "18.57"


def test_e18_an_extension_costs_what_the_provider_states() -> None:
    assert of([priced(1, 4714), priced(2, 7000)], 0).committed_minor == 11714


def test_e19_a_currency_without_decimals_is_rounded_half_even_and_marked() -> None:
    (usd, yen) = budget(COUNTED, [priced(1, 7071, "JPY")], [], accepted(2)).currencies
    assert (usd.currency, yen.currency) == ("USD", "JPY")
    cost = unit_cost(yen)
    assert (cost["value"], cost["rounded"]) == ("3536", True)
    assert Fraction(cost["numerator"], cost["denominator"]) == Fraction("3535.5")


def test_e21_a_half_goes_to_the_even_cent() -> None:
    cost = unit_cost(of([priced(1, 4714)], 4))
    assert (cost["value"], cost["rounded"]) == ("11.78", True)
    assert (cost["numerator"], cost["denominator"]) == (2357, 200)


def test_e22_two_currencies_are_two_totals_and_two_ratios() -> None:
    found = budget(COUNTED, [priced(1, 4714), priced(2, 4000, "EUR")], [], accepted(2))
    shown: Any = as_json(found)
    figures = [
        (one["currency"], one["committed"], one["unit_cost"]["value"])
        for one in shown["currencies"]
    ]
    assert figures == [("USD", "47.14", "23.57"), ("EUR", "40.00", "20.00")]
    assert "87.14" not in str(shown)


def test_e31_an_order_without_a_price_makes_the_total_a_lower_bound() -> None:
    one = of([priced(1, 4714), priced(2, None)], 2)
    assert (one.committed_minor, one.committed_is_partial, one.unpriced_lots) == (4714, True, 1)
    assert str(one.committed_text) == "≥ 47.14 USD, 1 lot unpriced"
    assert str(one.committed_said) == "≥ 47.14 USD committed, 1 lot unpriced"
    assert unit_cost(one)["undefined_reason"] == "1 lot unpriced"


def test_with_no_price_known_the_rent_is_unknown_and_not_zero() -> None:
    found = budget(COUNTED, [priced(1, None), priced(2, None)], [], accepted(0))
    (one,) = found.currencies
    assert one.committed_minor is None
    assert str(one.committed_text) == "price not known, 2 lots unpriced"
    assert str(found.result) == (
        "rent not known (2 lots unpriced) · cost of a unit undefined: "
        "2 lots unpriced, no unit was accepted"
    )
    assert unit_cost(found)["undefined_reason"] == "2 lots unpriced; no unit was accepted"


def test_without_an_order_there_is_no_cost_of_zero() -> None:
    cost = unit_cost(of([], 2))
    assert (cost["value"], cost["undefined_reason"]) == (None, "no order in this currency")


def test_a_reversed_order_counts_as_nothing() -> None:
    one = of([priced(1, None, changes=(reversal(2, None),)), priced(3, 4714)], 2)
    assert (one.committed_minor, one.unpriced_lots) == (4714, 0)


def test_every_kind_of_change_is_part_of_the_total() -> None:
    """E18: an extension adds the amount that the provider states."""
    extended = priced(1, 4714, changes=(change(2, EXTENSION, 7000), change(3, CORRECTION, -14)))
    later = priced(4, None, changes=(change(5, PRICE, 4000),))
    one = of([extended, later], 0)
    assert (one.committed_minor, one.unpriced_lots) == (4714 + 7000 - 14 + 4000, 0)


def test_an_extension_without_an_amount_makes_a_lower_bound() -> None:
    one = of([priced(1, 4714, changes=(change(2, EXTENSION),))], 2)
    assert (one.committed_minor, one.committed_is_partial) == (4714, True)
    assert unit_cost(one)["undefined_reason"] == "1 lot unpriced"


def test_what_never_started_counts_as_nothing_and_leaves_no_order_that_counts() -> None:
    early = change(2, CANCELLATION, at=START - timedelta(hours=1))
    one = of([priced(1, 4714, changes=(early,))], 2)
    assert (one.committed_minor, one.unit_cost) == (0, None)
    assert unit_cost(one)["undefined_reason"] == "no order in this currency counts"
    late = change(2, CANCELLATION, at=START + timedelta(hours=1))
    assert of([priced(1, 4714, changes=(late,))], 2).committed_minor == 4714


# External expenses and taxes


def test_external_expenses_are_divided_on_a_line_of_their_own() -> None:
    one = of([priced(1, 4714)], 4, expense(2, "storage", 1000), expense(3, "transfer", 200))
    assert one.external_cost is not None
    assert (one.external_cost.text, one.external_cost.exact) == ("3.00", Fraction(3))
    assert one.unit_cost is not None
    assert one.unit_cost.text == "11.78"


def test_a_tax_is_listed_by_its_state_and_never_divided() -> None:
    taxes = [
        expense(2, "tax", 896, tax_state="excluded"),
        expense(3, "tax", 110),
        expense(4, "tax", 752, tax_state="included"),
        expense(5, "tax", -96, tax_state="excluded", corrects=2),
    ]
    one = of([priced(1, 4714)], 2, *taxes)
    assert one.taxes == (("included", 752), ("excluded", 800), (None, 110))
    assert (one.external_cost, str(one.external_undefined)) == (
        None,
        "nothing was charged outside the lots",
    )
    assert of([], 0, *taxes, expense(6, "storage", 100)).external_cost is None
    shown: Any = as_json(budget(COUNTED, [], taxes, accepted(2)))
    (usd,) = shown["currencies"]
    assert usd["tax"] == {"included": "7.52", "excluded": "8.00", "not_stated": "1.10"}
    assert usd["external"] == {"tax": "16.62"}


@pytest.mark.parametrize(
    ("kind", "state", "fields"),
    [
        ("tax", "included", []),
        ("tax", None, []),
        ("storage", None, []),
        ("storage", "included", ["tax_state"]),
        ("tax", "perhaps", ["tax_state"]),
    ],
)
def test_only_a_tax_has_a_state(kind: str, state: str | None, fields: list[str]) -> None:
    new = NewExpense(kind, 100, "USD", ON, tax_state=state)
    assert [problem.field for problem in problems(new)] == fields


# After the close


def test_what_came_after_the_close_is_no_part_of_the_closed_figures() -> None:
    back = replace(refund(2, 1000), after_close=True)
    orders = [priced(1, 4714, changes=(refund(3, 14), back)), priced(9, 100, "EUR")]
    rows = [expense(4, "storage", 1200), expense(5, "storage", -200, after_close=True)]
    kept, charged = until_close(orders, rows)
    one = of(list(kept[:1]), 2, *charged)
    assert (one.committed_minor, one.external) == (4700, (("storage", 1200),))
    (after,) = later(orders, rows)
    assert (after.currency, after.rent_minor, after.external_minor) == ("USD", -1000, -200)
    assert [row.number for _, row in after.rent] == [2]
    assert later(kept, charged) == ()


@pytest.mark.parametrize(
    ("more", "taken"),
    [
        ({"amount_minor": -100}, True),
        ({"reference": "INV-7"}, True),
        ({}, False),
        ({"corrects": 5}, False),
        ({"corrects": 5, "reference": "INV-7"}, False),
        ({"corrects": 5, "amount_minor": -1}, True),
    ],
)
def test_after_the_close_refunds_and_invoices_are_taken(more: dict[str, Any], taken: bool) -> None:
    new = replace(NewExpense("storage", 1200, "USD", ON), **more)
    assert (after_close_problem(new) is None) is taken


def test_a_plan_that_counts_no_unit_says_so() -> None:
    found = budget(replace(COUNTED, announced_units=0), [priced(1, 4714)], [], accepted(0))
    assert unit_cost(found)["undefined_reason"] == "the plan counts no deliverable as a unit"


# A research decision


@pytest.mark.parametrize(
    ("outcome", "word"), [(None, "still open"), ("negative", "negative"), ("positive", "positive")]
)
def test_a_research_decision_has_its_conclusion_in_place_of_a_cost(
    outcome: str | None, word: str
) -> None:
    found = budget(RESEARCH, [priced(1, 4714)], [], accepted(0), outcome)
    assert str(found.result) == (
        f"Conclusion: {word} · 47.14 USD committed · 0 of 4 deliverables accepted"
    )
    cost = unit_cost(found)
    assert cost["value"] is None
    assert "research decision" in cost["undefined_reason"]


def test_a_research_decision_in_two_currencies_names_both() -> None:
    found = budget(RESEARCH, [priced(1, None), priced(2, 4000, "EUR")], [], accepted(1))
    assert str(found.result) == (
        "Conclusion: still open · rent not known (1 lot unpriced), 40.00 EUR committed · "
        "1 of 4 deliverables accepted"
    )


# Invariants

CHARGES = st.lists(
    st.tuples(
        st.sampled_from(("storage", "transfer", "tax", "support", "other")),
        st.integers(-(10**9), 10**9).filter(bool),
        st.sampled_from(("USD", "EUR", "JPY")),
    ),
    max_size=12,
)
PRICES = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 10**9)), st.sampled_from(("USD", "EUR", "JPY"))),
    max_size=8,
)


@given(PRICES, CHARGES, st.integers(0, 6))
def test_every_unit_of_money_is_in_one_place_exactly(
    prices: list[tuple[int | None, str]], charges: list[tuple[str, int, str]], units: int
) -> None:
    orders = [priced(n, minor, currency) for n, (minor, currency) in enumerate(prices, 1)]
    rows = [expense(n, *charge) for n, charge in enumerate(charges, 100)]
    found = budget(COUNTED, orders, rows, accepted(units))
    assert len({one.currency for one in found.currencies}) == len(found.currencies)
    for one in found.currencies:
        mine = [minor for minor, currency in prices if currency == one.currency]
        assert (one.committed_minor or 0) == sum(minor or 0 for minor in mine)
        assert one.unpriced_lots == mine.count(None)
        for kind, minor in one.external:
            assert minor == sum(c[1] for c in charges if (c[0], c[2]) == (kind, one.currency))
        if one.unit_cost is not None:
            exact = one.unit_cost.exact * units
            assert exact == Fraction(amount_text(one.committed_minor or 0, one.currency))
        else:
            assert one.undefined
    shown = {currency for _, currency in prices} | {currency for _, _, currency in charges}
    assert {one.currency for one in found.currencies} == shown | {"USD"}


@given(st.integers(0, 10**9), st.integers(1, 50))
def test_what_is_shown_is_marked_rounded_only_where_it_was(minor: int, units: int) -> None:
    cost = of([priced(1, minor)], units).unit_cost
    assert cost is not None
    assert cost.rounded == (cost.exact != Fraction(cost.text))


# Expenses

ON = date(2026, 12, 1)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kind": "bribe"}, "kind"),
        ({"currency": "XXX"}, "currency"),
        ({"amount_minor": 0}, "amount"),
        ({"amount_minor": 10**16}, "amount"),
        ({"note": "a\x00"}, "note"),
        ({"reference": "a\nb"}, "reference"),
    ],
)
def test_what_cannot_be_an_expense_names_its_field(change: dict[str, Any], field: str) -> None:
    new = replace(NewExpense("storage", 1200, "USD", ON), **change)
    assert [problem.field for problem in problems(new)] == [field]


def test_a_credit_is_a_negative_row() -> None:
    assert problems(NewExpense("storage", -1200, "USD", ON)) == ()


def test_a_correction_keeps_currency_and_kind_and_leaves_no_less_than_nothing() -> None:
    rows = (expense(5, "storage", 1200), expense(6, "storage", -200, corrects=5))
    new = NewExpense("storage", -1000, "USD", ON, corrects=5)
    assert net_minor(rows) == 1000
    assert correction_problem(new, rows) is None
    for other, field in (
        ({"amount_minor": -1001}, "amount"),
        ({"currency": "EUR"}, "currency"),
        ({"kind": "tax"}, "kind"),
    ):
        problem = correction_problem(replace(new, **other), rows)
        assert problem is not None
        assert problem.field == field
    beside = correction_problem(new, rows[1:])
    assert beside is not None
    assert beside.allowed == ("5",)


def test_a_charge_and_its_corrections_belong_together() -> None:
    rows = (expense(5, "storage", 1200), expense(6, "tax", 1), expense(7, "storage", 1, corrects=5))
    assert [row.number for row in family(rows, 5)] == [5, 7]


def test_an_expense_is_known_by_its_reference() -> None:
    row = expense(5, "storage", 1200, reference="4711")
    new = NewExpense("storage", 1200, "USD", ON, reference=" 4711 ")
    assert find_same([row], new) is row
    assert differing(row, new) == ()
    assert differing(row, replace(new, amount_minor=1, note="x")) == ("amount", "note")
    named = replace(row, provider="IteraGPU")
    assert find_same([named], new) is named
    assert find_same([named], replace(new, provider="iteragpu")) is named
    assert find_same([named], replace(new, provider="Nordlicht")) is None
    assert find_same([row], replace(new, reference=None)) is None
    assert find_same([row], replace(new, kind="tax")) is None


def test_money_stays_money() -> None:
    assert of([priced(1, 4714)], 2).committed_text == Money(4714, "USD")
