"""The pages of orders as a person uses them: a reference and Enter, and nothing typed is lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.main import create_app
from app.orders.commands import log_order
from app.orders.queries import orders_of
from app.orders.rules import NewOrder, Order
from app.plan.rules.model import PlannedLot
from app.settings import Settings
from tests.conftest import NOW, PERSON
from tests.orders.campaigns import END, ID, OFFER, START, closed, new_order, opened, plan
from tests.pages import fields, read, submit

URL = f"/campaigns/{ID}/orders"
FORM = "form#order"


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", "2026-12-01T14:12:33Z")
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def log(database: Database, new: NewOrder | None = None) -> int:
    said = new or new_order()
    done = database.write(ID, lambda tx: log_order(tx, ID, said, actor=PERSON, now=NOW))
    return done.number


def orders(database: Database) -> tuple[Order, ...]:
    with database.read() as session:
        return orders_of(session, ID)


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def form(tree: HTMLParser) -> dict[str, str | list[str]]:
    node = tree.css_first(FORM)
    assert node is not None
    return fields(node)


def error(tree: HTMLParser, name: str) -> str:
    return words(tree.css_first(f"#f-{name}-error"))


def rows(tree: HTMLParser) -> list[list[str]]:
    return [[words(cell) for cell in row.css("th, td")] for row in tree.css("#orders tbody tr")]


# The short form


def test_typing_the_reference_is_enough(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    done = submit(browser, URL, FORM, reference="IG-20931")
    assert (done.status_code, done.headers["location"]) == (303, URL)
    (order,) = orders(sqlite)
    lot = order.lots[0]
    assert (order.reference, order.provider, order.price_minor) == ("IG-20931", "IteraGPU", 4714)
    assert (lot.id, lot.starts_at, lot.ends_at, lot.gpus) == ("lot-1", START, END, 1)
    page = read(browser.get(URL))
    assert words(page.css_first(".flash")) == "Order IG-20931 is logged. It fills lot-1."
    assert [row[:2] for row in rows(page)] == [
        ["IG-20931 IteraGPU", "Mon, 30 Nov, 08:00 – Thu, 3 Dec, 08:00 3 d"]
    ]
    assert rows(page)[0][2:] == ["RTX 4090, 1 GPU fills lot-1", "active", "47.14 USD"]


def test_the_form_says_what_the_plan_says(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    page = read(browser.get(URL))
    assert words(page.css_first("#log-order h2")) == "Log the order for lot-1"
    said = form(page)
    assert (said["reference"], said["provider"], said["price"]) == ("", "IteraGPU", "47.14")
    assert (said["price_currency"], said["lot"]) == ("USD", "lot-1")
    assert (said["starts"], said["ends"]) == ("2026-11-30T08:00", "2026-12-03T08:00")
    assert page.css_first("#order-more[open]") is None
    assert "No order is logged yet" in words(page.css_first("#orders"))


def test_without_a_planned_start_now_is_proposed(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite, plan(PlannedLot("lot-1", offer=OFFER)))
    page = read(browser.get(URL))
    assert (form(page)["starts"], form(page)["ends"]) == ("2026-12-01T15:12", "2026-12-04T15:12")
    submit(browser, URL, FORM, reference="A", starts="2026-12-02T10:00", ends="")
    (order,) = orders(sqlite)
    assert order.lots[0].ends_at - order.lots[0].starts_at == timedelta(hours=72)


def test_the_planned_length_is_elapsed_time_across_a_clock_change(
    browser: TestClient, sqlite: Database
) -> None:
    """E1: 72 h from 2026-10-24 18:00 in Berlin end at 17:00 local."""
    starts_at = datetime(2026, 10, 24, 16, 0, tzinfo=UTC)
    opened(sqlite, plan(PlannedLot("lot-1", offer=OFFER, starts_at=starts_at)))
    assert form(read(browser.get(URL)))["ends"] == "2026-10-27T17:00"
    submit(browser, URL, FORM, reference="A", ends="")
    assert orders(sqlite)[0].lots[0].ends_at == datetime(2026, 10, 27, 16, 0, tzinfo=UTC)


def test_the_next_lot_is_prefilled_and_another_may_be_chosen(
    browser: TestClient, sqlite: Database
) -> None:
    week = PlannedLot("lot-2", offer="iteragpu/rtx-4090/7d")
    opened(sqlite, plan(PlannedLot("lot-1", offer=OFFER), week))
    page = read(browser.get(URL))
    (other,) = [a for a in page.css("#log-order a") if a.text() == "lot-2"]
    assert form(read(browser.get(other.attributes["href"] or "")))["price"] == "110.00"
    log(sqlite)
    assert form(read(browser.get(URL)))["lot"] == "lot-2"


def test_when_all_lots_are_filled_the_form_is_folded(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    log(sqlite)
    page = read(browser.get(URL))
    fold = page.css_first("details#log-order")
    assert words(fold.css_first("summary") if fold else None) == "Log another order"
    assert fold is not None
    assert "open" not in fold.attributes
    said = form(page)
    assert (said["provider"], said["price"], "lot" in said) == ("", "", False)
    more = {"provider": "Other", "starts": "2026-12-05T08:00", "ends": "2026-12-06T08:00"}
    assert submit(browser, URL, FORM, more, reference="B").status_code == 303
    assert orders(sqlite)[1].lots[0].is_extra


def test_an_empty_price_is_not_known_and_said_so(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    submit(browser, URL, FORM, reference="A", price="")
    assert orders(sqlite)[0].price_minor is None
    assert rows(read(browser.get(URL)))[0][3:] == ["active its price is not known", "not known"]


def test_an_order_before_the_seal_is_said_so(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite, sealed=False)
    submit(browser, URL, FORM, reference="A")
    assert rows(read(browser.get(URL)))[0][0] == "A IteraGPU Logged before the seal"


# What is refused keeps what was typed


def test_what_was_typed_is_kept_when_something_is_wrong(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    typed = {"reference": "IG-1", "price": "forty", "note": "by <b>phone</b>", "account": "lab",
             "gpus": "two", "starts": "2026-12-01T09:30"}  # fmt: skip
    refused = submit(browser, URL, FORM, typed)
    assert refused.status_code == 422
    page = read(refused)
    assert {name: form(page)[name] for name in typed} == typed
    assert error(page, "price") == "“forty” is not understood."
    assert error(page, "gpus") == "Enter a whole number of GPUs."
    assert page.css_first("#order-more[open]") is not None
    assert [a.attributes["href"] for a in page.css("#errors a")] == ["#f-price", "#f-gpus"]
    assert orders(sqlite) == ()


def test_an_amount_with_two_readings_is_asked_about(browser: TestClient, sqlite: Database) -> None:
    """E30."""
    opened(sqlite)
    refused = submit(browser, URL, FORM, reference="A", price="1.234")
    assert refused.status_code == 422
    page = read(refused)
    radios = page.css("input[name=price_reading]")
    readings = [radio.attributes["value"] for radio in radios]
    assert readings == ["1234.00", "1.23", "1.24"]
    data = {**form(page), "price_reading": "1234.00"}
    assert browser.post(URL, data=data).status_code == 303
    assert orders(sqlite)[0].price_minor == 123400


def test_a_local_time_that_happens_twice_is_asked_about(
    browser: TestClient, sqlite: Database
) -> None:
    """E6."""
    opened(sqlite)
    when = {"starts": "2026-10-25T02:30", "ends": "2026-10-28T08:00"}
    refused = submit(browser, URL, FORM, when, reference="A")
    assert refused.status_code == 422
    page = read(refused)
    assert error(page, "starts") == ("02:30 happens twice on that day in Europe/Berlin: which one?")
    data = {**form(page), "starts_fold": "1"}
    assert browser.post(URL, data=data).status_code == 303
    assert orders(sqlite)[0].lots[0].starts_at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    number = orders(sqlite)[0].number
    again = read(browser.get(f"{URL}/{number}/correct")).css_first("form#correction")
    assert again is not None
    assert fields(again)["starts_fold"] == "1"


def test_a_local_time_that_never_happens_names_its_neighbours(
    browser: TestClient, sqlite: Database
) -> None:
    """E7."""
    opened(sqlite)
    refused = submit(browser, URL, FORM, reference="A", starts="2027-03-28T02:30")
    assert refused.status_code == 422
    assert "from 01:59 to 03:00" in error(read(refused), "starts")


def test_the_end_comes_after_the_start(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    refused = submit(browser, URL, FORM, reference="A", ends="2026-11-30T08:00")
    assert error(read(refused), "ends") == "The window ends after it starts."


def test_sent_twice_it_is_one_order(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    data = {**form(read(browser.get(URL))), "reference": "A"}
    assert browser.post(URL, data=data).status_code == 303
    later = {**data, "csrf_token": form(read(browser.get(URL)))["csrf_token"]}
    assert browser.post(URL, data=later).status_code == 303
    assert len(orders(sqlite)) == 1
    assert words(read(browser.get(URL)).css_first(".flash")) == "Order A was logged before."


def test_a_lot_that_was_filled_meanwhile_is_said_at_its_field(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    data = {**form(read(browser.get(URL))), "reference": "A"}
    log(sqlite)
    refused = browser.post(URL, data=data)
    assert refused.status_code == 409
    page = read(refused)
    assert form(page)["reference"] == "A"
    assert "lot-1 is filled by another order." in words(page.css_first("#errors"))


def test_a_difference_leads_to_the_correction(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    number = log(sqlite)
    more = {"provider": "IteraGPU", "price": "50", "starts": "2026-11-30T08:00",
            "ends": "2026-12-03T08:00"}  # fmt: skip
    refused = submit(browser, URL, FORM, more, reference="IG-20931")
    assert refused.status_code == 409
    page = read(refused)
    assert "other facts: price" in words(page.css_first(FORM))
    assert form(page)["price"] == "50"
    (link,) = page.css(f"{FORM} .notice a")
    assert link.attributes["href"] == f"{URL}/{number}/correct"


def test_a_form_from_elsewhere_is_refused(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    assert browser.post(URL, data={"reference": "A", "csrf_token": "x"}).status_code == 403


# One order


def test_a_correction_starts_from_the_order_and_replaces_it(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    number = log(sqlite, replace(new_order(), account="lab", note="one\ntwo"))
    url = f"{URL}/{number}/correct"
    untouched = submit(browser, url, "form#correction", reason="nothing")
    assert untouched.status_code == 409
    silent = submit(browser, url, "form#correction", price="47.41")
    assert (silent.status_code, error(read(silent), "reason")) == (
        422,
        "Say why: the reason stays with the record.",
    )
    said = {"price": "47,41", "gpu": "RTX 4090 D"}
    done = submit(browser, url, "form#correction", said, reason="read wrongly")
    assert done.status_code == 303
    old, new = orders(sqlite)
    assert (old.net_minor, new.net_minor, new.lots[0].id) == (0, 4741, "lot-1")
    assert (new.account, new.note) == ("lab", "one\ntwo")
    listed = rows(read(browser.get(URL)))
    assert listed[0][0] == f"IG-20931 IteraGPU Corrects the order IG-20931 (#{number})"
    assert listed[1][0].endswith("Reversed: read wrongly")
    assert listed[1][3:] == ["reversed", "47.14 USD counts as zero"]
    struck = read(browser.get(URL)).css(f"#order-{number} s")
    assert [words(node) for node in struck] == ["IG-20931", "47.14 USD"]


def test_another_price_typed_into_the_correction_is_a_row(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    number = log(sqlite, replace(new_order(), ordered_at=START.replace(second=7)))
    done = submit(browser, f"{URL}/{number}/correct", "form#correction", price="47,41", reason="x")
    assert (done.status_code, done.headers["location"]) == (303, f"{URL}/{number}")
    (order,) = orders(sqlite)
    assert [(row.kind, row.amount_minor) for row in order.changes] == [("correction", 27)]


def test_a_reversal_needs_a_reason_and_shows_it(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    number = log(sqlite)
    page, form_ = f"{URL}/{number}", "#reverse form"
    silent = submit(browser, page, form_, reason="")
    assert silent.status_code == 422
    assert error(read(silent), "reason") == "Say why: the reason stays with the record."
    assert submit(browser, page, form_, reason="typed twice").status_code == 303
    assert orders(sqlite)[0].net_minor == 0
    assert rows(read(browser.get(URL)))[0][0] == "IG-20931 IteraGPU Reversed: typed twice"
    assert browser.get(f"{page}/correct").status_code == 409
    gone = read(browser.get(page))
    assert gone.css("form") == []
    assert "counts as zero" in words(gone.css_first("#order"))


def test_a_refund_is_a_row_of_the_order(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    number = log(sqlite)
    page, form_ = f"{URL}/{number}", "form#refund-form"
    wrong = submit(browser, page, form_, {"refund.amount": "50", "refund.reason": "late"})
    assert wrong.status_code == 409
    assert error(read(wrong), "refund-amount") == "Only 47.14 USD of this order is left to refund."
    said = {"refund.amount": "10,00", "refund.reason": "late", "refund.day": "2026-12-02"}
    assert submit(browser, page, form_, said).status_code == 303
    sums = [
        [words(row.css_first("th")), words(row.css("td")[-1])]
        for row in read(browser.get(page)).css("#sum tbody tr")
    ]
    assert sums == [
        ["Price of the order", "47.14 USD"],
        ["Refund of Wed, 2 Dec 2026", "−10.00 USD"],
        ["Counts as", "37.14 USD"],
    ]


def test_an_order_keeps_the_offer_as_it_was(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    number = log(sqlite)
    shown = words(read(browser.get(f"{URL}/{number}")).css_first("#order"))
    assert "IteraGPU RTX 4090, 1 GPU, 3 d, 47.14 USD" in shown
    assert "tariffs" in shown


def test_after_the_close_only_what_comes_back_can_be_typed(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    number = log(sqlite)
    open_form = form(read(browser.get(URL)))
    closed(sqlite)
    assert read(browser.get(URL)).css("main form") == []
    left = read(browser.get(f"{URL}/{number}")).css("main form")
    assert [form.attributes["id"] for form in left] == ["refund-form", "credit-form"]
    back = {"credit.amount": "10", "credit.reason": "voucher"}
    assert submit(browser, f"{URL}/{number}", "form#credit-form", back).status_code == 303
    row = read(browser.get(f"{URL}/{number}")).css("#sum tbody tr")[1]
    assert words(row.css_first("th")) == "Credit of Tue, 1 Dec 2026 after the close"
    assert browser.get(f"{URL}/{number}/correct").status_code == 409
    said = {**open_form, "reference": "B", "starts": "2026-12-01T08:00", "ends": "2026-12-02T08:00",
            "provider": "IteraGPU"}  # fmt: skip
    assert browser.post(URL, data=said).status_code == 409


@pytest.mark.parametrize("path", ["/campaigns/none/orders", f"{URL}/99", f"{URL}/99/correct"])
def test_what_is_not_there_is_a_page_that_says_so(
    browser: TestClient, sqlite: Database, path: str
) -> None:
    opened(sqlite)
    missing = browser.get(path)
    assert missing.status_code == 404
    assert words(read(missing).css_first("h1")) == "Not found"


@pytest.mark.parametrize("language", ["de", "vi"])
def test_the_pages_speak_the_readers_language(
    browser: TestClient, sqlite: Database, language: str
) -> None:
    opened(sqlite)
    number = log(sqlite)
    for url in (URL, f"{URL}/{number}", f"{URL}/{number}/correct"):
        answer = browser.get(url, headers={"Accept-Language": language})
        assert answer.status_code == 200
        html = read(answer).css_first("html")
        assert html is not None
        assert html.attributes["lang"] == language
    assert "47,14 USD" in words(read(browser.get(URL, headers={"Accept-Language": language})))
