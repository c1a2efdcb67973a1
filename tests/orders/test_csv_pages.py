"""Orders from a file in the browser: a preview first, then all of it or none; nothing is lost."""

from __future__ import annotations

import hashlib

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.errors import Conflict
from app.main import create_app
from app.orders.commands import log_order
from app.orders.commands.importing import log_orders
from app.orders.queries import orders_of
from app.orders.rules import Order
from app.settings import Settings
from tests.conftest import NOW, PERSON
from tests.orders.campaigns import ID, closed, new_order, opened
from tests.pages import fields, read, send, submit

URL = f"/campaigns/{ID}/orders/csv"
FORM = "form#csv-form"
SHOW = "button[value=preview]"
TAKE = "button[value=take]"
HEAD = "provider,reference,price,currency,starts_at,ends_at"
ROW = "IteraGPU,IG-20931,47.14,USD,2026-11-30T08:00:00+01:00,2026-12-03T08:00:00+01:00"
TWO = "\n".join((HEAD, ROW, ROW.replace("IG-20931", "IG-2")))


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", "2026-12-01T14:12:33Z")
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def show(browser: TestClient, source: str) -> Response:
    return submit(browser, URL, FORM, button=SHOW, source=source)


def orders(database: Database) -> tuple[Order, ...]:
    with database.read() as session:
        return orders_of(session, ID)


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def rows(tree: HTMLParser, where: str) -> list[list[str]]:
    return [[words(one) for one in row.css("th, td")] for row in tree.css(f"{where} tbody tr")]


def test_a_file_is_shown_row_by_row_before_anything_is_logged(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shown = show(browser, TWO)
    assert shown.status_code == 200
    assert rows(read(shown), "#preview") == [
        ["2", "IG-20931 IteraGPU", "Mon, 30 Nov, 08:00 – Thu, 3 Dec, 08:00", "47.14 USD",
         "is logged fills lot-1"],
        ["3", "IG-2 IteraGPU", "Mon, 30 Nov, 08:00 – Thu, 3 Dec, 08:00", "47.14 USD",
         "is logged extra lot"],
    ]  # fmt: skip
    assert orders(sqlite) == ()
    done = send(browser, shown, FORM, button=TAKE)
    assert (done.status_code, done.headers["location"]) == (303, f"/campaigns/{ID}/orders")
    assert [order.reference for order in orders(sqlite)] == ["IG-20931", "IG-2"]
    source = orders(sqlite)[0].source
    assert source is not None
    assert (source.way, source.sha256) == ("csv", hashlib.sha256(TWO.encode()).hexdigest())
    page = read(browser.get(done.headers["location"]))
    assert words(page.css_first(".flash")) == "Orders logged: 2, in the record before: 0."


def test_an_uploaded_file_is_read_and_stays_in_the_box(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    node = read(browser.get(URL)).css_first(FORM)
    assert node is not None
    source = b"\xef\xbb\xbf" + TWO.replace("\n", "\r\n").encode()
    data = {**fields(node), "action": "preview"}
    shown = browser.post(URL, data=data, files={"file": ("orders.csv", source, "text/csv")})
    assert shown.status_code == 200
    assert send(browser, shown, FORM, button=TAKE).status_code == 303
    assert len(orders(sqlite)) == 2


def test_the_same_file_again_changes_nothing(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    send(browser, show(browser, TWO), FORM, button=TAKE)
    again = read(show(browser, TWO))
    assert [row[-1] for row in rows(again, "#preview")] == ["is in the record already"] * 2
    assert again.css_first(TAKE) is None
    assert "Nothing changes" in words(again.css_first("#preview"))
    more = TWO + "\n" + ROW.replace("IG-20931", "IG-3")
    assert send(browser, show(browser, more), FORM, button=TAKE).status_code == 303
    assert [order.reference for order in orders(sqlite)] == ["IG-20931", "IG-2", "IG-3"]


def test_one_wrong_row_and_nothing_is_taken(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    wrong = TWO.replace("IG-2,47.14", "IG-2,1.234")
    shown = show(browser, wrong)
    assert shown.status_code == 422
    tree = read(shown)
    assert rows(tree, "#problems .table-wrap, #problems")[0] == [
        "3", "price",
        "“1.234” can be read in more than one way. Write one of: 1234.00, 1.23, 1.24.",
    ]  # fmt: skip
    assert tree.css_first(TAKE) is None
    box = tree.css_first("textarea[name=source]")
    assert box is not None
    assert box.text().strip() == wrong
    assert send(browser, shown, FORM, action="take").status_code == 422
    assert orders(sqlite) == ()


def test_a_row_that_contradicts_the_record_is_refused(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    sqlite.write(ID, lambda tx: log_order(tx, ID, new_order(), actor=PERSON, now=NOW))
    shown = show(browser, TWO.replace("IG-20931,47.14", "IG-20931,50.00"))
    assert shown.status_code == 422
    assert "The record says 47.14 USD, the file 50.00 USD." in words(
        read(shown).css_first("#problems")
    )
    assert len(orders(sqlite)) == 1


def test_a_text_that_was_not_shown_is_not_taken(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = show(browser, TWO)
    moved = send(browser, shown, FORM, button=TAKE, source=TWO + "\n" + ROW.replace("20931", "9"))
    assert moved.status_code == 409
    assert orders(sqlite) == ()
    assert send(browser, moved, FORM, button=TAKE).status_code == 303
    assert len(orders(sqlite)) == 3


def test_nothing_is_written_when_a_later_order_is_refused(sqlite: Database) -> None:
    """The writer rolls back what a refused file wrote before it."""
    opened(sqlite)
    sqlite.write(ID, lambda tx: log_order(tx, ID, new_order("B"), actor=PERSON, now=NOW))
    said = [new_order("A"), new_order("B", price_minor=1)]
    with pytest.raises(Conflict):
        sqlite.write(ID, lambda tx: log_orders(tx, ID, said, actor=PERSON, now=NOW))
    assert [order.reference for order in orders(sqlite)] == ["B"]


@pytest.mark.parametrize("source", ["", "  \n"])
def test_no_file_is_said(browser: TestClient, sqlite: Database, source: str) -> None:
    opened(sqlite)
    shown = show(browser, source)
    assert shown.status_code == 422
    assert "Choose a file, or paste its text." in words(read(shown).css_first("main"))


def test_the_template_is_a_file_of_the_planned_lots(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    answer = browser.get(f"{URL}/template")
    assert answer.headers["content-disposition"] == f'attachment; filename="orders-{ID}.csv"'
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    filled = answer.text.replace("IteraGPU,,,", "IteraGPU,,IG-5,")
    assert send(browser, show(browser, filled), FORM, button=TAKE).status_code == 303
    (order,) = orders(sqlite)
    assert (order.reference, order.lots[0].planned_lot) == ("IG-5", "lot-1")


def test_after_the_close_no_file_is_taken(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = show(browser, TWO)
    closed(sqlite)
    assert browser.get(URL).status_code == 409
    assert send(browser, shown, FORM, button=TAKE).status_code == 409
