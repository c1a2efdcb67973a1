"""The pages of offers and the catalogue for scripts: totals as the sources state them, versions
that are appended, files that are taken whole after a look at what they do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.main import create_app
from app.offers.rules import Offer, read_catalogue, write_csv, write_toml
from app.settings import Settings
from tests.offers.kept import LOT, OWN, offered, save, take, versions, withdraw
from tests.orders import campaigns
from tests.pages import fields, read, send, submit

TOML = {"Content-Type": "application/toml"}
PAGE = f"/offers/{LOT.id}"


@pytest.fixture
def app(settings: Settings, sqlite: Database) -> FastAPI:
    return create_app(settings, sqlite, b"a secret of the tests")


@pytest.fixture
def browser(app: FastAPI) -> TestClient:
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def _words(text: str) -> str:
    return " ".join(text.replace("\xa0", " ").split())


def _one(shown: Response | Node, selector: str) -> Node:
    found = (shown if isinstance(shown, Node) else read(shown)).css_first(selector)
    assert found is not None, selector
    return found


def _table(shown: Response, name: str) -> list[list[str]]:
    """The rows of the table whose caption this is."""
    for table in read(shown).css("main table"):
        if _words(_one(table, "caption").text()) == name:
            return [
                [_words(cell.text(separator=" ")) for cell in row.css("th, td")]
                for row in table.css("tbody tr")
            ]
    raise AssertionError(f"no table {name}")


def _errors(shown: Response) -> list[str]:
    assert shown.status_code in (409, 422)
    return [_words(one.text()) for one in read(shown).css("#errors li")]


def test_offers_are_grouped_by_gpu_with_their_totals(browser: TestClient) -> None:
    shown = browser.get("/offers")
    heads = [_words(one.text()) for one in read(shown).css("main section.card h2")]
    assert heads == ["RTX 4090", "B200"]
    assert [row[:3] for row in _table(shown, "Offers with RTX 4090")] == [
        ["3 d", "1 GPU", "47.14 USD"],
        ["7 d", "1 GPU", "110.00 USD"],
        ["30 d", "1 GPU", "390.00 USD"],
    ]


def test_what_the_source_does_not_state_is_said_so(browser: TestClient) -> None:
    (b200,) = _table(browser.get("/offers"), "Offers with B200")
    assert b200[:3] == ["duration not stated", "2 GPUs", "price not known"]
    assert "article" in b200[4]


def test_an_offer_is_added_and_its_id_proposed(browser: TestClient, sqlite: Database) -> None:
    typed = {
        "provider": "Größe Cloud", "gpu": "H100", "gpus": "2", "memory_gb": "80",
        "duration": "2 days", "price": "1.234,50", "price_currency": "EUR",
        "source": "https://example.org/prices", "valid_on": "2026-12-01",
    }  # fmt: skip
    done = submit(browser, "/offers/new", "#offer-form", typed)
    assert done.status_code == 303, _one(done, "main").text()
    assert done.headers["location"] == "/offers/grosse-cloud/h100/2d"
    offer = offered(sqlite)["grosse-cloud/h100/2d"]
    assert (offer.hours, offer.price_minor, offer.currency) == (48, 123450, "EUR")
    shown = browser.get(done.headers["location"])
    (link,) = read(shown).css("dl.facts a")
    assert link.attributes["href"] == "https://example.org/prices"


def test_a_source_that_is_no_web_address_is_no_link(browser: TestClient, sqlite: Database) -> None:
    save(sqlite, replace(OWN, source="javascript:alert(1)"))
    shown = read(browser.get(f"/offers/{OWN.id}"))
    assert [one.attributes["href"] for one in shown.css("dl.facts a")] == []


def test_nothing_typed_is_lost_on_a_refusal(browser: TestClient) -> None:
    typed = {
        "provider": " Cloud <b>", "gpu": "H100", "gpus": "0", "memory_gb": "much",
        "duration": "48", "price": "1.234", "price_currency": "JPY", "source": "",
        "valid_on": "2026-12-01", "id": "New Offer",
    }  # fmt: skip
    refused = submit(browser, "/offers/new", "#offer-form", typed)
    assert len(_errors(refused)) == 6
    back = fields(_one(refused, "#offer-form"))
    assert {name: back[name] for name in typed} == {**typed, "provider": "Cloud <b>"}


def test_a_price_with_two_readings_is_asked_about(browser: TestClient, sqlite: Database) -> None:
    asked = submit(browser, f"{PAGE}/edit", "#offer-form", {"price": "1.234"})
    assert asked.status_code == 422
    choices = [one.attributes["value"] for one in read(asked).css('input[name="price_reading"]')]
    assert choices == ["1234.00", "1.23", "1.24"]
    done = send(browser, asked, "#offer-form", {"price_reading": "1234.00"})
    assert done.status_code == 303
    assert offered(sqlite)[LOT.id].price_minor == 123400


def test_an_edit_shows_the_price_and_the_one_before(browser: TestClient) -> None:
    done = submit(browser, f"{PAGE}/edit", "#offer-form", {"price": "49", "valid_on": "2026-12-03"})
    assert (done.status_code, done.headers["location"]) == (303, PAGE)
    shown = browser.get(PAGE)
    note = _words(_one(shown, "#now .note").text())
    assert note == "Since Thu, 3 Dec 2026: 49.00 USD, before: 47.14 USD."
    rows = _table(shown, "Versions of the offer")
    assert [row[:2] for row in rows] == [["Version 2", "49.00 USD"], ["Version 1", "47.14 USD"]]
    assert "before: 47.14 USD" in rows[0][2]
    assert [row[3] for row in rows] == ["local", "came with Punktum"]


def test_saving_what_stands_changes_nothing(browser: TestClient, sqlite: Database) -> None:
    assert submit(browser, f"{PAGE}/edit", "#offer-form").status_code == 303
    assert len(versions(sqlite, LOT.id)) == 1


def test_an_edit_that_crosses_another_shows_both(browser: TestClient, sqlite: Database) -> None:
    mine = browser.get(f"{PAGE}/edit")
    save(sqlite, replace(LOT, price_minor=4900), 1)
    crossed = send(browser, mine, "#offer-form", {"price": "50.00", "source": "Mine"})
    assert crossed.status_code == 409
    said = [_words(one.text()) for one in read(crossed).css(".notice li")]
    assert said[0] == "Price of the lot: there 49.00 USD, typed here 50.00 USD"
    back = fields(_one(crossed, "#offer-form"))
    assert (back["price"], back["source"], back["version"]) == ("50.00", "Mine", "2")
    assert send(browser, crossed, "#offer-form").status_code == 303
    assert [one.offer.price_minor for one in versions(sqlite, LOT.id)] == [4714, 4900, 5000]


def test_an_id_that_is_taken_leads_to_the_offer_that_has_it(browser: TestClient) -> None:
    typed = {"id": LOT.id, "provider": "X", "gpu": "Y", "source": "Z"}
    refused = submit(browser, "/offers/new", "#offer-form", typed)
    assert refused.status_code == 409
    assert len(_errors(refused)) == 1
    hrefs = [one.attributes["href"] for one in read(refused).css("#offer-form a")]
    assert f"{PAGE}/edit" in hrefs


def test_drafts_that_name_an_offer_are_said_before_it_is_withdrawn(
    browser: TestClient, sqlite: Database
) -> None:
    campaigns.opened(sqlite, sealed=False)
    shown = browser.get(PAGE)
    assert _table(shown, "Campaigns that plan with it") == [
        [f"{campaigns.ID} Which rank do we ship?", "Draft"]
    ]
    assert "One draft names this offer" in _words(_one(shown, "#withdraw").text())
    assert send(browser, shown, "#withdraw form").status_code == 303
    assert offered(sqlite)[LOT.id].withdrawn
    listed = browser.get("/offers")
    assert [row[0] for row in _table(listed, "Offers with RTX 4090")] == ["7 d", "30 d"]
    assert [row[0] for row in _table(listed, "Withdrawn offers")] == ["3 d"]
    assert read(browser.get(PAGE)).css("#withdraw") == []


def test_an_offer_that_moved_is_not_withdrawn(browser: TestClient, sqlite: Database) -> None:
    shown = browser.get(PAGE)
    save(sqlite, replace(LOT, price_minor=4900), 1)
    assert send(browser, shown, "#withdraw form").status_code == 409
    assert not offered(sqlite)[LOT.id].withdrawn


@pytest.mark.parametrize("path", ["/offers/a/b", "/offers/a/b/edit", "/offers/x", "/offers/%C3%A4"])
def test_an_unknown_offer_is_not_found(browser: TestClient, path: str) -> None:
    assert browser.get(path).status_code == 404


def _lot_choices(browser: TestClient) -> dict[str, str]:
    shown = read(browser.get(f"/campaigns/{campaigns.ID}/plan/edit/lots"))
    (chosen, *_) = shown.css('select[name="lots.0.offer"]')
    return {one.attributes["value"] or "": _words(one.text()) for one in chosen.css("option")}


def test_a_form_offers_what_is_offered_and_keeps_what_its_draft_names(
    browser: TestClient, sqlite: Database
) -> None:
    campaigns.opened(sqlite, sealed=False)
    other = read_catalogue()[1]
    withdraw(sqlite, other.id, 1)
    assert other.id not in _lot_choices(browser)
    withdraw(sqlite, LOT.id, 1)
    assert _lot_choices(browser)[LOT.id].endswith("withdrawn")
    saved = submit(browser, f"/campaigns/{campaigns.ID}/plan/edit/lots", "main form")
    assert saved.status_code == 303
    assert LOT.id in _lot_choices(browser)


def test_an_offer_that_the_catalogue_lacks_is_kept_in_its_form(
    browser: TestClient, sqlite: Database
) -> None:
    lot = replace(campaigns.plan().lots[0], offer="gone/lot", gpus=1, hours=72)
    campaigns.opened(sqlite, campaigns.plan(lot), sealed=False)
    assert submit(browser, f"/campaigns/{campaigns.ID}/plan/edit/lots", "main form").is_redirect
    assert _lot_choices(browser)["gone/lot"] == "gone/lot, not in the catalogue"


def _upload(browser: TestClient, content: str, **more: str) -> Response:
    return submit(browser, "/offers/import", "#import-form", {"source": content}, **more)


def test_a_file_is_shown_before_it_is_taken(browser: TestClient, sqlite: Database) -> None:
    dearer = replace(LOT, price_minor=4900)
    shown = _upload(browser, write_csv([dearer, OWN, read_catalogue()[1]]))
    rows = _table(shown, "What the file would do")
    assert [(row[0], row[4].split(" Price")[0]) for row in rows] == [
        ("2", "gets a new version"),
        ("3", "is added"),
        ("4", "stays as it is"),
    ]
    assert "Price of the lot: 49.00 USD, before: 47.14 USD" in rows[0][4]
    assert tuple(offered(sqlite).values()) == read_catalogue()
    done = send(browser, shown, "#import-form", button='button[value="take"]')
    assert (done.status_code, done.headers["location"]) == (303, "/offers")
    assert offered(sqlite)[LOT.id] == dearer
    assert offered(sqlite)[OWN.id] == OWN


def test_a_file_that_changes_nothing_cannot_be_taken(browser: TestClient) -> None:
    shown = _upload(browser, write_toml(read_catalogue()))
    assert shown.status_code == 200
    assert read(shown).css('button[value="take"]') == []
    assert "Nothing changes" in _words(_one(shown, "#preview .note").text())


def test_only_what_was_shown_is_taken(browser: TestClient, sqlite: Database) -> None:
    unseen = _upload(browser, write_toml([OWN]), action="take")
    assert unseen.status_code == 409
    other = {"source": write_toml([replace(OWN, gpus=8)])}
    changed = send(browser, unseen, "#import-form", other, 'button[value="take"]')
    assert changed.status_code == 409
    save(sqlite, replace(LOT, price_minor=4900), 1)
    moved = send(browser, changed, "#import-form", button='button[value="take"]')
    assert moved.status_code == 409
    assert OWN.id not in offered(sqlite)
    assert send(browser, moved, "#import-form", button='button[value="take"]').status_code == 303
    assert offered(sqlite)[OWN.id].gpus == 8


def test_a_wrong_file_comes_back_with_its_problems(browser: TestClient, sqlite: Database) -> None:
    content = write_csv([OWN, LOT]).replace("47.14", "1.234").replace(",H100,1,", ",H100,none,")
    refused = _upload(browser, content, action="take")
    assert refused.status_code == 422
    assert [row[:2] for row in _table(refused, "Problems of the file")] == [
        ["2", "gpus"],
        ["2", "price"],
        ["3", "price"],
    ]
    (text,) = read(refused).css("textarea[name=source]")
    assert text.text().strip().splitlines() == content.strip().splitlines()
    assert tuple(offered(sqlite).values()) == read_catalogue()


def test_an_uploaded_file_is_read_too(browser: TestClient) -> None:
    form = fields(_one(browser.get("/offers/import"), "#import-form"))
    sent = {"file": ("offers.csv", write_csv([OWN]).encode())}
    shown = browser.post("/offers/import", data=form, files=sent)
    assert [row[0] for row in _table(shown, "What the file would do")] == ["2"]
    nothing = browser.post("/offers/import", data=form)
    assert nothing.status_code == 422


@pytest.mark.parametrize("kind", ["toml", "csv"])
def test_what_is_downloaded_imports_as_nothing_new(
    browser: TestClient, sqlite: Database, kind: str
) -> None:
    save(sqlite, OWN)
    withdraw(sqlite, LOT.id, 1)
    before = browser.get(f"/offers/file?format={kind}").content
    types = {"toml": "application/toml", "csv": "text/csv"}
    again = browser.post("/api/v1/offers", content=before, headers={"Content-Type": types[kind]})
    assert (again.status_code, len(again.json()["kept"])) == (200, 5)
    assert browser.get(f"/api/v1/offers/file?format={kind}").content == before


def test_a_download_makes_a_fresh_installation_say_the_same(
    browser: TestClient, sqlite: Database, database: Database
) -> None:
    save(sqlite, OWN)
    save(sqlite, replace(LOT, price_minor=4900), 1)
    withdraw(sqlite, read_catalogue()[3].id, 1)
    before = browser.get("/offers/file?format=csv").content
    take(database, *offered(sqlite).values())
    assert list(offered(database).values()) == list(offered(sqlite).values())
    assert write_csv(offered(database).values()).encode() == before


def test_the_catalogue_for_scripts(browser: TestClient, sqlite: Database) -> None:
    answer = browser.get("/api/v1/offers").json()
    assert answer["next"] is None
    prices = {one["id"]: (one["hours"], one["gpus"], one["price"]) for one in answer["items"]}
    assert prices == {
        "iteragpu/rtx-4090/3d": (72, 1, "47.14"),
        "iteragpu/rtx-4090/7d": (168, 1, "110.00"),
        "iteragpu/rtx-4090/30d": (720, 1, "390.00"),
        "iteragpu/b200": (None, 2, None),
    }
    assert all(one["source"] for one in answer["items"])
    withdraw(sqlite, LOT.id, 1)
    assert len(browser.get("/api/v1/offers").json()["items"]) == 3
    everything = browser.get("/api/v1/offers?withdrawn=true").json()["items"]
    assert [one["withdrawn"] for one in everything] == [True, False, False, False]


def _post(browser: TestClient, *offers: Offer, query: str = "") -> Response:
    return browser.post(f"/api/v1/offers{query}", content=write_toml(offers), headers=TOML)


def test_a_script_posts_a_file(browser: TestClient, sqlite: Database) -> None:
    rows = (replace(LOT, price_minor=4900), replace(read_catalogue()[1], withdrawn=True), OWN)
    looked = _post(browser, *rows, query="?preview=true")
    assert looked.status_code == 200
    assert tuple(offered(sqlite).values()) == read_catalogue()
    taken = _post(browser, *rows)
    assert taken.status_code == 201
    assert taken.json() == looked.json()
    assert taken.json() == {
        "added": [OWN.id],
        "changed": [LOT.id],
        "withdrawn": [rows[1].id],
        "kept": [],
    }
    assert _post(browser, *rows).status_code == 200
    assert len(versions(sqlite, LOT.id)) == 2


def test_a_script_is_told_line_and_field_of_all_that_is_wrong(browser: TestClient) -> None:
    content = write_toml([OWN, LOT]).replace('"47.14"', "47.14").replace("gpus = 1", "gpus = 0", 1)
    refused = browser.post("/api/v1/offers", content=content, headers=TOML)
    assert (refused.status_code, refused.json()["field"]) == (422, "gpus")
    found = [(one["line"], one["field"]) for one in refused.json()["problems"]]
    assert found == [(5, "gpus"), (7, "price"), (17, "price")]
    assert "Did you mean 47.14" in refused.json()["problems"][1]["detail"]


@pytest.mark.parametrize(
    ("kind", "status"),
    [("text/csv", 201), ("text/plain", 201), ("", 201), ("application/json", 415)],
)
def test_the_kind_of_the_body_is_told_or_found(browser: TestClient, kind: str, status: int) -> None:
    headers = {"Content-Type": kind} if kind else {}
    sent = browser.post("/api/v1/offers", content=write_csv([OWN]), headers=headers)
    assert sent.status_code == status, sent.text


@pytest.mark.parametrize("path", ["/api/v1/offers", "/api/v1/offers/file"])
def test_a_job_token_neither_reads_nor_writes_the_catalogue(browser: TestClient, path: str) -> None:
    token = {"Authorization": "Bearer pk_x"}
    for refused in (
        browser.get(path, headers=token),
        browser.post("/api/v1/offers", headers=token),
    ):
        assert refused.status_code == 403
        assert refused.json()["type"] == "/problems/forbidden"
