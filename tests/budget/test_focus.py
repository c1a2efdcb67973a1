"""FOCUS: a lot is one purchase, nothing is divided, made up, or left out without a word."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.budget.rules import (
    Expense,
    FocusChoice,
    FocusRefusal,
    budget,
    chosen_rows,
    focus_problems,
    focus_rows,
    of_version,
    write_focus,
)
from app.budget.rules.focus import Row
from app.budget.rules.focus_terms import COLUMNS
from app.orders.rules import Order
from app.orders.rules.records import CANCELLATION, CORRECTION, CREDIT, EXTENSION, PRICE
from tests.budget.rows import COUNTED, accepted, change, expense, priced, refund, reversal
from tests.house.source import ROOT
from tests.orders.campaigns import END, START

NAMED = {"provider": "Nordlicht"}


def rows_of(orders: list[Order], *expenses: Expense, **more: Any) -> tuple[Row, ...]:
    """The rows of version 1.2."""
    return focus_rows("rank", orders, expenses, **more).rows


def sound(rows: tuple[Row, ...], version: str = "1.2") -> list[str]:
    """What the strict check has to say, as text."""
    shown = [of_version(row, version) for row in rows]
    return [f"{one.row} {one.column} {one.why}" for one in focus_problems(shown, version)]


# Rows


def test_a_lot_is_one_purchase_with_its_window_as_the_charge_period() -> None:
    (row,) = rows_of([priced(1, 4714)])
    assert row == {
        "BilledCost": "47.14",
        "BillingAccountId": "punktum/rank",
        "BillingAccountName": None,
        "BillingCurrency": "USD",
        "BillingPeriodEnd": "2027-01-01T00:00:00Z",
        "BillingPeriodStart": "2026-12-01T00:00:00Z",
        "ChargeCategory": "Purchase",
        "ChargeClass": None,
        "ChargeDescription": "1 lot: 1 x RTX 4090",
        "ChargeFrequency": "One-Time",
        "ChargePeriodEnd": "2026-12-03T07:00:00Z",
        "ChargePeriodStart": "2026-11-30T07:00:00Z",
        "ContractedCost": "47.14",
        "EffectiveCost": "47.14",
        "InvoiceId": None,
        "InvoiceIssuerName": "IteraGPU",
        "ListCost": "47.14",
        "PricingQuantity": "1.0",
        "PricingUnit": "Lots",
        "ProviderName": "IteraGPU",
        "PublisherName": "IteraGPU",
        "ServiceCategory": "Compute",
        "ServiceName": "GPU lot",
        "ServiceSubcategory": "Other (Compute)",
        "x_CampaignId": "rank",
        "x_LotId": "lot-1",
        "x_OrderReference": "IG-1",
        "x_JournalNumber": "1",
        "x_TaxState": None,
    }
    assert sound((row,)) == []


def test_the_price_of_two_lots_is_one_row_of_two() -> None:
    first = priced(1, 9000).lots[0]
    second = replace(first, position=1, planned_lot="lot-2", ends_at=END + timedelta(days=1))
    (row,) = rows_of([priced(1, 9000, lots=(first, second), account="team-7")])
    assert (row["BilledCost"], row["PricingQuantity"], row["x_LotId"]) == (
        "90.00",
        "2.0",
        "lot-1 lot-2",
    )
    assert (row["ChargePeriodEnd"], row["BillingAccountId"]) == ("2026-12-04T07:00:00Z", "team-7")


def test_extensions_corrections_and_what_came_back() -> None:
    until = END + timedelta(days=4)
    changes = (
        change(2, CORRECTION, -14),
        change(3, EXTENSION, None, lot=0, ends_at=until),
        change(4, PRICE, 7000, of=3),
        refund(5, 1000),
        change(6, CREDIT, -200, on=date(2027, 1, 5)),
    )
    price, more, back, credit = rows_of([priced(1, 4714, changes=changes)])
    assert (price["BilledCost"], price["ChargePeriodEnd"]) == ("47.00", "2026-12-03T07:00:00Z")
    assert (more["BilledCost"], more["PricingQuantity"], more["PricingUnit"]) == (
        "70.00",
        "1.0",
        "Extensions",
    )
    assert (more["ChargePeriodStart"], more["ChargePeriodEnd"]) == (
        "2026-12-03T07:00:00Z",
        "2026-12-07T07:00:00Z",
    )
    assert (back["ChargeCategory"], back["BilledCost"], back["PricingQuantity"]) == (
        "Purchase",
        "-10.00",
        "0.0",
    )
    assert (credit["ChargeCategory"], credit["BilledCost"], credit["ChargeClass"]) == (
        "Credit",
        "-2.00",
        "Correction",
    )
    assert back["ChargeClass"] is None  # of the same billing period
    assert sound((price, more, back, credit)) == []


def test_what_was_never_charged_is_no_row() -> None:
    taken_back = priced(1, 4714, changes=(reversal(2, -4714),))
    early = priced(3, 4714, changes=(change(4, CANCELLATION, at=START - timedelta(hours=1)),))
    found = focus_rows("rank", [taken_back, early], [])
    assert (found.rows, found.unpriced) == ((), 0)


def test_expenses_are_rows_by_their_kind() -> None:
    charged = [
        expense(2, "storage", 1200, note="40 GiB", reference="INV-7", **NAMED),
        expense(3, "support", 500, **NAMED),
        expense(4, "tax", 896, tax_state="excluded", **NAMED),
        expense(5, "tax", 110, **NAMED),
        expense(6, "transfer", -100, **NAMED),
    ]
    shown = [
        (row["ChargeCategory"], row["ServiceCategory"], row["PricingUnit"], row["x_TaxState"])
        for row in rows_of([], *charged)
    ]
    assert shown == [
        ("Purchase", "Storage", "Charges", None),
        ("Purchase", "Management and Governance", "Charges", None),
        ("Tax", "Other", None, "excluded"),
        ("Tax", "Other", None, "not stated"),
        ("Credit", "Networking", None, None),
    ]
    first, *rest = rows_of([], *charged)
    assert (first["InvoiceId"], first["ChargePeriodEnd"]) == ("INV-7", "2026-12-02T00:00:00Z")
    assert sound((first,)) == []
    assert sound(tuple(rest)) == []


def test_what_focus_cannot_hold_is_counted_and_not_made_up() -> None:
    orders = [priced(1, 4714), priced(2, None), priced(3, 100, changes=(change(4, EXTENSION),))]
    rows = [
        expense(5, "tax", 752, tax_state="included"),
        expense(6, "storage", 1200),
        expense(7, "storage", 300, **NAMED),
    ]
    found = focus_rows("rank", orders, rows)
    assert (found.unpriced, found.unnamed, found.included_taxes) == (2, 1, 1)
    assert [row["x_JournalNumber"] for row in found.rows] == ["1", "3", "7"]
    named = focus_rows("rank", orders, rows, charged_by="IteraGPU")
    assert (named.unnamed, named.rows[2]["InvoiceIssuerName"]) == (0, "IteraGPU")


# Files


def refusal(found: object) -> FocusRefusal:
    assert isinstance(found, FocusRefusal)
    return found


def test_a_file_is_made_only_when_everything_was_chosen() -> None:
    orders = [priced(1, 4714), priced(2, None)]
    charged = [expense(3, "storage", 1200, reference="INV-7")]
    unnamed = refusal(chosen_rows(focus_rows("rank", orders, charged), FocusChoice()))
    assert (unnamed.field, unnamed.allowed) == ("charged_by", ())
    found = focus_rows("rank", orders, charged, charged_by="IteraGPU")
    unpriced = refusal(chosen_rows(found, FocusChoice()))
    assert (unpriced.field, unpriced.allowed) == ("unpriced", ("leave_out",))
    assert str(unpriced.text).startswith("1 lot has no price yet, and FOCUS has no word")
    mixed = refusal(chosen_rows(found, FocusChoice(unpriced="leave_out")))
    assert (mixed.field, mixed.allowed) == ("invoices", ("with", "without"))
    for part, numbers in (("with", ["3"]), ("without", ["1"])):
        rows = chosen_rows(found, FocusChoice(unpriced="leave_out", invoices=part))
        assert not isinstance(rows, FocusRefusal)
        assert [row["x_JournalNumber"] for row in rows] == numbers


def test_what_the_strict_check_finds_is_said_with_its_entry() -> None:
    found = focus_rows("rank", [priced(7, 4714, provider="n/a")], [])
    said = refusal(chosen_rows(found, FocusChoice()))
    assert str(said.text) == (
        "Entry 7 cannot be written as FOCUS: InvoiceIssuerName: “n/a” stands for no value."
    )


@pytest.mark.parametrize("version", ["1.2", "1.4"])
def test_the_file_has_the_columns_of_its_version(version: str) -> None:
    rows = rows_of([priced(1, 4714)])
    (head, cells) = csv.reader(io.StringIO(write_focus(rows, version)))
    assert tuple(head) == COLUMNS[version]
    assert head == sorted(head[:24]) + head[24:]
    said = dict(zip(head, cells, strict=True))
    assert (said["BilledCost"], said["InvoiceId"], said["x_LotId"]) == ("47.14", "", "lot-1")
    assert sound(rows, version) == []
    old, new = ("ProviderName", "PublisherName"), ("ServiceProviderName", "HostProviderName")
    there, gone = (old, new) if version == "1.2" else (new, old)
    assert [said[name] for name in there] == ["IteraGPU"] * 2
    assert set(gone).isdisjoint(head)


FORMULAS = ('=HYPERLINK("x")', "+1", "-1", "@SUM(A1)", "\tx", "\rx")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_a_spreadsheet_would_compute_is_neutralised(text: str) -> None:
    orders = [priced(1, 4714, reference=text, changes=(refund(2, 1000),))]
    rows = rows_of(orders, expense(3, "storage", -50, note=text, **NAMED))
    cells = list(csv.DictReader(io.StringIO(write_focus(rows, "1.2"))))
    assert [cells[0]["x_OrderReference"], cells[2]["ChargeDescription"]] == [f"'{text}"] * 2
    assert [cells[1]["BilledCost"], cells[2]["BilledCost"]] == ["-10.00", "-0.50"]


# The strict check

GOOD = rows_of([priced(1, 4714)])[0]
TAX = rows_of([], expense(4, "tax", 896, **NAMED))[0]


@pytest.mark.parametrize(
    ("row", "wrong", "column"),
    [
        (GOOD, {"ChargePeriodStart": "2026-11-30T08:00:00+01:00"}, "ChargePeriodStart"),
        (GOOD, {"ChargePeriodStart": "2026-11-30T07:00:00"}, "ChargePeriodStart"),
        (GOOD, {"ChargePeriodStart": "2026-11-31T07:00:00Z"}, "ChargePeriodStart"),
        (GOOD, {"ChargePeriodStart": "2026-12-03T07:00:00Z"}, "ChargePeriodEnd"),
        (GOOD, {"BillingPeriodStart": "2026-12-01"}, "BillingPeriodStart"),
        (GOOD, {"BilledCost": "47,14"}, "BilledCost"),
        (GOOD, {"ListCost": "+47.14"}, "ListCost"),
        (GOOD, {"EffectiveCost": "0.00"}, "EffectiveCost"),
        (GOOD, {"ProviderName": None}, "ProviderName"),
        (GOOD, {"ProviderName": " "}, "ProviderName"),
        (GOOD, {"PublisherName": "Not Applicable"}, "PublisherName"),
        (GOOD, {"BillingCurrency": "USDT"}, "BillingCurrency"),
        (GOOD, {"ChargeCategory": "Rent"}, "ChargeCategory"),
        (GOOD, {"ChargeClass": "Refund"}, "ChargeClass"),
        (GOOD, {"ChargeFrequency": "Usage-Based"}, "ChargeFrequency"),
        (GOOD, {"PricingQuantity": None, "PricingUnit": None}, "PricingQuantity"),
        (GOOD, {"PricingUnit": None}, "PricingUnit"),
        (GOOD, {"ServiceSubcategory": "Support"}, "ServiceSubcategory"),
        (TAX, {"PricingQuantity": "1.0", "PricingUnit": "Charges"}, "PricingQuantity"),
    ],
)
def test_a_wrong_cell_is_named(row: Row, wrong: dict[str, str | None], column: str) -> None:
    found = focus_problems([{**row, **wrong}])
    assert [(one.row, one.column) for one in found] == [(1, column)]


def test_columns_in_another_order_or_version_are_not_the_file() -> None:
    turned = dict(reversed(list(GOOD.items())))
    assert [one.column for one in focus_problems([turned])] == [""]
    assert [one.column for one in focus_problems([GOOD], "1.4")] == [""]


def test_charges_with_and_without_an_invoice_are_not_one_file() -> None:
    billed = {**GOOD, "InvoiceId": "INV-7"}
    (found,) = focus_problems([GOOD, billed])
    assert (found.row, found.column) == (0, "InvoiceId")
    assert focus_problems([billed, billed]) == ()


def test_every_column_is_documented_and_no_other() -> None:
    page = (ROOT / "docs" / "focus.md").read_text("utf-8")
    table = page.partition("| column | holds |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    said = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(said) == sorted(COLUMNS["1.2"])
    renamed = set(COLUMNS["1.4"]) - set(COLUMNS["1.2"])
    assert renamed == {name for name in renamed if f"`{name}`" in page}


CHANGES = st.lists(
    st.one_of(
        st.builds(lambda n: ("refund", -n), st.integers(1, 10**6)),
        st.builds(lambda n: ("credit", -n), st.integers(1, 10**6)),
        st.builds(lambda n: ("correction", n), st.integers(-(10**6), 10**6)),
        st.builds(lambda n: ("extension", n), st.one_of(st.none(), st.integers(0, 10**6))),
    ),
    max_size=5,
)


@given(st.one_of(st.none(), st.integers(10**7, 10**9)), CHANGES)
def test_the_rows_of_an_order_bill_what_the_budget_commits(
    minor: int | None, changes: list[tuple[str, int | None]]
) -> None:
    rows = [
        change(n, kind, by, lot=0 if kind == "extension" else None,
               ends_at=END + timedelta(days=n) if kind == "extension" else None)
        for n, (kind, by) in enumerate(changes, 2)
    ]  # fmt: skip
    order = priced(1, minor, changes=rows if minor is not None else ())
    found = focus_rows("rank", [order], [])
    billed = sum(Decimal(row["BilledCost"] or 0) for row in found.rows)
    (one,) = budget(COUNTED, [order], [], accepted(0)).currencies
    assert billed == Decimal(one.committed_minor or 0) / 100
    assert found.unpriced == one.unpriced_lots


MOMENTS = st.datetimes(
    datetime(2020, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC), allow_imaginary=False
)


@given(
    st.lists(
        st.tuples(st.integers(0, 10**12), st.sampled_from(("USD", "JPY", "KWD")), MOMENTS),
        max_size=6,
    ),
    st.lists(
        st.tuples(
            st.sampled_from(("storage", "transfer", "tax", "support", "other")),
            st.integers(-(10**9), 10**9).filter(bool),
            st.sampled_from(("USD", "JPY", "KWD")),
            st.dates(date(2020, 1, 1), date(2090, 1, 1)),
        ),
        max_size=6,
    ),
)
def test_every_record_makes_a_sound_file_in_both_versions(
    orders: list[tuple[int, str, datetime]], charges: list[tuple[str, int, str, date]]
) -> None:
    made = [
        priced(n, minor, currency, logged_at=at, ordered_at=at)
        for n, (minor, currency, at) in enumerate(orders, 1)
    ]
    charged = [
        expense(n, kind, minor, currency, charged_on=on, **NAMED)
        for n, (kind, minor, currency, on) in enumerate(charges, 100)
    ]
    rows = rows_of(made, *charged)
    assert len(rows) == len(made) + len(charged)
    for version in ("1.2", "1.4"):
        assert sound(rows, version) == []
