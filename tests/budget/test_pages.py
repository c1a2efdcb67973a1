"""The pages of the budget as a person reads and uses them."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.budget.queries import expenses_of
from app.budget.rules import Expense
from app.db import Database
from app.main import create_app
from app.orders.commands import log_order, refund_order, reverse_order
from app.orders.rules import NewOrder
from app.plan.rules.model import Deliverable, DeliverableKind, Plan
from app.settings import Settings
from tests.budget.rows import ON
from tests.conftest import NOW, PERSON
from tests.decisions.runs import post
from tests.deliverables import campaigns as made
from tests.deliverables import plans as delivered
from tests.orders.campaigns import ID, closed, new_order, opened, plan
from tests.pages import fields, read, submit

URL = f"/campaigns/{ID}/budget"
FORM = "form#expense-form"


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", "2026-12-01T23:12:33Z")
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def log(database: Database, new: NewOrder, campaign: str = ID) -> int:
    done = database.write(campaign, lambda tx: log_order(tx, campaign, new, actor=PERSON, now=NOW))
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


def figures(tree: HTMLParser, currency: str = "usd") -> dict[str, tuple[str, str]]:
    """The figures that are seen first: their values and notes by their labels."""
    return {
        words(one.css_first(".figure-label")): (
            words(one.css_first(".figure-value")),
            words(note) if (note := one.css_first(".note")) else "",
        )
        for one in tree.css(f"#figures-{currency} .figure")
    }


def folds(tree: HTMLParser, currency: str) -> list[str]:
    """The totals that open into their arithmetic."""
    return [words(node) for node in tree.css(f"#in-{currency} details > summary")]


def test_a_research_decision_shows_its_conclusion(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite, with_units("a", "b", "c", "d", research=True))
    log(sqlite, new_order())
    submit(browser, URL, FORM, amount="12")
    page = read(browser.get(URL))
    assert figures(page) == {
        "Committed rent": ("47.14 USD", ""),
        "External expenses": ("12.00 USD", ""),
        "Deliverables accepted": ("0 of 4", ""),
        "Conclusion": ("still open", ""),
    }
    assert folds(page, "usd") == [
        "Committed rent: 47.14 USD",
        "External expenses: Storage 12.00 USD",
    ]


def test_what_is_committed_what_came_of_it_and_what_is_not_known_is_seen_first(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite, replace(with_units("a"), budget_minor=4000))
    log(sqlite, new_order("A"))
    log(sqlite, new_order("B", price_minor=None))
    for kind, amount in (("storage", "12"), ("tax", "1.10"), ("tax.excluded", "8.96")):
        submit(browser, URL, FORM, kind=kind, amount=amount)
    page = read(browser.get(URL))
    assert figures(page) == {
        "Committed rent": ("≥ 47.14 USD", "7.14 USD more than the budget of 40.00 USD"),
        "External expenses": (
            "12.00 USD",
            "tax apart: 8.96 USD, 1.10 USD",
        ),
        "Deliverables accepted": ("0 of 1", ""),
        "Rent for each accepted unit": ("undefined", "1 lot unpriced, no unit was accepted"),
    }
    assert [words(one) for one in page.css("#unknown li")] == [
        "1 lot has no price yet: the rent in USD is more than what is known.",
        "Whether the prices include the tax of 1.10 USD is not stated.",
    ]
    over = words(page.css_first("#result .n-fail"))
    assert over.startswith("In USD: 7.14 USD more than the budget of 40.00 USD.")


def test_the_budget_of_a_currency_is_set_on_the_page(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    log(sqlite, new_order())
    form = "form#limit-form"
    typed = {"limit": "1.234", "limit_reason": "as agreed"}
    refused = submit(browser, URL, form, typed)
    assert refused.status_code == 422
    page = read(refused)
    assert {name: fields(page.css(form)[0])[name] for name in typed} == typed
    assert page.css_first("details#limit-fold[open]") is not None
    assert page.css_first("#f-limit-error") is not None
    assert page.css_first("#f-amount-error") is None
    silent = submit(browser, URL, form, limit="60")
    assert words(read(silent).css_first("#f-limit_reason-error")).startswith("Say why")
    done = submit(browser, URL, form, limit="60", limit_reason="as agreed")
    assert (done.status_code, done.headers["location"]) == (303, URL)
    page = read(browser.get(URL))
    assert figures(page)["Committed rent"][1] == "12.86 USD left of a budget of 60.00 USD"
    line = [words(one) for one in page.css("#in-usd > p")][-1]
    assert line.startswith("Budget: 60.00 USD, set by local on Wed, 2 Dec 2026: as agreed")
    submit(browser, URL, form, limit="", limit_reason="not needed")
    assert figures(read(browser.get(URL)))["Committed rent"][1] == ""


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
    undefined = words(page.css_first("#unit-usd .undefined ~ .note"))
    assert undefined == "1 lot unpriced, no unit was accepted"
    links = [link.attributes["href"] for link in page.css("#rent-usd tbody a")]
    assert links == [f"/campaigns/{ID}/orders/{n}" for n in (first, first, first + 1, gone, gone)]


def test_accepted_units_share_the_rent(browser: TestClient, sqlite: Database) -> None:
    """S9, S11, S17 and E21, with a link to each unit; what is not accepted says why."""
    units = (delivered.PREDICTIONS, replace(delivered.ADAPTER, unit=True), delivered.ANALYSIS)
    made.opened(sqlite, delivered.plan(deliverables=units))
    url = f"/campaigns/{delivered.ID}/budget"
    log(sqlite, new_order(extra=True), delivered.ID)
    submit(browser, url, FORM, amount="12")
    made.sent(sqlite, delivered.submission())
    made.sent(sqlite, delivered.adapter(submission_id="2" * 32))
    page = read(browser.get(url))
    assert figures(page)["Rent for each accepted unit"] == ("23.57 USD", "2 accepted units")
    assert folds(page, "usd") == [
        "Committed rent: 47.14 USD",
        "External expenses: Storage 12.00 USD",
        "Rent for each accepted unit: 23.57 USD",
        "External expenses for each accepted unit: 6.00 USD",
    ]
    opened_up = page.css_first("#unit-usd .fold-body")
    assert words(opened_up).startswith("47.14 USD ÷ 2 accepted units (")
    assert opened_up is not None
    assert [one.attributes["href"] for one in opened_up.css("a")] == [
        f"/campaigns/{delivered.ID}/deliverables/{name}" for name in ("predictions", "adapter")
    ]
    failed = (replace(delivered.all_passed()[0], passed=False), *delivered.all_passed()[1:])
    made.sent(sqlite, delivered.submission(submission_id="3" * 32, checks=failed))
    page = read(browser.get(url))
    assert figures(page)["Rent for each accepted unit"] == ("47.14 USD", "1 accepted unit")
    rejected = words(page.css_first("#rejected li"))
    assert rejected == "Predictions of control and variants : 1 of 4 checks failed."


def test_the_hours_of_stopped_and_failed_runs_are_not_hidden(
    browser: TestClient, sqlite: Database
) -> None:
    """S15 as a person sees it."""
    made.opened(sqlite)
    post(sqlite, "b-02", "start", step="control", elapsed_s=0, config_sha256="0" * 64)
    post(sqlite, "b-02", "fail", elapsed_s=1800, reason_code="code_error")
    card = read(browser.get(f"/campaigns/{delivered.ID}/budget")).css_first("#machine-time")
    assert "Of 1 h 30 min of machine time 30 min went into runs that were" in words(card)
    assert card is not None
    (row,) = card.css("tbody tr")
    assert words(row) == "b-02 failed 30 min"
    (link,) = row.css("a")
    assert link.attributes["href"] == f"/campaigns/{delivered.ID}/runs/b-02"


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


def test_after_the_close_only_an_invoice_or_a_refund_is_taken(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    order = log(sqlite, new_order())
    submit(browser, URL, FORM, amount="12")
    closed(sqlite)
    before = figures(read(browser.get(URL)))
    typed = {"kind": "transfer", "amount": "3,10", "note": "egress"}
    refused = submit(browser, URL, FORM, typed)
    assert refused.status_code == 409
    page = read(refused)
    assert {name: fields(page.css(FORM)[0])[name] for name in typed} == typed
    assert "the number of its invoice" in words(page.css_first("#f-reference-error"))
    assert page.css("form#limit-form") == []
    assert submit(browser, URL, FORM, typed, reference="INV-12").status_code == 303
    url = f"{URL}/expenses/{expenses(sqlite)[0].number}/correct"
    up = submit(browser, url, "form#correction", amount="20", reason="more")
    assert (up.status_code, read(up).css_first("#f-amount-error") is not None) == (409, True)
    assert submit(browser, url, "form#correction", amount="11", reason="less").status_code == 303
    sqlite.write(
        ID, lambda tx: refund_order(tx, ID, order, 500, ON, "goodwill", actor=PERSON, now=NOW)
    )
    page = read(browser.get(URL))
    assert figures(page) == before
    assert [row[-1] for row in lines(page, "usd", 0)] == ["47.14 USD", "47.14 USD"]
    rent, external = page.css("#later-usd table")
    cells = [[words(cell) for cell in row.css("th, td")] for row in rent.css("tbody tr")]
    assert [row[-1] for row in cells] == ["−5.00 USD", "−5.00 USD"]
    cells = [[words(cell) for cell in row.css("th, td")] for row in external.css("tbody tr")]
    assert [(row[0], row[-1]) for row in cells] == [
        ("Transfer", "3.10 USD"),
        ("Storage correction of an earlier row", "−1.00 USD"),
        ("External expenses", "2.10 USD"),
    ]


def test_the_files_leave_by_their_links(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    log(sqlite, new_order())
    log(sqlite, new_order("B", price_minor=None))
    submit(browser, URL, FORM, amount="12", reference="INV-7")
    page = read(browser.get(URL))
    links = [link.attributes["href"] or "" for link in page.css("#download p a")]
    names = ["rank-budget.csv", "rank-budget.json"]
    for href, name in zip(links, names, strict=True):
        file = browser.get(href)
        assert (file.status_code, file.headers["content-disposition"]) == (
            200,
            f'attachment; filename="{name}"',
        )
    asked = fields(page.css("form#focus-form")[0])
    assert asked == {
        "focus": "1.2", "invoices": "without", "charged_by": "IteraGPU", "unpriced": "leave_out",
    }  # fmt: skip
    assert "1 lot without a price is not in it" in words(page.css_first("#focus"))
    file = browser.get(f"{URL}/focus.csv", params=asked)
    assert file.headers["content-disposition"].endswith('"rank-focus-1.2-without-invoice.csv"')
    assert [row["x_LotId"] for row in csv.DictReader(io.StringIO(file.text))] == ["lot-1"]
    refused = browser.get(f"{URL}/focus.csv")
    assert refused.status_code == 409
    assert "charged_by" in words(read(refused).css_first("main"))


def test_who_charged_and_what_is_said_of_a_tax_stand_in_the_row(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    typed = {"kind": "tax.included", "amount": "7.52", "provider": "IteraGPU"}
    assert submit(browser, URL, FORM, typed).status_code == 303
    (row,) = expenses(sqlite)
    assert (row.kind, row.tax_state, row.provider) == ("tax", "included", "IteraGPU")
    ((kind, _, note, amount),) = lines(read(browser.get(URL)), "usd", 0)
    assert kind.startswith("Tax as printed on the invoice, included in the printed prices")
    assert (note, amount) == ("IteraGPU", "7.52 USD")


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
