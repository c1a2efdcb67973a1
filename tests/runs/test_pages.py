"""The pages of runs as a person uses them, parsed: rows, forms, and what is offered when."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.main import create_app
from app.runs import queries
from app.settings import Settings
from tests.conftest import NOW
from tests.pages import read, submit
from tests.runs.campaigns import ID, SECOND, closed, event, opened, recorded

URL = f"/campaigns/{ID}/runs"
CONNECT = f"/campaigns/{ID}/connect"
TOKENS = f"/api/v1/campaigns/{ID}/tokens"
NAN = event(3, metrics={"loss": "nan"}, progress=30, total=100)


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def rows(tree: HTMLParser, card: str) -> list[list[str]]:
    found = []
    for row in tree.css(f"#{card} tbody tr"):
        found.append([words(cell) for cell in row.css("th, td") if cell.parent == row])
    return found


def page(browser: TestClient, url: str = URL) -> HTMLParser:
    answer = browser.get(url)
    assert answer.status_code == 200, answer.text
    return read(answer)


def test_before_the_first_run_the_page_says_what_to_do(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    tree = page(browser)
    assert words(tree.css_first("#runs .empty-title")) == "No run has reported yet"
    link = tree.css_first("#runs .empty a")
    assert link is not None
    assert link.attributes["href"] == CONNECT
    assert words(tree.css_first("#stops .empty-title")) == "Nothing was stopped"
    assert [row[0] for row in rows(tree, "people")] == ["Prepare"]


def test_a_run_is_a_row(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    metrics = {"loss": 0.123456789012, "eval_f1": "0.82", "x": 1, "y": 2}
    recorded(
        sqlite,
        event(1, "start", expect_next_s=60),
        event(2, progress=10, total=100, metrics=metrics),
    )
    (row,) = rows(page(browser), "runs")
    assert row == [
        "a-01", "Control Essential", "Running", "1", "1 s", "Tue, 1 Dec, 15:12", "10 of 100",
        "f1 0.82 loss 0.1235 x 1",
    ]  # fmt: skip


def test_silence_and_remarks_are_said(
    browser: TestClient, sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite, sealed=False)
    recorded(sqlite, event(1, "start", step="strange", parent="a-00"), event(4))
    recorded(sqlite, event(2, run="b-01", attempt_id=SECOND))
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + timedelta(hours=5)).isoformat())
    planned, silent = rows(page(browser), "runs")
    assert silent[:3] == [
        "a-01",
        "strange Unplanned",
        "Silent No sign since Tue, 1 Dec, 15:12 before the seal follows a-00 events missing: 2",
    ]
    assert planned[2] == (
        "Start not yet received Silent No sign since Tue, 1 Dec, 15:12 "
        "before the seal events missing: 1"
    )
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + timedelta(days=5)).isoformat())
    assert rows(page(browser), "runs")[1][2].startswith("Silent, lot ended")


def test_the_stop_register_says_what_followed(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2), NAN)
    (line,) = rows(page(browser), "stops")
    assert line == [
        "Rule loss-not-finite loss is nan", "a-01 configuration aaaaaaaa", "loss = nan",
        "Tue, 1 Dec, 09:00", "judged by the server", "asked to stop, the process has not ended yet",
    ]  # fmt: skip
    recorded(sqlite, event(4, "stop", rule="loss-not-finite", exit_code=1))
    child = event(1, "start", run="a-02", attempt_id=SECOND, config_sha256="b" * 64, parent="a-01")
    recorded(sqlite, child)
    tree = page(browser)
    assert rows(tree, "stops")[0][5] == "ended Tue, 1 Dec, 09:00 goes on as a-02"
    assert rows(tree, "runs")[1][2] == "Stopped Rule loss-not-finite: loss is nan"


def test_many_runs_are_paged_newest_first(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, *(event(1, "start", run=f"r-{n:03}") for n in range(103)))
    tree = page(browser)
    assert [row[0] for row in rows(tree, "runs")][:2] == ["r-102", "r-101"]
    links = {words(link): link.attributes["href"] for link in tree.css("#runs .actions a")}
    older = page(browser, str(links["Earlier runs"]))
    assert [row[0] for row in rows(older, "runs")] == ["r-002", "r-001", "r-000"]
    assert words(page(browser, f"{URL}?after=r-000").css_first(".empty-title")) == "No earlier runs"


def test_a_poll_gets_the_live_part_or_304(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"))
    live = page(browser).css_first("#live")
    assert live is not None
    assert live.css("form, input") == []
    tag = str(live.attributes["hx-ptag"])
    headers = {"HX-Request-Type": "partial", "HX-PTag": tag}
    assert browser.get(URL, headers=headers).status_code == 304
    recorded(sqlite, event(2, progress=7))
    answer = browser.get(URL, headers=headers)
    assert answer.status_code == 200
    assert answer.headers["HX-PTag"] != tag
    assert rows(read(answer), "runs")[0][6] == "7"
    assert read(answer).css_first("header.top") is None


def _submitted(browser: TestClient, form: str, url: str = URL, **values: Any) -> Response:
    return submit(browser, url, form, values)


def test_time_is_started_and_stopped_with_a_button(
    browser: TestClient, sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite)
    start = page(browser).css_first("#time-prepare form[action$='/time/start'] .button")
    assert words(start) == "Start now : Prepare"
    done = _submitted(browser, "#time-prepare form[action$='/time/start']")
    assert (done.status_code, done.headers["location"]) == (303, f"{URL}#people")
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + timedelta(hours=2)).isoformat())
    assert rows(page(browser), "people")[0][2] == "2 h"
    assert _submitted(browser, "#time-prepare form[action$='/time/stop']").status_code == 303
    with sqlite.read() as session:
        (span,) = queries.spans_of(session, ID)
    assert (span.started_at, span.ended_at) == (NOW, NOW + timedelta(hours=2))
    withdraw = "#time-prepare form[action$='/time/withdraw']"
    assert _submitted(browser, withdraw).status_code == 303
    with sqlite.read() as session:
        assert queries.spans_of(session, ID) == ()


def test_a_span_is_logged_by_the_form(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    done = _submitted(
        browser,
        "form#span",
        step="prepare",
        starts="2026-12-01T08:00",
        ends="2026-12-01T10:30",
        note="ids",
    )
    assert done.status_code == 303
    assert rows(page(browser), "people")[0][1:3] == ["4 h", "2 h 30 min"]


def test_a_refused_span_keeps_what_was_typed(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    cases = [
        ({"starts": "2026-12-01T10:00", "ends": "2026-12-01T09:00"}, "ends", "after the start"),
        ({"starts": "", "ends": "2026-12-01T09:00"}, "starts", "Enter a date"),
        ({"starts": "2026-12-05T10:00", "ends": "2026-12-05T11:00"}, "starts", "lies ahead"),
        ({"starts": "2026-10-25T02:30", "ends": "2026-10-25T05:00"}, "starts", "happens twice"),
    ]
    for typed, field, why in cases:
        answer = _submitted(browser, "form#span", step="control", note="kept", **typed)
        assert answer.status_code == 422
        tree = read(answer)
        assert why in words(tree.css_first(f"#f-{field}-error"))
        note, chosen = tree.css_first("#f-note"), tree.css_first("#f-step option[selected]")
        assert note is not None
        assert note.attributes["value"] == "kept"
        assert chosen is not None
        assert chosen.attributes["value"] == "control"
        assert tree.css_first("details#log-span[open]") is not None
    assert len(tree.css("input[name=starts_fold]")) == 2


def test_a_time_that_happens_twice_is_chosen(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    typed = {"step": "prepare", "starts": "2026-10-25T02:30", "ends": "2026-10-25T05:00"}
    assert _submitted(browser, "form#span", **typed, starts_fold="1").status_code == 303
    assert rows(page(browser), "people")[0][2] == "2 h 30 min"


def test_one_run_with_everything_known(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start", lot="lot-1", gpus=[0]), event(2, metrics={"loss": 0.5}), NAN)
    recorded(
        sqlite, event(5, "fail", exit_code=3, reason_text="boom", log_tail="one\x1b[0m\ntwo\n")
    )
    tree = page(browser, f"{URL}/a-01")
    assert "Stopped" in words(tree.css_first("#run"))
    (attempt,) = rows(tree, "attempts")
    assert attempt[1] == "Stopped"
    assert attempt[5] == "box-1 lot-1 · GPU 0"
    assert attempt[6] == "Rule loss-not-finite: loss is nan"
    (rule,) = rows(tree, "rules")
    assert rule == ["loss-not-finite", "loss", "2", "nan", "Fired"]
    assert len(rows(tree, "stops")) == 1
    kinds = [row[0] for row in rows(tree, "events")]
    assert kinds == ["Failure", "Beat, fired: loss-not-finite", "Start", "Beat"]
    assert words(tree.css_first("#events pre")) == "one\\x1b[0m two"
    assert rows(tree, "events")[1][5] == "Progress 30 of 100 Metrics loss nan"


def test_what_happened_stands_before_the_beats_which_are_folded(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    held = ["parameters", "random"]
    saved = event(61, "checkpoint", path="c/60", size=1_288_490_189, states=held)
    beats = [event(seq, expect_next_s=900) for seq in (*range(2, 61), *range(62, 71))]
    rank = [event(seq, source="rank-1") for seq in (1, 2)]
    recorded(sqlite, event(1, "start"), *beats, saved, event(71, "finish"), *rank)
    tree = page(browser, f"{URL}/a-01")
    facts = tree.css("#events > table tbody tr")
    assert [words(row.css_first("th")) for row in facts] == ["Finish", "Checkpoint", "Start"]
    assert [words(fold) for fold in tree.css("#events summary")] == [
        "Beats 1–2, Tue, 1 Dec, 09:00–09:00 2 beats of rank-1, attempt 1",
        "Beats 2–70, Tue, 1 Dec, 09:00–09:01 68 beats of main, attempt 1",
    ]
    assert tree.css_first("#beats-1-main[open]") is None
    assert len(tree.css("#beats-1-main tbody tr")) == 68
    says = words(facts[1].css("td")[-1])
    assert says == "Path c/60 Size 1.2 GiB It holds parameters, random numbers"
    exact = tree.css_first("#events td [title='1,288,490,189 bytes']")
    assert words(exact) == "1.2 GiB"
    german = browser.get(f"{URL}/a-01", headers={"Accept-Language": "de"})
    assert words(read(german).css_first("#events td [title*='1.288.490.189']")) == "1,2 GiB"


def test_the_newest_checkpoint_is_a_row_and_the_earlier_ones_are_folded(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    saves = [event(seq, "checkpoint", path=f"c/{seq}") for seq in range(2, 8)]
    recorded(sqlite, event(1, "start"), *saves)
    tree = page(browser, f"{URL}/a-01")
    facts = tree.css("#events > table tbody tr")
    assert [words(row.css_first("th")) for row in facts] == ["Checkpoint", "Start"]
    assert words(facts[0].css("td")[-1]) == "Path c/7"
    assert [words(fold) for fold in tree.css("#events summary")] == [
        "Checkpoints 2–6, Tue, 1 Dec, 09:00–09:00 5 earlier checkpoints of main, attempt 1"
    ]
    assert len(tree.css("#checkpoints-1-main tbody tr")) == 5


def test_events_are_paged(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), *(event(seq) for seq in range(2, 123)))
    recorded(sqlite, event(1, "start", attempt_id=SECOND, takeover=True))
    tree = page(browser, f"{URL}/a-01")
    assert len(rows(tree, "events")) == 100
    link = tree.css_first("#events .actions a")
    assert link is not None
    older = page(browser, str(link.attributes["href"]))
    assert len(rows(older, "events")) == 123 - 100
    assert older.css_first("#events .actions a") is None
    assert browser.get(f"{URL}/a-01?before=x").status_code == 422


def test_a_rule_that_was_never_judged_is_red(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, elapsed_s=600))
    tree = page(browser, f"{URL}/a-01")
    assert rows(tree, "rules")[0][2:] == ["0", "– no value seen", "Never judged"]
    assert tree.css_first("#rules .t-fail") is not None


def test_a_silent_run_is_marked_lost_behind_a_confirmation(
    browser: TestClient, sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start", expect_next_s=60))
    assert page(browser, f"{URL}/a-01").css_first("#lost") is None
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + timedelta(hours=1)).isoformat())
    assert page(browser, f"{URL}/a-01").css_first("details#lost:not([open])") is not None
    refused = submit(browser, f"{URL}/a-01", "#lost form", {"reason.lost": " "})
    assert refused.status_code == 422
    assert "reason is needed" in words(read(refused).css_first("#f-reason-lost-error"))
    done = submit(browser, f"{URL}/a-01", "#lost form", {"reason.lost": "the box is gone"})
    assert (done.status_code, done.headers["location"]) == (303, f"{URL}/a-01")
    tree = page(browser, f"{URL}/a-01")
    assert "Lost" in words(tree.css_first("#run"))
    assert "the box is gone" in words(tree.css_first("#run .reason"))
    assert tree.css_first("#lost") is None


def test_a_job_is_asked_to_stop(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start", expect_next_s=60))
    done = submit(browser, f"{URL}/a-01", "#ask form", {"reason.ask": "wrong corpus"})
    assert done.status_code == 303
    tree = page(browser, f"{URL}/a-01")
    assert "asked to stop: wrong corpus" in words(tree.css_first("#run"))
    assert tree.css_first("#ask") is None
    told = recorded(sqlite, event(2))
    assert told.stop is not None


def test_what_is_not_there(browser: TestClient, sqlite: Database) -> None:
    assert browser.get(URL).status_code == 404
    opened(sqlite)
    assert browser.get(f"{URL}/none").status_code == 404


@pytest.mark.parametrize("name", ["connect", "time"])
def test_a_run_may_be_called_as_any_part_of_an_address(
    browser: TestClient, sqlite: Database, name: str
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start", run=name), event(2, run=name))
    assert [row[0] for row in rows(page(browser), "runs")] == [name]
    tree = page(browser, f"{URL}/{name}")
    assert name in words(tree.css_first("h1"))
    answer = submit(browser, f"{URL}/{name}", "form[action$='/ask']", {"reason.ask": "enough"})
    assert answer.status_code == 303
    assert recorded(sqlite, event(3, run=name)).stop is not None


def test_connecting_and_time_are_part_of_the_runs(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    refused = submit(browser, URL, "form#span", {"starts": "nonsense"})
    assert refused.status_code == 422
    for tree in (page(browser, CONNECT), read(refused)):
        assert [words(tab) for tab in tree.css(".tabs [aria-current]")] == ["Runs"]


def test_a_closed_campaign_offers_no_act(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"))
    browser.post(TOKENS)
    closed(sqlite)
    for url in (URL, f"{URL}/a-01"):
        assert page(browser, url).css("main form") == [], url


def test_no_page_carries_script_or_style_of_its_own(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2), NAN)
    for url in (URL, f"{URL}/a-01", CONNECT):
        tree = page(browser, url)
        assert tree.css("style, [style], script:not([src]), [onclick]") == [], url
        ids = [node.attributes["id"] for node in tree.css("[id]")]
        assert len(ids) == len(set(ids)), url
