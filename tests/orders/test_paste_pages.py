"""The paste box as a person uses it: the text becomes the form, questions are answered there."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.main import create_app
from app.orders.queries import orders_of
from app.orders.rules import Order
from app.orders.rules.pasting import MAX_PASTE
from app.plan.rules.model import PlannedLot
from app.settings import Settings
from tests.orders.campaigns import END, ID, OFFER, START, closed, opened, plan
from tests.pages import fields, read, send, submit

URL = f"/campaigns/{ID}/orders/paste"
BOX = "form#paste-form"
FORM = "form#order"
READ = "button[value=read]"
LOG = "button[value=log]"
PASTES = Path(__file__).parent / "pastes"


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", "2026-12-01T14:12:33Z")
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def paste(browser: TestClient, text: str) -> Response:
    return submit(browser, URL, BOX, button=READ, pasted=text)


def sample(name: str) -> str:
    return (PASTES / name).read_text("utf-8")


def orders(database: Database) -> tuple[Order, ...]:
    with database.read() as session:
        return orders_of(session, ID)


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def form(shown: Response) -> dict[str, str | list[str]]:
    node = read(shown).css_first(FORM)
    assert node is not None
    return fields(node)


def told(shown: Response, name: str) -> str:
    return words(read(shown).css_first(f"#f-{name}-hint"))


def asked(shown: Response) -> dict[str, list[str]]:
    """The questions by their first words, each with the labels to choose from."""
    found = {}
    for one in read(shown).css("#questions fieldset"):
        found[words(one.css_first("legend"))] = [words(label) for label in one.css("label")]
    return found


def test_a_confirmation_becomes_the_form_and_then_the_order(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    text = sample("en-plain.txt")
    shown = paste(browser, text)
    assert shown.status_code == 200
    said = form(shown)
    assert (said["reference"], said["provider"], said["account"]) == (
        "IG-20931", "IteraGPU", "88-1204",
    )  # fmt: skip
    assert (said["price"], said["price_currency"]) == ("47.14", "USD")
    assert (said["starts"], said["ends"]) == ("2026-11-30T08:00", "2026-12-03T08:00")
    assert (said["gpus"], said["gpu"], said["memory"]) == ("1", "RTX 4090", "24")
    assert told(shown, "reference") == "Line 3: “Order number: IG-20931”"
    assert told(shown, "price") == "Line 9: “Total: 47.14 USD”"
    assert asked(shown) == {}
    assert orders(sqlite) == ()
    done = send(browser, shown, FORM, button=LOG)
    assert (done.status_code, done.headers["location"]) == (303, f"/campaigns/{ID}/orders")
    (order,) = orders(sqlite)
    lot = order.lots[0]
    assert (order.reference, order.price_minor, order.account) == ("IG-20931", 4714, "88-1204")
    assert (lot.planned_lot, lot.starts_at, lot.ends_at) == ("lot-1", START, END)
    assert order.source is not None
    assert order.source.way == "paste"
    # A browser sends a text with the line ends of the web.
    sent = text.replace("\r\n", "\n")
    assert order.source.sha256 in {
        hashlib.sha256(one.encode()).hexdigest() for one in (sent, sent.replace("\n", "\r\n"))
    }


def test_what_is_kept_holds_no_card(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = paste(browser, sample("de-iban.txt"))
    send(browser, shown, FORM, button=LOG, provider="IteraGPU")
    (order,) = orders(sqlite)
    assert order.source is not None
    assert order.source.text is not None
    assert "Zu zahlen: 110,00 €" in order.source.text
    assert [n for n in ("3704", "0130", "5555", "4444") if n in order.source.text] == []
    with sqlite.read() as session:
        everything = str(orders_of(session, ID))
    assert "5555" not in everything


def test_enter_logs_and_what_the_text_does_not_say_is_the_plans(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shown = paste(browser, "Order number: A-7")
    assert form(shown)["price"] == "47.14"
    assert told(shown, "price") == "From the plan; the text does not say it."
    assert told(shown, "starts") == "From the plan; the text does not say it."
    assert send(browser, shown, FORM).status_code == 303
    assert [order.reference for order in orders(sqlite)] == ["A-7"]


def test_one_end_of_the_window_does_not_stand_beside_the_plans_other_end(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shown = paste(browser, "Order number: A-7\nStart: 2026-12-05 08:00 UTC")
    assert (form(shown)["starts"], form(shown)["ends"]) == ("2026-12-05T09:00", "")


def test_of_several_amounts_one_must_be_chosen(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = paste(browser, sample("en-two-totals.txt"))
    assert form(shown)["price"] == ""
    assert asked(shown) == {"Total price": ["47.14 USD", "110.00 USD", "not known yet"]}
    again = send(browser, shown, FORM, button=LOG, provider="Nimbus Card")
    assert again.status_code == 422
    said = "Total price: answer the question about it, or fill it in."
    assert said in words(read(again).css_first("#errors"))
    assert said in words(read(again).css_first("#questions"))
    assert (form(again)["provider"], form(again)["reference"]) == ("Nimbus Card", "NC-555-12")
    assert orders(sqlite) == ()
    done = send(browser, again, FORM, {"ask.price": "1"}, LOG)
    assert done.status_code == 303
    assert [order.price_minor for order in orders(sqlite)] == [11000]


@pytest.mark.parametrize(
    ("answer", "price"), [({"ask.price": "none"}, None), ({"price": "94,28"}, 9428)]
)
def test_the_price_may_be_unknown_or_typed(
    browser: TestClient, sqlite: Database, answer: dict[str, str], price: int | None
) -> None:
    opened(sqlite)
    shown = paste(browser, sample("en-two-totals.txt"))
    assert send(browser, shown, FORM, answer, LOG, provider="Nimbus Card").status_code == 303
    assert [order.price_minor for order in orders(sqlite)] == [price]


def test_an_answer_can_be_changed_after_another_error(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shown = paste(browser, sample("en-two-totals.txt"))
    wrong = send(browser, shown, FORM, {"ask.price": "0"}, LOG, provider="")
    assert wrong.status_code == 422
    assert send(browser, wrong, FORM, {"ask.price": "1"}, LOG, provider="P").status_code == 303
    assert [order.price_minor for order in orders(sqlite)] == [11000]


def test_one_question_settles_the_zone_of_all_times(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = paste(browser, sample("en-no-zone.txt"))
    assert (form(shown)["starts"], form(shown)["ends"]) == ("", "")
    assert asked(shown) == {"Time zone": ["Europe/Berlin", "UTC"]}
    unanswered = send(browser, shown, FORM, button=LOG)
    assert unanswered.status_code == 422
    assert orders(sqlite) == ()
    done = send(browser, unanswered, FORM, {"ask.zone": "UTC"}, LOG)
    assert done.status_code == 303
    (order,) = orders(sqlite)
    start = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
    assert order.lots[0].starts_at == start
    assert order.lots[0].ends_at - start == timedelta(days=3)


def test_a_time_that_happens_twice_is_asked_with_all_that_it_may_be(
    browser: TestClient, sqlite: Database
) -> None:
    """E6 in a pasted text."""
    opened(sqlite)
    shown = paste(browser, sample("de-no-zone.txt"))
    assert [len(options) for options in asked(shown).values()] == [3, 2]
    answers = {"ask.starts_at": "1", "ask.ends_at": "0"}
    assert send(browser, shown, FORM, answers, LOG, provider="P").status_code == 303
    assert orders(sqlite)[0].lots[0].starts_at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_dates_of_two_readings_are_asked(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = paste(browser, sample("en-us-dates-ambiguous.txt"))
    answers = {"ask.starts_at": "1", "ask.ends_at": "0"}
    assert send(browser, shown, FORM, answers, LOG, provider="P").status_code == 303
    assert orders(sqlite)[0].lots[0].starts_at == datetime(2026, 3, 4, 8, 0, tzinfo=UTC)
    assert orders(sqlite)[0].lots[0].ends_at == datetime(2026, 4, 6, 20, 0, tzinfo=UTC)


def test_a_sign_of_several_currencies_is_asked(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = paste(
        browser,
        "Order number: K-1\nTotal: 1500 kr\nWindow: 2026-12-01 08:00 UTC - 2026-12-02 08:00 UTC",
    )
    assert asked(shown) == {"Currency": ["SEK", "NOK", "DKK"]}
    assert send(browser, shown, FORM, button=LOG, provider="P").status_code == 422
    assert send(browser, shown, FORM, {"ask.currency": "1"}, LOG, provider="P").status_code == 303
    (order,) = orders(sqlite)
    assert (order.price_minor, order.currency) == (150000, "NOK")


def test_a_lot_with_as_many_gpus_is_proposed(browser: TestClient, sqlite: Database) -> None:
    two = PlannedLot("lot-2", offer="iteragpu/b200")
    opened(sqlite, plan(PlannedLot("lot-1", offer=OFFER, starts_at=START), two))
    assert form(paste(browser, sample("cli.json")))["lot"] == "lot-2"
    assert form(paste(browser, "Order number: A-1\nGPUs: 8"))["lot"] == "-"


def test_reading_again_keeps_what_the_text_does_not_say(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shown = paste(browser, "Order number: A-1\nTotal: 1.00 USD")
    again = send(browser, shown, FORM, button=READ, pasted="Order number: A-2\nTotal: 2.00 USD",
                 provider="Somebody", note="mine")  # fmt: skip
    said = form(again)
    assert (said["reference"], said["price"], said["provider"], said["note"]) == (
        "A-2", "2.00", "Somebody", "mine",
    )  # fmt: skip


def test_a_changed_value_does_not_claim_to_be_the_texts(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shown = paste(browser, "Order number: A-1\nTotal: 1.00 USD")
    again = send(browser, shown, FORM, button=LOG, reference="B-2", price="x")
    assert again.status_code == 422
    assert read(again).css_first("#f-reference-hint") is None
    assert form(again)["reference"] == "B-2"


def test_a_further_lot_can_be_added(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = paste(browser, sample("en-plain.txt"))
    more = send(browser, shown, FORM, button="button[value='add:more']")
    assert more.status_code == 200
    window = {"more.0.starts": "2026-12-05T08:00", "more.0.ends": "2026-12-06T08:00"}
    assert send(browser, more, FORM, window, LOG).status_code == 303
    assert len(orders(sqlite)[0].lots) == 2


def test_the_same_text_again_is_the_same_order(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    for _ in range(2):
        assert (
            send(browser, paste(browser, sample("en-plain.txt")), FORM, button=LOG).status_code
            == 303
        )
    assert len(orders(sqlite)) == 1
    other = send(browser, paste(browser, sample("en-plain.txt")), FORM, button=LOG, price="50.00")
    assert other.status_code == 409
    assert form(other)["price"] == "50.00"
    link = read(other).css_first("form#order .n-fail a")
    assert link is not None
    assert link.attributes["href"] == f"/campaigns/{ID}/orders/{orders(sqlite)[0].number}/correct"


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_box_is_refused(browser: TestClient, sqlite: Database, text: str) -> None:
    opened(sqlite)
    shown = paste(browser, text)
    assert shown.status_code == 422
    assert words(read(shown).css_first("#f-pasted-error")) == (
        "Paste the confirmation, or what the provider's command line printed."
    )


def test_a_text_over_the_limit_stays_in_the_box(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    text = "Order number: A-1\n" + "x" * MAX_PASTE
    shown = paste(browser, text)
    assert shown.status_code == 422
    tree = read(shown)
    assert "64 KiB" in words(tree.css_first("#f-pasted-error"))
    box = tree.css_first("textarea[name=pasted]")
    assert box is not None
    assert box.text().replace("\r\n", "\n").strip("\n") == text
    assert tree.css_first(FORM) is None


def test_a_text_that_says_nothing_is_kept_with_what_is_typed(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shown = paste(browser, "Hello!")
    assert "Nothing of an order was found" in words(read(shown).css_first("#log-order"))
    assert send(browser, shown, FORM, button=LOG, reference="A-1").status_code == 303
    source = orders(sqlite)[0].source
    assert source is not None
    assert source.text == "Hello!"


def test_several_orders_at_once_are_pointed_to_the_file(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shown = paste(browser, sample("cli-many.json"))
    assert "The text holds 2 orders." in words(read(shown).css_first("#questions"))


def test_the_pages_lead_to_each_other(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    page = read(browser.get(f"/campaigns/{ID}/orders"))
    hrefs = {a.attributes.get("href") for a in page.css("#log-order a")}
    assert {URL, f"/campaigns/{ID}/orders/csv"} <= hrefs
    box = read(browser.get(URL))
    assert f"/campaigns/{ID}/orders/csv" in {a.attributes.get("href") for a in box.css("main a")}


def test_after_the_close_no_text_is_taken(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shown = browser.get(URL)
    closed(sqlite)
    assert browser.get(URL).status_code == 409
    assert send(browser, shown, BOX, button=READ, pasted="Order number: A-1").status_code == 409


def test_an_unknown_campaign_is_not_found(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    assert browser.get("/campaigns/nobody/orders/paste").status_code == 404
