"""The page of the docs on the ways in is true: its examples are read, its columns are all."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from app.orders.rules import END_POLICIES, START_BASES
from app.orders.rules.csv_plan import Act, plan_orders
from app.orders.rules.csv_rows import COLUMNS, MAX_ROWS, NEEDED, OF_ORDER, read_csv
from app.orders.rules.pasting import read_paste
from app.units import instant_text
from tests.docs.test_examples import DOCS, blocks, names_in, tables

PAGE = DOCS / "orders.md"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def rows(column: str) -> list[list[str]]:
    (found,) = (rows for _, rows in tables(PAGE) if rows[0][0] == column)
    return found


def test_the_text_shown_is_read_as_shown() -> None:
    (text,) = blocks(PAGE, "text")
    (shown,) = blocks(PAGE, "json")
    pasted = read_paste(text.text, "Europe/Berlin", NOW)
    found = {name: one.value for name, one in pasted.found.items()}
    assert {
        name: instant_text(value) if isinstance(value, datetime) else value
        for name, value in found.items()
    } == json.loads(shown.text)
    assert pasted.asked == {}


def test_the_file_shown_is_taken() -> None:
    (shown,) = blocks(PAGE, "csv")
    sheet = read_csv(shown.text.encode(), "Europe/Berlin", "0" * 64)
    assert sheet.problems == ()
    made = [one.new for one in sheet.orders]
    assert [(new.reference, new.price_minor, len(new.lots)) for new in made] == [
        ("IG-20931", 4714, 1), ("IG-20977", None, 1),
    ]  # fmt: skip
    assert [one.act for one in plan_orders(sheet.orders[1:], (), (), (), ())] == [Act.LOG]


def test_every_column_is_documented_in_the_order_of_the_template() -> None:
    said = rows("`provider`")
    assert tuple(names_in(row[0])[0] for row in said) == COLUMNS
    assert {names_in(row[0])[0] for row in said if row[1] == "order"} == set(OF_ORDER)
    assert {names_in(row[0])[0] for row in said if row[2].startswith("needed")} == set(NEEDED)
    by_name = {names_in(row[0])[0]: names_in(row[2]) for row in said}
    assert tuple(by_name["start_basis"]) == START_BASES
    assert tuple(by_name["end_policy"]) == END_POLICIES
    assert f"At most {MAX_ROWS} rows and 1 MiB." in PAGE.read_text("utf-8")


ORDER = "Order number: A-1\n"
WINDOW = "Window: 2026-12-01 08:00 UTC to 2026-12-02 08:00 UTC\n"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Total: 1.00 USD\nTotal: 2.00 USD", {"price"}),
        ("Net amount: 1.00 USD\nTotal: 2.00 USD", {"price"}),
        ("Total: 1.234 USD", {"price"}),
        ("Price per day: 1.00 USD\n0.65 EUR/GPU-h", set()),
        ("Refund: 1.00 USD\nTotal: 2.00 USD", {"price"}),
        ("Total: $1.00", {"currency"}),
        ("Total: 10 kr", {"currency"}),
        ("Start: 2026-12-01 08:00\nEnd: 2026-12-02 08:00", {"starts_at", "ends_at"}),
        ("All times in UTC.\nStart: 2026-12-01 08:00\nEnd: 2026-12-02 08:00", set()),
        ("Start: 03/04/2026 08:00 UTC", {"starts_at"}),
        ("Start: 03/04/2026 08:00 UTC\nEnd: 03/24/2026 08:00 UTC", set()),
        ("Bắt đầu: 03/04/2026 08:00 UTC", set()),
        ("Mietbeginn: 25.10.2026 02:30 Europe/Berlin", {"starts_at"}),
        ("Start: 2026-12-01", {"starts_at"}),
        ("Rented for 3 days from 2026-12-01 08:00 UTC", set()),
    ],
)
def test_what_the_table_says_is_asked_is_asked(text: str, asked: set[str]) -> None:
    assert set(read_paste(ORDER + text, "Europe/Berlin", NOW).asked) == asked
