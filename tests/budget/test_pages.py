"""The pages of the budget as a person reads and uses them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node
from sqlmodel import Session

from app.budget import pages
from app.budget.queries import expenses_of
from app.budget.rules import Expense
from app.db import Database
from app.deliverables.rules.standing import Acceptance
from app.main import create_app
from app.orders.commands import log_order, refund_order, reverse_order
from app.orders.rules import NewOrder
from app.plan.rules.model import Deliverable, DeliverableKind, Plan
from app.settings import Settings
from tests.budget.rows import ON, accepted
from tests.conftest import NOW, PERSON
from tests.orders.campaigns import ID, closed, new_order, opened, plan
from tests.pages import fields, read, submit

URL = f"/campaigns/{ID}/budget"
FORM = "form#expense-form"


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", "2026-12-01T23:12:33Z")
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def log(database: Database, new: NewOrder) -> int:
    done = database.write(ID, lambda tx: log_order(tx, ID, new, actor=PERSON, now=NOW))
    return done.number


def expenses(database: Database) -> tuple[Expense, ...]:
    with database.read() as session:
        return expenses_of(session, ID)


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def with_units(*ids: str, research: bool = False) -> Plan:
    units = tuple(Deliverable(i, i.title(), DeliverableKind.DATASET, unit=True) for i in ids)
    return replace(plan(research=research), deliverables=units)


def lines(tree: HTMLParser, currency: str, table: int) -> list[list[str]]:
    """The cells of one table of a currency's card."""
    found = tree.css(f"#in-{currency} table")[table]
    return [[words(cell) for cell in row.css("th, td")] for row in found.css("tbody tr")]


def headings(tree: HTMLParser, currency: str) -> list[str]:
    return [words(node) for node in tree.css(f"#in-{currency} h3")]


def test_a_research_decision_shows_its_conclusion(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite, with_units("a", "b", "c", "d", research=True))
    log(sqlite, new_order())
    page = read(browser.get(URL))
    assert words(page.css_first("#result .figure-value")) == (
        "Conclusion: still open · 47.14 USD committed · 0 of 4 deliverables accepted"
    )
    assert headings(page, "usd") == ["Committed rent", "External expenses, apart from the rent"]


def test_rent_is_shown_row_by_row_and_expenses_apart(browser: TestClient, sqlite: Database) -> None:
    """E17, E31 and S17 as a person sees them."""
    opened(sqlite, with_units("a"))
    first = log(sqlite, new_order("A"))
    log(sqlite, new_order("B", price_minor=None))
    gone = log(sqlite, new_order("C"))
    sqlite.write(
        ID, lambda tx: refund_order(tx, ID, first, 1000, ON, "late", actor=PERSON, now=NOW)
    )
    sqlite.write(ID, lambda tx: reverse_order(tx, ID, gone, "twice", actor=PERSON, now=NOW))
    submit(browser, URL, FORM, kind="transfer", amount="12")
    page = read(browser.get(URL))
    days = "Mon, 30 Nov 2026 – Thu, 3 Dec 2026"
    assert lines(page, "usd", 0) == [
        ["A", "Price of the lot from IteraGPU", days, "47.14 USD"],
        ["A", "Refund: late", "Tue, 1 Dec 2026", "−10.00 USD"],
        ["B", "Price of the lot from IteraGPU", days, "not known"],
        ["C", "Price of the lot from IteraGPU", days, "47.14 USD"],
        ["C", "Reversed: twice", "– not dated", "−47.14 USD"],
        ["Committed", "", "≥ 37.14 USD, 1 lot unpriced"],
    ]
    assert [row[0].split()[0] for row in lines(page, "usd", 1)] == ["Transfer"]
    assert lines(page, "usd", 1)[0][-1] == "12.00 USD"
    undefined = words(page.css_first("#in-usd .undefined ~ .note"))
    assert undefined == "1 lot unpriced, no unit was accepted"


def test_accepted_units_share_the_rent(
    browser: TestClient, sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9 and E21; what was rejected says why."""
    counts: dict[str, Any] = {"units": 2}

    def some(session: Session, campaign_id: str) -> Acceptance:
        return accepted(counts["units"], "report")

    monkeypatch.setattr(pages, "acceptance", some)
    opened(sqlite, with_units("a", "b"))
    log(sqlite, new_order())
    page = read(browser.get(URL))
    cost = page.css("#in-usd p")[-1]
    assert words(cost) == "23.57 USD 47.14 USD ÷ 2 accepted units"
    assert words(page.css_first("#result li")) == "Report : ids missing"
    counts["units"] = 4
    cost = read(browser.get(URL)).css("#in-usd p")[-1]
    assert words(cost) == "11.78 USD (rounded) 47.14 USD ÷ 4 accepted units"


def test_currencies_have_their_own_cards(browser: TestClient, sqlite: Database) -> None:
    """E22."""
    opened(sqlite, with_units("a"))
    log(sqlite, new_order("A"))
    log(sqlite, new_order("B", price_minor=4000, currency="EUR"))
    page = read(browser.get(URL))
    assert words(page.css_first("#committed-usd")) == "Committed 47.14 USD"
    assert words(page.css_first("#committed-eur")) == "Committed 40.00 EUR"
    assert "87.14" not in words(page)


def test_an_expense_is_logged_and_corrected(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    blank = fields(read(browser.get(URL)).css(FORM)[0])
    assert (blank["day"], blank["amount_currency"]) == ("2026-12-02", "USD")
    typed = {"kind": "storage", "amount": "12,00", "note": "40 GiB", "reference": "4711"}
    done = submit(browser, URL, FORM, typed)
    assert (done.status_code, done.headers["location"]) == (303, URL)
    again = submit(browser, URL, FORM, typed)
    assert again.status_code == 303
    assert words(read(browser.get(URL)).css_first(".flash")) == "This expense was logged before."
    (row,) = expenses(sqlite)
    url = f"{URL}/expenses/{row.number}/correct"
    assert read(browser.get(URL)).css(f'a[href="{url}"]') != []
    form = "form#correction"
    silent = submit(browser, url, form, amount="10")
    assert silent.status_code == 422
    assert words(read(silent).css_first("#f-reason-error")).startswith("Say why")
    assert submit(browser, url, form, amount="10", reason="credit").status_code == 303
    assert [row.amount_minor for row in expenses(sqlite)] == [1200, -200]
    table = lines(read(browser.get(URL)), "usd", 0)
    assert [row[-1] for row in table] == ["12.00 USD", "−2.00 USD", "10.00 USD"]
    assert table[1][0] == "Storage correction of the row above"
    assert table[2][0] == "Storage, in all"


def test_what_was_typed_is_kept_when_something_is_wrong(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    typed = {"kind": "tax", "amount": "1.234", "day": "2. 12.", "note": "as printed"}
    refused = submit(browser, URL, FORM, typed)
    assert refused.status_code == 422
    page = read(refused)
    assert {name: fields(page.css(FORM)[0])[name] for name in typed} == typed
    assert [a.attributes["href"] for a in page.css("#errors a")] == ["#f-amount", "#f-day"]
    data = {**fields(page.css(FORM)[0]), "day": "2026-12-02", "amount_reading": "1.23"}
    assert browser.post(URL, data=data).status_code == 303
    assert [(row.kind, row.amount_minor) for row in expenses(sqlite)] == [("tax", 123)]


def test_a_correction_that_changes_nothing_is_refused_at_its_field(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    submit(browser, URL, FORM, amount="12")
    url = f"{URL}/expenses/{expenses(sqlite)[0].number}/correct"
    refused = submit(browser, url, "form#correction", reason="nothing")
    assert refused.status_code == 409
    said = words(read(refused).css_first("#f-amount-error"))
    assert said == "The charge says this amount already."


def test_nothing_logged_says_that_nothing_is_worked_out(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    card = words(read(browser.get(URL)).css_first("#in-usd"))
    assert "No order in this currency." in card
    assert "no fee and no tax is worked out" in card


def test_after_the_close_nothing_can_be_typed(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    submit(browser, URL, FORM, amount="12")
    open_form = fields(read(browser.get(URL)).css(FORM)[0])
    closed(sqlite)
    page = read(browser.get(URL))
    assert page.css("main form") == []
    assert page.css("#in-usd a[href$=correct]") == []
    assert browser.post(URL, data={**open_form, "amount": "1"}).status_code == 409
    number = expenses(sqlite)[0].number
    assert browser.get(f"{URL}/expenses/{number}/correct").status_code == 409


@pytest.mark.parametrize("path", ["/campaigns/none/budget", f"{URL}/expenses/99/correct"])
def test_what_is_not_there_is_a_page_that_says_so(
    browser: TestClient, sqlite: Database, path: str
) -> None:
    opened(sqlite)
    missing = browser.get(path)
    assert missing.status_code == 404
    assert words(read(missing).css_first("h1")) == "Not found"


@pytest.mark.parametrize("language", ["de", "vi"])
def test_the_page_speaks_the_readers_language(
    browser: TestClient, sqlite: Database, language: str
) -> None:
    opened(sqlite)
    log(sqlite, new_order())
    page = read(browser.get(URL, headers={"Accept-Language": language}))
    committed = page.css_first("#committed-usd b")
    assert words(committed) == "47,14 USD"
