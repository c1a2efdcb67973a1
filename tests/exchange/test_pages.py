"""Campaign files in the browser: upload, paste, put right, replace, download."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.exchange.rules import write_campaign_file
from app.main import create_app
from app.plan.queries import draft
from app.plan.rules.model import Plan
from app.settings import Settings
from tests.pages import fields, read, send, submit
from tests.plan.drafts import longer, saved, sealed, small

IMPORT = "/campaigns/import"
FORM = "form#import-form"


@pytest.fixture
def browser(settings: Settings, sqlite: Database) -> TestClient:
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def upload(browser: TestClient, files: dict[str, str], **more: str) -> Response:
    form = read(browser.get(IMPORT)).css_first(FORM)
    assert form is not None
    named = {name: (f"{name}.toml", content.encode()) for name, content in files.items()}
    return browser.post(IMPORT, data={**fields(form), **more}, files=named)


def the_plan(database: Database) -> Plan:
    with database.read() as session:
        view = draft(session, "small")
    assert view is not None
    return view.plan


def test_a_file_is_uploaded_and_shown_as_a_draft(browser: TestClient, sqlite: Database) -> None:
    done = upload(browser, {"file": write_campaign_file(small())})
    assert (done.status_code, done.headers["location"]) == (303, "/campaigns/small/plan/draft")
    assert the_plan(sqlite) == small()


def test_the_list_itself_takes_a_file_too(browser: TestClient, sqlite: Database) -> None:
    form = read(browser.get(IMPORT)).css_first(FORM)
    assert form is not None
    files = {"file": ("c.toml", write_campaign_file(small()).encode())}
    assert browser.post("/campaigns", data=fields(form), files=files).status_code == 303
    assert the_plan(sqlite) == small()


def test_its_ids_may_come_with_it(browser: TestClient, sqlite: Database) -> None:
    source = write_campaign_file(small()) + '\n[[corpora]]\nid = "eval"\nids_file = "ids.txt"\n'
    alone = upload(browser, {"file": source})
    shown = read(browser.get(alone.headers["location"]))
    assert "ids.txt did not come with the plan" in words(shown.css_first(".flash"))
    upload(browser, {"file": source, "ids": "a\nb\n"}, replace="yes")
    assert the_plan(sqlite).corpora[0].ids == ("a", "b")


def test_a_wrong_file_comes_back_as_text_with_its_problems(
    browser: TestClient, sqlite: Database
) -> None:
    source = write_campaign_file(small()).replace('p50 = "10h"', 'p50 = "10"')
    refused = upload(browser, {"file": source})
    assert refused.status_code == 422
    page = read(refused)
    line = source.splitlines().index('p50 = "10"') + 1
    assert words(page.css_first("#problems tbody tr")).startswith(f"{line} steps[1].p50")
    area = page.css_first("textarea[name=source]")
    assert area is not None
    assert area.text().strip() == source.strip()
    mended = submit(browser, IMPORT, FORM, {"source": source.replace('"10"', '"10h"')})
    assert mended.status_code == 303
    assert the_plan(sqlite) == small()


CORPUS = '\n[[corpora]]\nid = "eval"\nids_file = "ids.txt"\n'


def test_a_refused_file_keeps_the_ids_that_came_with_it(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    source = write_campaign_file(small()) + CORPUS
    wrong = source.replace('p50 = "10h"', 'p50 = "10"')
    refused = upload(browser, {"file": wrong, "ids": "first\n<b>second\n"}, replace="yes")
    assert refused.status_code == 422
    assert read(refused).css_first("#f-replace[checked]") is not None
    typed = {"source": wrong.replace('"10"', '"10h"')}
    unsure = {**typed, "replace": ""}
    differs = send(browser, refused, FORM, unsure)
    assert differs.status_code == 409
    assert send(browser, differs, FORM, {**typed, "replace": "yes"}).status_code == 303
    assert the_plan(sqlite).corpora[0].ids == ("first", "<b>second")


@pytest.mark.parametrize("ids", ["a\n" * 345_000, b"\xff\xfe\n", b"a\x00b\n"])
def test_ids_that_a_page_cannot_hold_are_asked_for_again(
    browser: TestClient, ids: str | bytes
) -> None:
    form = read(browser.get(IMPORT)).css_first(FORM)
    assert form is not None
    content = ids.encode() if isinstance(ids, str) else ids
    source = write_campaign_file(small()).replace('p50 = "10h"', 'p50 = "10"').encode()
    files = {"file": ("c.toml", source), "ids": ("ids.txt", content)}
    refused = browser.post(IMPORT, data=fields(form), files=files)
    assert refused.status_code == 422
    assert "choose it once more" in words(read(refused).css_first("#f-ids-error"))
    assert read(refused).css_first("[name=ids_text]") is None


def test_problems_of_a_file_are_said_in_the_readers_language(browser: TestClient) -> None:
    form = read(browser.get(IMPORT)).css_first(FORM)
    assert form is not None
    typed = {**fields(form), "source": 'format = "punktum/1"\n'}
    refused = browser.post(IMPORT, data=typed, headers={"Accept-Language": "de"})
    (campaign, *_) = read(refused).css("#problems tbody td:last-child")
    assert words(campaign).startswith("Fehlt; ")


def test_another_content_shows_what_differs_and_can_replace(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    other = write_campaign_file(longer(small(), 12))
    refused = upload(browser, {"file": other})
    assert refused.status_code == 409
    assert words(read(refused).css_first("#difference tbody tr")) == "steps[train].p50 10h 12h"
    assert the_plan(sqlite) == small()
    assert upload(browser, {"file": other}, replace="yes").status_code == 303
    assert the_plan(sqlite) == longer(small(), 12)


def test_replacing_one_campaign_takes_no_file_of_another(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    page = f"{IMPORT}?campaign=small"
    typed = {"source": write_campaign_file(small("other"))}
    assert submit(browser, page, FORM, typed).status_code == 422
    typed = {"source": write_campaign_file(longer(small(), 12))}
    assert submit(browser, page, FORM, typed).status_code == 303
    assert the_plan(sqlite) == longer(small(), 12)


def test_nothing_chosen(browser: TestClient) -> None:
    refused = submit(browser, IMPORT, FORM)
    assert refused.status_code == 422
    assert "Choose a file" in words(read(refused).css_first(".notice"))


def test_what_is_no_text_is_refused_readably(browser: TestClient) -> None:
    form = read(browser.get(IMPORT)).css_first(FORM)
    assert form is not None
    files = {"file": ("x.toml", b"\x89PNG\x00\xff")}
    refused = browser.post(IMPORT, data=fields(form), files=files)
    assert refused.status_code == 422
    assert "not UTF-8" in words(read(refused).css_first("#problems"))


def test_the_file_is_downloaded(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    sealed(sqlite, "small")
    now = browser.get("/campaigns/small/file")
    assert 'price = "47.14"' in now.text
    assert "attachment" in now.headers["content-disposition"]
    assert browser.get("/campaigns/small/file?version=0").text == write_campaign_file(small())
    assert browser.get("/campaigns/small/file?version=9").status_code == 404


def test_the_sample_that_was_changed_stays_as_it_is(browser: TestClient, sqlite: Database) -> None:
    submit(browser, "/campaigns", ".empty form")
    with sqlite.read() as session:
        view = draft(session, "invoice-adapter")
    assert view is not None
    token = read(browser.get("/campaigns/new")).css_first("[name=csrf_token]")
    assert token is not None
    again = browser.post("/campaigns/sample", data={"csrf_token": token.attributes["value"]})
    assert again.headers["location"] == "/campaigns/invoice-adapter"
