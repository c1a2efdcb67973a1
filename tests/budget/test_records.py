"""The record as flat rows: what counts adds up to the totals, and no cell is computed."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from app.budget.rules import budget, later, records, until_close, write_csv
from app.budget.rules.records import COLUMNS
from app.orders.rules import Order
from app.orders.rules.records import CANCELLATION, CORRECTION, EXTENSION
from app.units import amount_text
from tests.budget.rows import COUNTED, accepted, change, expense, priced, refund, reversal
from tests.orders.campaigns import START


def test_rows_stand_in_the_order_they_were_logged_with_what_is_not_known() -> None:
    early = change(6, CANCELLATION, at=START - timedelta(hours=1))
    orders = [
        priced(1, 4714, changes=(refund(4, 1000),)),
        priced(2, None, note="by phone"),
        priced(5, 4714, changes=(early,)),
    ]
    rows = records(orders, [expense(3, "tax", 896, tax_state="excluded", provider="IteraGPU")])
    shown = [(r.number, r.record, r.kind, r.corrects, r.amount, r.counts) for r in rows]
    assert shown == [
        (1, "rent", "order", None, "47.14", True),
        (2, "rent", "order", None, None, True),
        (3, "expense", "tax", None, "8.96", True),
        (4, "rent", "refund", 1, "-10.00", True),
        (5, "rent", "order", None, "47.14", False),
        (6, "rent", "cancellation", 5, None, False),
    ]
    assert (rows[1].why, rows[1].note) == ("its price is not known", "by phone")
    assert rows[4].why == "cancelled before its start: as stated"
    assert (rows[2].tax_state, rows[2].provider) == ("excluded", "IteraGPU")
    assert rows[0].as_json()["starts_at"] == "2026-11-30T07:00:00Z"


def test_a_cell_that_would_be_computed_is_neutralised_and_an_amount_is_not() -> None:
    order = priced(1, 4714, note="=1+1", reference="@x", changes=(refund(2, 1000),))
    first, second = csv.DictReader(io.StringIO(write_csv(records([order], []))))
    assert tuple(first) == COLUMNS
    assert (first["note"], first["reference"]) == ("'=1+1", "'@x")
    assert (second["amount"], second["counts"], second["after_close"]) == (
        "-10.00",
        "true",
        "false",
    )


ORDERS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 10**9)),
        st.sampled_from(("USD", "JPY")),
        st.sampled_from(("", "reversed", "refund", "later", "correction", "extension")),
    ),
    max_size=8,
)


def made(n: int, minor: int | None, currency: str, what: str) -> Order:
    """An order with at most one change."""
    price = minor or 0
    changes = {
        "reversed": (reversal(n + 100, None if minor is None else -price),),
        "refund": (refund(n + 100, price),),
        "later": (replace(refund(n + 100, price), after_close=True),),
        "correction": (change(n + 100, CORRECTION, 5),),
        "extension": (change(n + 100, EXTENSION, 700),),
    }
    return priced(n, minor, currency, changes=changes.get(what, ()))


@given(ORDERS, st.lists(st.tuples(st.integers(1, 10**6), st.booleans()), max_size=6))
def test_what_counts_adds_up_to_the_totals(
    orders: list[tuple[int | None, str, str]], charges: list[tuple[int, bool]]
) -> None:
    known = [made(n, *one) for n, one in enumerate(orders, 1)]
    charged = [
        expense(n, "storage", minor, after_close=after)
        for n, (minor, after) in enumerate(charges, 500)
    ]
    rows = records(known, charged)
    for one in budget(COUNTED, *until_close(known, charged), accepted(0)).currencies:
        mine = [r for r in rows if r.currency == one.currency and r.counts and not r.after_close]
        rent = sum(Decimal(r.amount or 0) for r in mine if r.record == "rent")
        external = sum(Decimal(r.amount or 0) for r in mine if r.record == "expense")
        assert rent == Decimal(amount_text(one.committed_minor or 0, one.currency)) or (
            one.committed_minor is None
        )
        assert external == Decimal(amount_text(sum(m for _, m in one.external), one.currency))
    for after in later(known, charged):
        mine = [r for r in rows if r.currency == after.currency and r.after_close]
        total = after.rent_minor + after.external_minor
        counted = sum(Decimal(r.amount or 0) for r in mine)
        assert counted == Decimal(amount_text(total, after.currency))
