"""A CSV file of orders: columns by the names of the API, and a report of what each row becomes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.orders.api.bodies import OrderBody
from app.orders.rules import Fillable, NewLot, NewOrder, Source
from app.orders.rules.csv_plan import Act, PlannedOrder, plan_orders, sum_of, template
from app.orders.rules.csv_rows import (
    COLUMNS,
    MAX_BYTES,
    MAX_ROWS,
    ReadOrder,
    Sheet,
    read_csv,
)
from tests.orders.campaigns import END, START, order

ZONE = "Europe/Berlin"
HEAD = "provider,reference,price,currency,starts_at,ends_at"
ROW = "IteraGPU,IG-20931,47.14,USD,2026-11-30T08:00:00+01:00,2026-12-03T08:00:00+01:00"
PLANNED = tuple(
    Fillable(f"lot-{n}", None, "IteraGPU", "RTX 4090", 1, 72, START, END, 4714, "USD")
    for n in (1, 2)
)


def sheet(*lines: str) -> Sheet:
    return read_csv("\n".join(lines).encode(), ZONE, "0" * 64)


def said(made: Sheet) -> list[tuple[int, str, str]]:
    return [(one.line, one.column, str(one.text)) for one in made.problems]


def only(made: Sheet) -> NewOrder:
    (read,) = made.orders
    assert made.problems == ()
    return read.new


def planned(made: Sheet, *known: object) -> tuple[PlannedOrder, ...]:
    return plan_orders(made.orders, known, PLANNED, (), (4,))  # type: ignore[arg-type]


# Reading


def test_the_columns_are_the_fields_of_the_api() -> None:
    assert sorted(COLUMNS) == sorted(set(OrderBody.model_fields) - {"lots"})


def test_a_row_is_an_order() -> None:
    assert only(sheet(HEAD, ROW)) == NewOrder(
        provider="IteraGPU",
        reference="IG-20931",
        price_minor=4714,
        currency="USD",
        lots=(NewLot(START, END),),
        price_typed="47.14",
        source=Source("csv", "0" * 64),
    )


def test_every_column_is_read() -> None:
    values = {
        "provider": "IteraGPU", "account": "lab", "reference": "IG-1", "price": "1 234,56",
        "currency": "eur", "starts_at": "2026-11-30 08:00+01:00", "ends_at": "2026-12-03T07:00Z",
        "usable_until": "2026-12-03T06:30Z", "lot": "lot-1", "extra": "", "gpus": "2",
        "gpu": "RTX 4090", "memory_gib": "24", "start_basis": "on_delivery",
        "end_policy": "kept_until", "data_deleted_at": "2026-12-05T07:00Z", "auto_renew": "nein",
        "ordered_at": "2026-11-29T10:00Z", "link": "https://itera.example/1", "offer": "a/b",
        "quote": "4", "note": "'=SUM(1)",
    }  # fmt: skip
    assert tuple(values) == COLUMNS
    new = only(sheet(";".join(values), ";".join(values.values())))
    lot = new.lots[0]
    assert (new.price_minor, new.currency, new.account, new.quote) == (123456, "EUR", "lab", 4)
    assert (new.link, new.offer, new.note) == ("https://itera.example/1", "a/b", "=SUM(1)")
    assert new.ordered_at == datetime(2026, 11, 29, 10, tzinfo=UTC)
    assert lot == NewLot(
        START, END, datetime(2026, 12, 3, 6, 30, tzinfo=UTC), "lot-1", False, 2, "RTX 4090", 24,
        "on_delivery", "kept_until", datetime(2026, 12, 5, 7, tzinfo=UTC), False,
    )  # fmt: skip


@pytest.mark.parametrize("source", ["\ufeff{}\n{}", "{}\r\n{}\r\n", "\n\n{}\n\n{}\n\n"])
def test_files_of_spreadsheets_are_read(source: str) -> None:
    read = read_csv(source.format(HEAD, ROW).encode(), ZONE, "0" * 64)
    assert only(read).reference == "IG-20931"


def test_an_empty_price_is_not_known_and_never_zero() -> None:
    assert only(sheet(HEAD, ROW.replace("47.14", ""))).price_minor is None
    assert only(sheet(HEAD, ROW.replace("47.14", "0"))).price_minor == 0
    assert only(sheet(HEAD.replace("price,", ""), ROW.replace("47.14,", ""))).price_minor is None


def test_rows_of_one_reference_are_lots_of_one_order() -> None:
    second = ROW.replace("47.14", "").replace("11-30T", "12-05T").replace("12-03T", "12-08T")
    other = ROW.replace("IG-20931", "IG-2")
    made = sheet(HEAD, ROW, other, second)
    assert [(one.lines, one.new.reference, len(one.new.lots)) for one in made.orders] == [
        ((2, 4), "IG-20931", 2), ((3,), "IG-2", 1),
    ]  # fmt: skip
    assert made.orders[0].new.price_minor == 4714


def test_rows_of_one_order_must_agree() -> None:
    second = ROW.replace("47.14", "50.00").replace("11-30T", "12-05T").replace("12-03T", "12-08T")
    assert said(sheet(HEAD, ROW, second)) == [
        (3, "price", "Line 2 says something else of this order: 47.14.")
    ]
    ((line, column, text),) = said(sheet(HEAD, ROW, ROW))
    assert (line, column) == (3, "")
    assert text.startswith("This row says the same as line 2.")


# What is refused, and what would be right


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        ("47.14", "1.234",
         "“1.234” can be read in more than one way. Write one of: 1234.00, 1.23, 1.24."),
        ("47.14", "47.145",
         "“47.145” can be read in more than one way. Write one of: 47145.00, 47.14, 47.15."),
        ("47.14", "-5", "“-5” is negative. Did you mean 5.00?"),
        ("USD", "DOL", "“DOL” is not a current currency code of ISO 4217."),
        ("2026-11-30T08:00:00+01:00", "2026-11-30 08:00",
         "“2026-11-30 08:00” does not say its offset from UTC. Write one of: "
         "2026-11-30T08:00:00+01:00, 2026-11-30T08:00Z."),
        ("2026-11-30T08:00:00+01:00", "2026-10-25 02:30",
         "“2026-10-25 02:30” does not say its offset from UTC. Write one of: "
         "2026-10-25T02:30:00+02:00, 2026-10-25T02:30:00+01:00, 2026-10-25T02:30Z."),
        ("2026-11-30T08:00:00+01:00", "2027-03-28 02:30",
         "“2027-03-28 02:30” does not say its offset from UTC. Write one of: 2027-03-28T02:30Z."),
        ("2026-11-30T08:00:00+01:00", "03/04/2026", "“03/04/2026” is not a date and time."),
        ("2026-11-30T08:00:00+01:00", "", "Enter a date and a time."),
        ("IG-20931", "", "Enter the order reference that the provider gave."),
        ("IteraGPU", "", "Enter who the lot was rented from."),
        ("2026-12-03T08:00:00+01:00", "2026-11-29T08:00:00Z", "The window ends after it starts."),
    ],
)  # fmt: skip
def test_a_wrong_cell_says_what_would_be_right(column: str, cell: str, text: str) -> None:
    name = dict(zip(ROW.split(","), HEAD.split(","), strict=True))[column]
    assert said(sheet(HEAD, ROW.replace("IG-20931", "A-1"), ROW.replace(column, cell))) == [
        (3, name, text)
    ]


@pytest.mark.parametrize(
    ("name", "cell", "text"),
    [
        ("gpus", "two", "Enter a whole number."),
        ("gpus", "0", "A lot has 1 to 10000 GPUs."),
        ("auto_renew", "maybe", "Write yes or no, or leave it empty."),
        ("end_policy", "gone",
         "“gone” is none of the choices. "
         "Allowed: wiped, kept_until, kept_and_billed, auto_renews."),
        ("link", "ftp://a.example", "A link begins with https:// or http:// and has no spaces."),
        ("usable_until", "2026-12-04T08:00Z",
         "The lot is usable until a time inside its window, or its end."),
    ],
)  # fmt: skip
def test_further_cells_are_checked(name: str, cell: str, text: str) -> None:
    assert said(sheet(f"{HEAD},{name}", f"{ROW},{cell}")) == [(2, name, text)]


def test_everything_that_is_wrong_is_said_at_once() -> None:
    wrong = (
        ROW.replace("IG-20931", "A-2")
        .replace("47.14", "1.234")
        .replace("USD", "USX")
        .replace("T08:00:00+01:00", "")
    )
    lines = [(line, column) for line, column, _ in said(sheet(HEAD, ROW, wrong))]
    assert lines == [(3, "currency"), (3, "starts_at"), (3, "ends_at")]


@pytest.mark.parametrize(
    ("lines", "where", "text"),
    [
        ([""], (1, ""), "The file holds no order."),
        ([HEAD], (1, ""), "The file holds no order."),
        ([HEAD.replace("reference", "ref"), ROW], (1, "ref"), "There is no such column."),
        ([HEAD + ",price", ROW + ",1"], (1, "price"), "This column is there twice"),
        ([HEAD.replace(",currency", ""), ROW], (1, "currency"),
         "The first line names the columns; this one is missing."),
        ([HEAD, ROW + ",x"], (2, ""), "This line has 7 cells, the first line names 6 columns."),
        ([HEAD, 'a,"b'], (2, ""), "This line is not valid CSV"),
        ([HEAD, *[ROW.replace("IG", f"A{n}") for n in range(MAX_ROWS + 1)]], (MAX_ROWS + 2, ""),
         f"A file holds at most {MAX_ROWS} rows"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_says_where(
    lines: list[str], where: tuple[int, str], text: str
) -> None:
    made = sheet(*lines)
    assert made.orders == ()
    (problem,) = made.problems
    assert (problem.line, problem.column) == where
    assert str(problem.text).startswith(text)


def test_a_file_of_another_kind_says_where() -> None:
    latin = read_csv(f"{HEAD}\n{ROW}\nMüller".encode("latin-1"), ZONE, "0" * 64)
    assert said(latin) == [(3, "", "The file is not UTF-8 from here on.")]
    large = read_csv(b"x" * (MAX_BYTES + 1), ZONE, "0" * 64)
    assert said(large) == [(1, "", "The file is larger than 1 MiB.")]


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=200), st.text(max_size=200).map(lambda s: s.encode("utf-8", "replace"))
    )
)
@example((HEAD + "\n" + ",".join(["\x00"] * 6)).encode())
@example((HEAD + "\n" + ",".join(["9" * 5000] * 6)).encode())
def test_nothing_in_a_file_raises(source: bytes) -> None:
    made = read_csv(source, ZONE, "0" * 64)
    assert bool(made.orders) or bool(made.problems)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["", "47.14", "x", "USD", "IG-1", "2026-11-30T08:00Z", "-", "yes"]),
        min_size=6,
        max_size=6,
    )
)
def test_no_cell_raises(cells: list[str]) -> None:
    made = sheet(HEAD, ",".join(cells))
    assert bool(made.orders) or bool(made.problems)


# What the rows would do


def test_each_order_fills_the_next_planned_lot() -> None:
    made = planned(sheet(HEAD, *(ROW.replace("IG-20931", f"A-{n}") for n in (1, 2, 3))))
    assert [(one.act, one.fills) for one in made] == [
        (Act.LOG, ("lot-1",)), (Act.LOG, ("lot-2",)), (Act.LOG, (None,)),
    ]  # fmt: skip
    assert str(sum_of(made)) == "Orders to be logged: 3, in the record already: 0."


def test_what_the_record_holds_is_kept() -> None:
    (made,) = planned(sheet(HEAD, ROW), order())
    assert (made.act, made.problems) == (Act.KEEP, ())
    assert str(sum_of([made])) == (
        "Nothing changes: every order of the file is in the record already."
    )


def test_what_the_record_says_otherwise_is_refused_with_both() -> None:
    (made,) = planned(sheet(HEAD, ROW.replace("47.14", "50.00")), order())
    assert made.act is Act.REFUSE
    ((line, column, text),) = said(Sheet(problems=made.problems))
    assert (line, column) == (2, "price")
    assert text == (
        "The record says 47.14 USD, the file 50.00 USD. Correct order IG-20931 there if the "
        "record is wrong."
    )


@pytest.mark.parametrize(
    ("name", "cell", "text"),
    [
        ("lot", "lot-9", "The plan has no lot lot-9. Allowed: lot-1, lot-2."),
        ("quote", "7", "There is no quote 7 in this campaign."),
    ],
)
def test_what_is_not_there_is_refused(name: str, cell: str, text: str) -> None:
    (made,) = planned(sheet(f"{HEAD},{name}", f"{ROW},{cell}"))
    assert said(Sheet(problems=made.problems)) == [(2, name, text)]


def test_a_lot_is_filled_once_in_a_file() -> None:
    rows = [f"{ROW.replace('IG-20931', one)},lot-2" for one in ("A-1", "A-2")]
    first, second = planned(sheet(f"{HEAD},lot", *rows))
    assert (first.fills, second.act) == (("lot-2",), Act.REFUSE)
    assert said(Sheet(problems=second.problems)) == [
        (3, "lot", "lot-2 is filled by another order. Allowed: lot-1.")
    ]


def test_one_order_with_two_accounts_is_refused() -> None:
    first, second = planned(sheet(f"{HEAD},account", f"{ROW},", f"{ROW},lab"))
    assert (first.act, second.act) == (Act.LOG, Act.REFUSE)
    assert said(Sheet(problems=second.problems))[0][:2] == (3, "account")


def test_two_accounts_may_use_the_same_reference() -> None:
    made = planned(sheet(f"{HEAD},account", f"{ROW},lab-1", f"{ROW},lab-2"))
    assert [one.act for one in made] == [Act.LOG, Act.LOG]


def test_the_template_holds_the_planned_lots_and_is_read_once_a_reference_is_in_it() -> None:
    empty = template(PLANNED)
    assert empty.splitlines()[0] == ",".join(COLUMNS)
    lines = empty.replace("\r\n", "\n")
    assert {(line, column) for line, column, _ in said(sheet(lines))} == {
        (2, "reference"), (3, "reference"),
    }  # fmt: skip
    filled = lines.replace("IteraGPU,,,", "IteraGPU,,A-1,", 1).replace(
        "IteraGPU,,,", "IteraGPU,,A-2,"
    )
    made = planned(sheet(filled))
    assert [(one.act, one.fills) for one in made] == [(Act.LOG, ("lot-1",)), (Act.LOG, ("lot-2",))]


def test_a_cell_of_the_template_is_no_formula() -> None:
    lot = replace(PLANNED[0], provider="=HYPERLINK(1)")
    assert template([lot]).splitlines()[1].startswith("'=HYPERLINK(1),")
    (read,) = sheet(template([lot]).replace(",,,47.14", ",,A,47.14")).orders
    assert isinstance(read, ReadOrder)
    assert read.new.provider == "=HYPERLINK(1)"
