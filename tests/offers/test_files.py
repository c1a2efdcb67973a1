"""Files of offers: read whole or refused by line and key; what is written reads back the same."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.exchange.rules.positions import positions
from app.offers.rules import (
    CSV,
    TOML,
    Offer,
    ReadFile,
    kind_of,
    read_catalogue,
    read_offers,
    write_csv,
    write_toml,
    wrong,
)
from app.offers.rules.offer import tidy

GOOD = (
    '[[offers]]\nid = "a/b"\nprovider = "A"\ngpu = "B"\ngpus = 1\n'
    'price = "47.14"\ncurrency = "USD"\nsource = "Seen"\n'
)
HEADER = "id,provider,gpu,gpus,memory_gb,hours,price,currency,source,valid_on,withdrawn\n"


def toml(content: str) -> ReadFile:
    return read_offers(content.encode(), TOML, positions)


def sheet(content: str) -> ReadFile:
    return read_offers(content.encode(), CSV, positions)


def said(read: ReadFile) -> list[tuple[int, str]]:
    assert read.rows == ()
    return [(one.line, one.field) for one in read.problems]


def test_a_toml_file_is_read() -> None:
    read = toml(GOOD + "valid_on = 2026-12-01\nmemory_gb = 24\nhours = 72\nwithdrawn = true\n")
    assert read.problems == ()
    assert [(row.line, row.offer) for row in read.rows] == [
        (1, Offer("a/b", "A", "B", 1, 24, 72, 4714, "USD", "Seen", date(2026, 12, 1), True))
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "right"),
    [
        ('id = "a/b"', 'id = "A B"', 2, "id", "iteragpu/rtx-4090/3d"),
        ('id = "a/b"', 'id = "new"', 2, "id", "choose another id"),
        ('id = "a/b"', 'id = "a/edit"', 2, "id", "choose another id"),
        ('id = "a/b"\n', "", 1, "id", "needed"),
        ('provider = "A"', "provider = 3", 3, "provider", "on one line"),
        ('provider = "A"', 'provider = " "', 3, "provider", "needed"),
        ('provider = "A"', 'provider = "a\\nb"', 3, "provider", "on one line"),
        ("gpus = 1", "gpus = 0", 5, "gpus", "from 1 to 4096"),
        ("gpus = 1", 'gpus = "1"', 5, "gpus", "whole number"),
        ("gpus = 1", "gpus = true", 5, "gpus", "whole number"),
        ("gpus = 1", "gpus = 1.5", 5, "gpus", "whole number"),
        ('"47.14"', "47.14", 6, "price", "47.14"),
        ('"47.14"', '"47,14"', 6, "price", "Did you mean 47.14"),
        ('"47.14"', '"1.234"', 6, "price", "one of: 1.23, 1.24"),
        ('"47.14"', '"-3.00"', 6, "price", "3.00"),
        ('"USD"', '"usd"', 7, "currency", "USD"),
        ('"USD"', '"XAU"', 7, "currency", "prices"),
        ('currency = "USD"\n', "", 1, "currency", "stand together"),
        ('price = "47.14"\n', "", 1, "price", "stand together"),
        ('source = "Seen"\n', "", 1, "source", "needed"),
        ('"Seen"', '"Seen"\nprise = 1', 9, "prise", "valid_on"),
        ('"Seen"', '"Seen"\nhours = 0', 9, "hours", "from 1 to"),
        ('"Seen"', '"Seen"\nvalid_on = "1.12.2026"', 9, "valid_on", "2026-12-01"),
        ('"Seen"', '"Seen"\nvalid_on = 0001-01-01', 9, "valid_on", "2026-12-01"),
        ('"Seen"', '"Seen"\nvalid_on = 2026-12-01T08:00:00', 9, "valid_on", "2026-12-01"),
        ('"Seen"', '"Seen"\nwithdrawn = "yes"', 9, "withdrawn", "true"),
    ],
)
def test_each_wrong_key_is_named_with_its_line_and_what_is_right(
    old: str, new: str, line: int, field: str, right: str
) -> None:
    read = toml(GOOD.replace(old, new))
    assert said(read) == [(line, field)]
    assert right in str(read.problems[0].message)


def test_all_that_is_wrong_is_said_at_once_and_nothing_is_read() -> None:
    bad = GOOD.replace('"a/b"', '"?"').replace("gpus = 1", "gpus = 0")
    read = toml(f"{GOOD}\n{bad}\n{GOOD}")
    assert said(read) == [(11, "id"), (14, "gpus"), (19, "id")]
    assert "line 1" in str(read.problems[2].message)


@pytest.mark.parametrize(
    ("content", "line", "field"),
    [
        ("", 1, ""),
        ("offers = 3\n", 1, "offers"),
        ("offers = [3]\n", 1, "offers"),
        (f"{GOOD}[more]\n", 9, "more"),
        ("[[offers]]\nid = \n", 2, ""),
        (f"{'a.' * 400}a = 1\n", 1, ""),
        (f"a = {'[' * 5000}\n", 1, ""),
        (f"a = {'9' * 5000}\n", 1, ""),
    ],
)
def test_what_is_no_file_of_offers_is_refused(content: str, line: int, field: str) -> None:
    assert said(toml(content)) == [(line, field)]


def test_a_file_that_is_no_utf8_names_the_line() -> None:
    assert said(read_offers(b"id,provider\n\xff,x\n", CSV, positions)) == [(2, "")]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_sheet_is_read_with_any_separator_and_order_of_columns(mark: str, delimiter: str) -> None:
    rows = [
        ["Source", "id", "GPU", "gpus", "provider", "price", "currency", "hours"],
        ["", "", "", "", "", "", "", ""],
        ["Seen", "a/b", "B", "2", "A", '"47,14"', "EUR", ""],
    ]
    content = mark + "".join(f"{delimiter.join(row)}\r\n" for row in rows)
    read = sheet(content)
    assert read.problems == ()
    assert [row.line for row in read.rows] == [3]
    assert read.rows[0].offer == Offer("a/b", "A", "B", 2, None, None, 4714, "EUR", "Seen", None)


@pytest.mark.parametrize(
    ("row", "field", "right"),
    [
        ("a/b,A,B,1,,,1.234,USD,S,,", "price", "Write one of: 1234.00, 1.23, 1.24"),
        ('a/b,A,B,1,,,"47,145",USD,S,,', "price", "Write one of: 47145.00, 47.14, 47.15"),
        ("a/b,A,B,1,,,47.14,,S,,", "currency", "stand together"),
        ("a/b,A,B,one,,,,,S,,", "gpus", "whole number"),
        ("a/b,A,B,,,,,,S,,", "gpus", "needed"),
        ("a/b,A,B,1,,3d,,,S,,", "hours", "whole number"),
        ("a/b,A,B,1,,,,,S,1.12.2026,", "valid_on", "2026-12-01"),
        ("a/b,A,B,1,,,,,S,,maybe", "withdrawn", "true"),
        ("a/b,A,B,1,,,47,14,USD,S,,", "", "in quotes"),
        ('a/b,A,B,1,,,,,"S,,', "", "not valid CSV"),
    ],
)
def test_each_wrong_cell_is_named_with_its_line_and_what_is_right(
    row: str, field: str, right: str
) -> None:
    read = sheet(f"{HEADER}a/a,A,B,1,,,,,S,,\n{row}\n")
    assert said(read) == [(3, field)]
    assert right in str(read.problems[0].message)


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("id,gpu,,gpus,source", ""),
        ("id,gpu,gpus,source,", "provider"),
        ("id,id", "id"),
        ("id,color", "color"),
        ("x", "x"),
    ],
)
def test_a_wrong_header_is_named(header: str, field: str) -> None:
    assert said(sheet(f"\n{header}\n")) == [(2, field)]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("# prices\n[[offers]]\n", TOML),
        ("offers = []\n", TOML),
        (HEADER, CSV),
        ("\ufeff\nid;gpu\n", CSV),
        ("", CSV),
    ],
)
def test_the_kind_of_a_text_is_told_from_its_first_line(content: str, kind: str) -> None:
    assert kind_of(content.encode()) == kind


TEXTS = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=30
).map(lambda said: f"{said}x")


@st.composite
def offers(draw: st.DrawFn) -> Offer:
    """Any offer that is right by itself, its texts as hostile as texts can be."""
    price = draw(st.none() | st.integers(0, 10**15))
    return Offer(
        id=draw(
            st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}(/[a-z0-9][a-z0-9-]{0,8}){0,3}", fullmatch=True)
        ),
        provider=tidy(draw(TEXTS)),
        gpu=tidy(draw(st.sampled_from(["'", "=", "+", '"', "\\", ";", ","]) | TEXTS)),
        gpus=draw(st.integers(1, 64)),
        memory_gb=draw(st.none() | st.integers(1, 500)),
        hours=draw(st.none() | st.integers(1, 87_600)),
        price_minor=price,
        currency=None if price is None else draw(st.sampled_from(["USD", "JPY", "KWD"])),
        source=tidy(draw(TEXTS)),
        valid_on=draw(st.none() | st.dates(date(1970, 1, 1), date(2199, 12, 31))),
        withdrawn=draw(st.booleans()),
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(offers().filter(lambda one: not wrong(one)), min_size=1, unique_by=lambda o: o.id))
def test_what_is_written_reads_back_the_same(written: list[Offer]) -> None:
    for write, kind in ((write_toml, TOML), (write_csv, CSV)):
        content = write(written)
        assert kind_of(content.encode()) == kind
        read = read_offers(content.encode(), kind, positions)
        assert [row.offer for row in read.rows] == written, read.problems
        assert write([row.offer for row in read.rows]) == content


def test_the_packaged_offers_survive_both_files() -> None:
    for write, kind in ((write_toml, TOML), (write_csv, CSV)):
        read = read_offers(write(read_catalogue()).encode(), kind, positions)
        assert tuple(row.offer for row in read.rows) == read_catalogue()


def test_no_text_makes_the_reader_fail() -> None:
    @settings(max_examples=200, deadline=None)
    @given(
        st.binary(max_size=200) | st.text(max_size=200).map(lambda s: s.encode("utf-8", "replace"))
    )
    def anything(source: bytes) -> None:
        for kind in (TOML, CSV):
            read = read_offers(source, kind, positions)
            assert bool(read.rows) != bool(read.problems)

    anything()
