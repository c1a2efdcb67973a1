"""The small forms of an order's page, its facts in words, further lots, and quotes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from app.budget.commands import set_limit
from app.db import Database
from app.main import create_app
from app.orders.commands import change_order
from app.orders.queries import quotes_of
from app.orders.rules import NewChange, Order
from app.plan.rules.model import PlannedLot
from app.settings import Settings
from tests.conftest import NOW, PERSON
from tests.orders.campaigns import END, ID, OFFER, START, new_order, opened, plan
from tests.orders.test_pages import FORM, URL, error, form, log, orders, words
from tests.pages import fields, read, submit


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", "2026-12-01T14:12:33Z")
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def change(database: Database, number: int, new: NewChange) -> None:
    database.write(ID, lambda tx: change_order(tx, ID, number, new, actor=PERSON, now=NOW))


def order(database: Database) -> Order:
    return orders(database)[-1]


def sums(tree: HTMLParser) -> list[tuple[str, str]]:
    found = tree.css("#sum tbody tr")
    return [(words(row.css_first("th")), words(row.css("td")[-1])) for row in found]


def facts(tree: HTMLParser) -> dict[str, str]:
    found = tree.css("#order dl.facts > div")
    return {words(one.css_first("dt")): words(one.css_first("dd")) for one in found}


CASES: list[tuple[str, dict[str, str], str, str]] = [
    ("refund", {"amount": "10,00"}, "Refund of Tue, 1 Dec 2026", "−10.00 USD"),
    ("credit", {"amount": "5"}, "Credit of Tue, 1 Dec 2026", "−5.00 USD"),
    ("correct-price", {"price": "47.41"}, "Correction of the price", "0.27 USD"),
    (
        "extend",
        {"ends": "2026-12-07T08:00", "amount": "70.00"},
        "Extension until Mon, 7 Dec, 08:00",
        "70.00 USD",
    ),
    ("extend", {"ends": "2026-12-07T08:00"}, "Extension until Mon, 7 Dec, 08:00", "not known"),
    (
        "usable-until",
        {"usable": "2026-12-03T07:00"},
        "Usable until until Thu, 3 Dec, 07:00",
        "no amount",
    ),
    ("cancel", {}, "Cancelled since Tue, 1 Dec, 15:12", "no amount"),
    (
        "payment-failed",
        {"at": "2026-11-29T08:00"},
        "Payment failed since Sun, 29 Nov, 08:00",
        "no amount",
    ),
]


@pytest.mark.parametrize(("act", "typed", "row", "amount"), CASES)
def test_each_change_is_a_small_form(
    browser: TestClient, sqlite: Database, act: str, typed: dict[str, str], row: str, amount: str
) -> None:
    opened(sqlite)
    page, node = f"{URL}/{log(sqlite)}", f"form#{act}-form"
    said = {f"{act}.{name}": value for name, value in typed.items()}
    shown = submit(browser, page, node, {**said, f"{act}.reason": "they say so", "act": "preview"})
    assert (shown.status_code, order(sqlite).changes) == (200, ())
    tree = read(shown)
    assert tree.css_first(f"details#{act}[open] .notice") is not None
    kept = tree.css_first(node)
    assert kept is not None
    assert fields(kept)[f"{act}.reason"] == "they say so"
    silent = submit(browser, page, node, said)
    assert silent.status_code == 422
    assert error(read(silent), f"{act}-reason") == "Say why: the reason stays with the record."
    done = submit(browser, page, node, {**said, f"{act}.reason": "they say so"})
    assert (done.status_code, done.headers["location"]) == (303, page)
    assert sums(read(browser.get(page)))[1] == (row, amount)


def test_a_preview_says_what_becomes_of_the_total(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    page = f"{URL}/{log(sqlite)}"
    said = {"refund.amount": "10", "refund.reason": "late", "act": "preview"}
    shown = read(submit(browser, page, "form#refund-form", said))
    assert words(shown.css_first("#refund .notice")) == (
        "Nothing was saved yet. The order counts as 47.14 USD; with this change as 37.14 USD."
    )
    gone = {"cancel.at": "2026-11-29T08:00", "cancel.reason": "x", "act": "preview"}
    shown = read(submit(browser, page, "form#cancel-form", gone))
    assert "with this change as 0.00 USD" in words(shown.css_first("#cancel .notice"))


@pytest.mark.parametrize(
    ("act", "typed", "wrong", "status"),
    [
        ("refund", {"amount": "50"}, "refund-amount", 409),
        ("refund", {"amount": "x"}, "refund-amount", 422),
        ("refund", {"amount": "1.234"}, "refund-amount", 422),
        ("refund", {"amount": "1", "day": "1.12."}, "refund-day", 422),
        ("correct-price", {"price": "47.14"}, "correct-price-price", 409),
        ("extend", {"ends": "2026-12-03T08:00"}, "extend-ends", 409),
        ("extend", {"ends": "2027-03-28T02:30"}, "extend-ends", 422),
        ("usable-until", {"usable": "2026-12-09T08:00"}, "usable-until-usable", 409),
        ("usable-until", {"usable": ""}, "usable-until-usable", 422),
        ("cancel", {"at": "soon"}, "cancel-at", 422),
    ],
)
def test_what_is_refused_stands_at_its_field_with_what_was_typed(
    browser: TestClient,
    sqlite: Database,
    act: str,
    typed: dict[str, str],
    wrong: str,
    status: int,
) -> None:
    opened(sqlite)
    page = f"{URL}/{log(sqlite)}"
    said = {f"{act}.{name}": value for name, value in typed.items()} | {f"{act}.reason": "so"}
    refused = submit(browser, page, f"form#{act}-form", said)
    assert refused.status_code == status
    tree = read(refused)
    assert error(tree, wrong)
    node = tree.css_first(f"details#{act}[open] form")
    assert node is not None
    assert {name: fields(node)[name] for name in said} == said
    assert order(sqlite).changes == ()


def test_an_unknown_change_is_not_found(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    number = log(sqlite)
    token = form(read(browser.get(URL)))["csrf_token"]
    assert browser.post(f"{URL}/{number}/burn", data={"csrf_token": token}).status_code == 404


def test_an_extension_without_an_amount_is_priced_later(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    number = log(sqlite)
    page = f"{URL}/{number}"
    assert read(browser.get(page)).css_first("form#price-form") is None
    longer = NewChange("extension", "longer", ends_at=END + timedelta(days=1))
    change(sqlite, number, longer)
    assert sums(read(browser.get(page)))[-1] == (
        "Counts as the amount of its extension is not known", "≥ 47.14 USD",
    )  # fmt: skip
    said = {"price.price": "20", "price.reason": "invoice"}
    assert submit(browser, page, "form#price-form", said).status_code == 303
    assert order(sqlite).net_minor == 6714


def test_a_price_that_was_not_known_is_stated(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    page = f"{URL}/{log(sqlite, new_order(price_minor=None))}"
    acts = [node.attributes["id"] for node in read(browser.get(page)).css("#change details.fold")]
    assert "price" in acts
    assert not {"refund", "credit", "correct-price"} & set(acts)
    said = {"price.price": "47,14", "price.reason": "invoice"}
    assert submit(browser, page, "form#price-form", said).status_code == 303
    assert order(sqlite).net_minor == 4714


# Facts in words


@pytest.mark.parametrize(
    ("more", "new", "said"),
    [
        ({}, None, "active"),
        ({}, NewChange("cancellation", "x", at=START - timedelta(hours=1)), "cancelled"),
        ({}, NewChange("payment_failed", "x"), "payment failed"),
        ({}, NewChange("refund", "x", 4714, date(2026, 12, 1)), "refunded"),
        ({"starts_at": NOW + timedelta(hours=1)}, None, "scheduled"),
        (
            {"starts_at": NOW + timedelta(hours=1), "start_basis": "on_delivery"},
            None,
            "ordered",
        ),
        ({"ends_at": NOW - timedelta(hours=1)}, None, "ended"),
    ],
)
def test_the_status_is_told_in_words(
    browser: TestClient, sqlite: Database, more: dict[str, Any], new: NewChange | None, said: str
) -> None:
    opened(sqlite)
    number = log(sqlite, new_order(**more))
    if new is not None:
        change(sqlite, number, new)
    assert facts(read(browser.get(f"{URL}/{number}")))["Status"] == said


def test_what_the_provider_did_not_state_is_said_so(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    page = read(browser.get(f"{URL}/{log(sqlite)}"))
    said = facts(page)
    assert said["Data deleted"] == "not stated by the provider: treat as wiped at the end"
    assert said["At the end"] == "not stated"
    assert "Renews by itself" not in said
    assert page.css_first("#order .notice") is None


@pytest.mark.parametrize("more", [{"auto_renew": True}, {"end_policy": "auto_renews"}])
def test_a_lot_that_renews_by_itself_is_warned_about(
    browser: TestClient, sqlite: Database, more: dict[str, Any]
) -> None:
    opened(sqlite)
    page = read(browser.get(f"{URL}/{log(sqlite, new_order(**more))}"))
    assert words(page.css_first("#order .notice.n-warn")) == (
        "lot-1 renews by itself: cancel it at the provider before Thu, 3 Dec, 08:00,"
        " or it is billed again."
    )


def test_everything_beyond_the_short_form_can_be_typed(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    typed = {
        "account": "lab", "ordered": "2026-11-29T09:30", "link": "https://a.example/1",
        "gpus": "2", "memory": "24", "usable": "2026-12-03T07:00", "start_basis": "on_delivery",
        "end_policy": "kept_until", "deleted": "2026-12-10T08:00", "auto_renew": "no",
    }  # fmt: skip
    assert submit(browser, URL, FORM, typed, reference="A").status_code == 303
    made = order(sqlite)
    lot = made.lots[0]
    assert made.ordered_at == datetime(2026, 11, 29, 8, 30, tzinfo=UTC)
    assert made.source is not None
    assert (made.account, made.link, made.source.way) == ("lab", "https://a.example/1", "form")
    assert (lot.gpus, lot.memory_gib, lot.start_basis, lot.end_policy, lot.auto_renew) == (
        2, 24, "on_delivery", "kept_until", False,
    )  # fmt: skip
    assert lot.usable_until == END - timedelta(hours=1)
    assert lot.data_deleted_at == datetime(2026, 12, 10, 7, tzinfo=UTC)
    again = read(browser.get(f"{URL}/{made.number}/correct")).css_first("form#correction")
    assert again is not None
    assert {name: fields(again)[name] for name in typed} == typed


# Further lots


def test_an_order_of_two_lots_is_typed_without_a_script(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite, plan(PlannedLot("lot-1", offer=OFFER), PlannedLot("lot-2", offer=OFFER)))
    typed = {"reference": "A", "account": "lab", "action": "add:more"}
    more = submit(browser, URL, FORM, typed)
    assert (more.status_code, orders(sqlite)) == (200, ())
    kept = form(read(more))
    assert (kept["reference"], kept["account"]) == ("A", "lab")
    assert kept["more.0.starts"] == ""
    said = kept | {
        "more.0.lot": "lot-2", "more.0.starts": "2026-12-05T08:00",
        "more.0.ends": "2026-12-05T07:00", "more.0.gpus": "4",
    }  # fmt: skip
    wrong = browser.post(URL, data=said)
    assert wrong.status_code == 422
    assert error(read(wrong), "more-0-ends") == "The window ends after it starts."
    right = form(read(wrong)) | {"more.0.ends": "2026-12-06T08:00"}
    assert browser.post(URL, data=right).status_code == 303
    assert [(lot.id, lot.gpus) for lot in order(sqlite).lots] == [("lot-1", 1), ("lot-2", 4)]
    shown = form(HTMLParser(browser.get(f"{URL}/{order(sqlite).number}/correct").text.replace(
        'id="correction"', 'id="order"')))  # fmt: skip
    assert (shown["more.0.lot"], shown["more.0.gpus"]) == ("lot-2", "4")


def test_a_lot_that_was_added_can_be_removed(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    once = form(read(submit(browser, URL, FORM, {"reference": "A", "action": "add:more"})))
    twice = form(read(browser.post(URL, data=once | {"action": "add:more", "more.0.gpus": "7"})))
    assert [name for name in twice if name.endswith(".gpus")] == ["more.0.gpus", "more.1.gpus"]
    left = form(
        read(browser.post(URL, data=twice | {"action": "remove:more:0", "more.1.gpus": "8"}))
    )
    assert (left["more.0.gpus"], "more.1.gpus" in left) == ("8", False)


# Quotes


def test_a_quote_is_kept_and_turned_into_an_order(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    node = "form#quote-form"
    wrong = submit(browser, URL, node, {"quote.provider": "Anders", "quote.price": "forty"})
    assert wrong.status_code == 422
    assert error(read(wrong), "quote-price") == "“forty” is not understood."
    typed = {"quote.provider": "Anders", "quote.price": "45,00", "quote.gpus": "1",
             "quote.hours": "48", "quote.valid": "2026-11-30", "quote.note": "by mail"}  # fmt: skip
    assert submit(browser, URL, node, typed).status_code == 303
    with sqlite.read() as session:
        (quote,) = quotes_of(session, ID)
    page = read(browser.get(URL))
    cells = [words(cell) for cell in page.css("#quotes tbody tr th, #quotes tbody tr td")]
    assert cells == [
        "Anders by mail", "1 GPU, 2 d", "Mon, 30 Nov 2026 over", "Log the order", "45.00 USD",
    ]  # fmt: skip
    href = f"{URL}?quote={quote.number}"
    assert [a.attributes["href"] for a in page.css("#quotes td a")] == [f"{href}#log-order"]
    filled = form(read(browser.get(href)))
    assert (filled["provider"], filled["price"], filled["lot"]) == ("Anders", "45.00", "lot-1")
    assert (filled["starts"], filled["ends"]) == ("2026-11-30T08:00", "2026-12-02T08:00")
    said = words(read(browser.get(href)).css_first(f"{FORM} .notice"))
    assert said == "As it was quoted, as far as the quote says."
    changed = {**filled, "reference": "A-1", "price": "50", "gpus": "two"}
    refused = browser.post(URL, data=changed)
    assert refused.status_code == 422
    done = browser.post(URL, data={**changed, "gpus": "1"})
    assert done.status_code == 303
    assert words(read(browser.get(URL)).css_first(".flash")) == (
        "Order A-1 is logged. It fills lot-1. It differs from its quote:"
        " price: quoted 45.00 USD, ordered 50.00 USD."
    )
    made = order(sqlite)
    shown = words(read(browser.get(f"{URL}/{made.number}")).css_first("#order .notice"))
    assert shown == "Other than the quote: price: quoted 45.00 USD, ordered 50.00 USD"
    listed = read(browser.get(URL)).css("#quotes td a")
    assert [(words(a), a.attributes["href"]) for a in listed] == [("A-1", f"{URL}/{made.number}")]


def test_a_quote_that_is_not_there_fills_nothing_in(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    plain = form(read(browser.get(URL)))
    assert replace_token(form(read(browser.get(f"{URL}?quote=99")))) == replace_token(plain)


def replace_token(values: dict[str, Any]) -> dict[str, Any]:
    """A form's values without what is new in each rendering."""
    return {**values, "csrf_token": ""}


def test_an_order_counts_as_zero_with_its_reason_in_the_list(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    number = log(sqlite, replace(new_order(), note=None))
    change(sqlite, number, NewChange("cancellation", "full", at=START - timedelta(hours=1)))
    row = [words(cell) for cell in read(browser.get(URL)).css("#orders tbody td")]
    assert row[-2:] == [
        "cancelled cancelled before its start: full", "47.14 USD counts as zero",
    ]  # fmt: skip


# The budget


def test_the_budget_speaks_before_an_order_and_stops_none(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    assert read(browser.get(URL)).css_first(f"{FORM} .notice") is None
    sqlite.write(ID, lambda tx: set_limit(tx, ID, "USD", 4000, "cap", actor=PERSON, now=NOW))
    said = words(read(browser.get(URL)).css_first(f"{FORM} .notice.n-warn"))
    assert said == (
        "With this the committed rent is 47.14 USD: 7.14 USD more than the budget of 40.00 USD."
    )
    assert submit(browser, URL, FORM, reference="A").status_code == 303
    flash = words(read(browser.get(URL)).css_first(".flash"))
    assert flash == f"Order A is logged. It fills lot-1. {said}"
