"""A form that is sent twice counts once; what differs, or was refused, is read again."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from tests.orders.campaigns import ID, opened
from tests.pages import fields, read

PAGE = f"/campaigns/{ID}/budget"
API = f"/api/v1/campaigns/{ID}/expenses"


@pytest.fixture
def browser(database: Database, client: TestClient) -> Iterator[TestClient]:
    opened(database)
    client.headers["Accept-Language"] = "en"
    with client:
        yield client


def _typed(browser: TestClient, **values: str) -> dict[str, str | list[str]]:
    form = read(browser.get(PAGE)).css_first("#expense-form")
    assert form is not None
    return {**fields(form), "kind": "storage", "amount": "12.00", **values}


def _amounts(browser: TestClient) -> list[str]:
    return [row["amount"] for row in browser.get(API).json()["items"]]


def test_a_second_click_changes_nothing_and_leads_where_the_first_did(browser: TestClient) -> None:
    typed = _typed(browser)
    first, second = browser.post(PAGE, data=typed), browser.post(PAGE, data=typed)
    assert (first.status_code, second.status_code) == (303, 303)
    assert first.headers["location"] == second.headers["location"]
    assert _amounts(browser) == ["12.00"]
    notice = read(browser.get(PAGE)).css_first(".notice.n-done, .notice")
    assert notice is not None
    assert "Expense logged. It was sent twice and counts once." in notice.text()


def test_two_clicks_at_once_are_one_act(browser: TestClient) -> None:
    typed, both = _typed(browser), Barrier(2)

    def send(_: int) -> int:
        both.wait()
        return browser.post(PAGE, data=typed).status_code

    with ThreadPoolExecutor(2) as hands:
        assert list(hands.map(send, range(2))) == [303, 303]
    assert _amounts(browser) == ["12.00"]


def test_the_same_again_from_a_page_loaded_anew_is_a_second_act(browser: TestClient) -> None:
    browser.post(PAGE, data=_typed(browser))
    browser.post(PAGE, data=_typed(browser))
    assert _amounts(browser) == ["12.00", "12.00"]


def test_what_was_changed_is_read_again(browser: TestClient) -> None:
    typed = _typed(browser)
    browser.post(PAGE, data=typed)
    browser.post(PAGE, data={**typed, "amount": "13.00"})
    assert _amounts(browser) == ["12.00", "13.00"]


def test_what_was_refused_is_refused_again_in_full(browser: TestClient) -> None:
    typed = _typed(browser, amount="1.234")
    for _ in range(2):
        answer = browser.post(PAGE, data=typed)
        assert answer.status_code == 422
        field = read(answer).css_first("[name=amount]")
        assert field is not None
        assert field.attributes["aria-invalid"] == "true"


@pytest.mark.parametrize("token", ["", ".", "x", "x.y", "ä.ö", "\udcff", "a" * 9000])
def test_a_foreign_token_is_403(browser: TestClient, token: str) -> None:
    typed = _typed(browser)
    body = {**typed, "csrf_token": token.encode("utf-8", "surrogateescape").decode("latin-1")}
    assert browser.post(PAGE, data=body).status_code == 403
    other = str(typed["csrf_token"])
    moved = f"{other[:3]}{'x' if other[3] != 'x' else 'y'}{other[4:]}"
    assert browser.post(PAGE, data={**typed, "csrf_token": moved}).status_code == 403
