"""What the pages of runs say of time, gaps, checkpoints, idle rules, and archived runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from sqlalchemy.event import listen

from app.db import Database
from app.main import create_app
from app.plan.rules.model import OnInterruption, Plan, PlannedStopRule
from app.runs import commands
from app.settings import Settings
from tests.conftest import NOW, PERSON
from tests.pages import read, submit
from tests.runs.campaigns import FIRST, ID, SECOND, closed, event, opened, plan, recorded, run
from tests.runs.test_pages import rows, words

URL = f"/campaigns/{ID}/runs"
HOUR = timedelta(hours=1)
STATES = ["parameters", "optimizer", "progress"]


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def page(browser: TestClient, run_id: str = "a-01") -> HTMLParser:
    return _read(browser, f"{URL}/{run_id}" if run_id else URL)


def _read(browser: TestClient, url: str) -> HTMLParser:
    answer = browser.get(url)
    assert answer.status_code == 200, answer.text
    return read(answer)


def figures(tree: HTMLParser) -> dict[str, str]:
    """Label → value and note of the figures of the head card."""
    found = {}
    for figure in tree.css("#run .figure"):
        parts = [words(part) for part in figure.css("p")]
        found[parts[0]] = " | ".join(parts[1:])
    return found


def facts(tree: HTMLParser, where: str) -> dict[str, str]:
    return {
        words(row.css_first("dt")): words(row.css_first("dd"))
        for row in tree.css(f"{where} .facts > div")
    }


def deciding(decision: OnInterruption | None, p90_s: int | None = None) -> Plan:
    known = plan()
    steps = (
        replace(one, on_interruption=decision, p90_s=p90_s) if one.gpus else one
        for one in known.steps
    )
    return replace(known, steps=tuple(steps))


def test_gaps_of_each_source_are_named(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    numbers = (*range(2, 118), *range(151, 160), 201)
    recorded(sqlite, event(1, "start"), *(event(n) for n in numbers), event(1, source="wrapper"))
    tree = page(browser)
    assert facts(tree, "#events") == {
        "wrapper, attempt 1": "all 1 came",
        "main, attempt 1": "acknowledged to 117, job says 201 sent; missing 118–150, 160–200",
    }


def test_a_shells_posts_have_no_numbers_to_miss(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(None, "start", attempt_id=None), event(None, attempt_id=None))
    assert facts(page(browser), "#events") == {}


def test_two_attempts_with_their_calendar_and_what_was_redone(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    recorded(
        sqlite,
        event(1, "start", at=_at(0)),
        event(2, progress=4012, total=9000, elapsed_s=7200, at=_at(2)),
        event(3, "fail", reason_code="infra", elapsed_s=7200, at=_at(2)),
        event(1, "start", attempt_id=SECOND, progress=4000, total=9000, at=_at(4), elapsed_s=0),
        event(2, attempt_id=SECOND, progress=4500, elapsed_s=3600, at=_at(5)),
    )
    tree = page(browser)
    shown = figures(tree)
    assert shown["Machine time"] == "3 h | sum of 2 attempts; 5 h on the calendar"
    assert shown["Progress"] == "4,500 of 9,000 | 12 steps redone"
    assert [row[1] for row in rows(tree, "attempts")] == ["Failed", "Running 12 steps redone"]
    (line,) = rows(page(browser, ""), "runs")
    assert line[0] == "a-01"
    assert line[2] == "Running rule loss-not-finite has seen no loss 12 steps redone"


def _at(hours: float) -> str:
    return (NOW - 6 * HOUR + hours * HOUR).isoformat()


def test_long_durations_show_in_days(browser: TestClient, sqlite: Database) -> None:
    """72 hours and 720 hours: a clock of hours and minutes ends at neither."""
    opened(sqlite)
    for name, attempt_id, hours in (("a-01", FIRST, 72), ("b-01", SECOND, 720)):
        start = event(1, "start", run=name, attempt_id=attempt_id, at=_at(-hours), elapsed_s=0)
        end = event(2, "finish", run=name, attempt_id=attempt_id, at=_at(0), elapsed_s=hours * 3600)
        recorded(sqlite, start, end)
    assert figures(page(browser))["Machine time"] == "3 d | 1 attempt; 3 d on the calendar"
    assert (
        figures(page(browser, "b-01"))["Machine time"] == "30 d | 1 attempt; 30 d on the calendar"
    )
    assert [row[4] for row in rows(page(browser, ""), "runs")] == ["30 d", "3 d"]
    assert [run(sqlite, name).machine_s for name in ("a-01", "b-01")] == [72 * 3600, 720 * 3600]


def test_two_runs_at_once_are_judged_apart(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    other = {"run": "b-01", "attempt_id": SECOND}
    recorded(
        sqlite,
        event(1, "start", expect_next_s=60),
        event(1, "start", **other, expect_next_s=86_400),
        event(2, metrics={"loss": 0.5}),
        event(2, **other, metrics={"loss": "nan"}),
        event(3, metrics={"loss": 0.4}),
    )
    one, two = run(sqlite, "a-01", NOW + HOUR), run(sqlite, "b-01", NOW + HOUR)
    assert (one.silent, two.silent) == (True, False)
    assert (one.stop_asked, two.stop_asked is not None) == (None, True)
    assert [(rule.evaluated, rule.fired, rule.last) for rule in (*one.rules, *two.rules)] == [
        (2, False, "0.4"),
        (1, True, "nan"),
    ]
    assert [row[1] for row in rows(page(browser, ""), "stops")] == ["b-01 configuration aaaaaaaa"]


def test_a_run_that_was_too_quick_is_marked(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(9, "finish", elapsed_s=17_999))
    other = {"run": "b-01", "attempt_id": SECOND}
    recorded(sqlite, event(1, "start", **other), event(2, "finish", **other, elapsed_s=18_000))
    states = {row[0].split()[0]: row[2] for row in rows(page(browser, ""), "runs")}
    assert states == {
        "a-01": "Completed Suspiciously short took 5 h, estimated 10 h "
        "rule loss-not-finite has seen no loss events missing: 7",
        "b-01": "Completed rule loss-not-finite has seen no loss",
    }
    assert "Suspiciously short" in words(page(browser).css_first("#run"))
    assert "took 5 h, estimated 10 h" in words(page(browser).css_first("#run"))
    items = browser.get(f"/api/v1{URL}").json()["items"]
    assert [one["suspiciously_short"] for one in items] == [True, False]


def test_a_rule_without_values_says_what_came_instead(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite, plan(PlannedStopRule("floor", "below", "f1", Decimal("0.5"))))
    story = [event(n, metrics={"train_loss": 1, "eval_loss": 2}) for n in (2, 3)]
    recorded(sqlite, event(1, "start"), *story)
    assert "has seen no" not in words(page(browser).css_first("main"))
    recorded(sqlite, event(601, metrics={"train_loss": 1}))
    tree = page(browser)
    assert rows(tree, "rules")[0][0] == "floor has seen no eval_f1; seen: eval_loss, train_loss"
    assert "rule floor has seen no eval_f1" in words(tree.css_first("#run"))
    assert "rule floor has seen no eval_f1" in rows(page(browser, ""), "runs")[0][2]


@pytest.mark.parametrize(
    ("decision", "words_of"),
    [
        (OnInterruption.RESUME, "By plan: resume learning from the checkpoint at 1,200."),
        (OnInterruption.INFERENCE_ONLY, "By plan: only run inference again."),
        (OnInterruption.RESTART, "By plan: start over."),
        (None, "The plan does not say what follows an interruption."),
    ],
)
def test_an_interrupted_run_says_how_it_goes_on(
    browser: TestClient, sqlite: Database, decision: OnInterruption | None, words_of: str
) -> None:
    opened(sqlite, deciding(decision))
    saved = event(
        2, "checkpoint", path="c/1200", progress=1200, states=STATES, size=38 << 30, write_s=110
    )
    recorded(sqlite, event(1, "start"), saved)
    assert page(browser).css_first("#resume b") is None
    recorded(sqlite, event(3, "fail", reason_code="infra", signal=9))
    tree = page(browser)
    assert words(tree.css_first("#resume b")) == words_of
    found = facts(tree, "#resume")
    assert {
        name: found[name] for name in ("Path", "Progress", "Size", "Writing took", "It holds")
    } == {
        "Path": "c/1200",
        "Progress": "1,200",
        "Size": "38 GiB",
        "Writing took": "1 min 50 s",
        "It holds": "parameters, optimizer, progress",
    }
    assert (
        "A resume would lack: random numbers, position in the data; "
        "where the loop has them also scheduler, scaler."
    ) in words(tree.css_first("#resume"))


@pytest.mark.parametrize(("passed", "mark"), [(True, "Passed"), (False, "Failed")])
def test_the_restore_check_is_shown_with_its_times(
    browser: TestClient, sqlite: Database, passed: bool, mark: str
) -> None:
    opened(sqlite)
    result: dict[str, Any] = {
        "passed": passed, "reason": "values equal", "save_s": 0.04, "restore_s": 250, "steps": 20,
        "path": "ckpt/early",
        "size": 38 << 30, "compared": "loss", "expected": "0.7123", "found": "0.7124",
    }  # fmt: skip
    recorded(sqlite, event(1, "start"), event(2, restore=result))
    tree = page(browser)
    assert words(tree.css("#resume h3")[1]) == f"Restore check {mark}"
    assert facts(tree, "#resume") == {
        "Checked": "Tue, 1 Dec, 09:00",
        "In words": "values equal",
        "Path": "ckpt/early",
        "Saving took": "< 1 s",
        "Restoring took": "4 min 10 s",
        "Size": "38 GiB",
        "Steps compared": "20",
        "Compared": "loss: 0.7123 expected, 0.7124 found",
    }


def test_a_check_is_a_row_among_the_events(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    failed = {"passed": False, "reason": "no file"}
    counted = {"long": {"expected": 9, "truncated": 2}}
    saved = event(3, "checkpoint", write_s=70.2)
    recorded(sqlite, event(1, "start"), event(2, restore=failed), saved, event(4, inputs=counted))
    facts_of_events = [
        (words(row.css_first("th")), words(row.css("td")[-1]))
        for row in page(browser).css("#events > table tbody tr")
    ]
    assert facts_of_events[:2] == [
        ("Checkpoint", "Writing took 1 min 10 s"),
        ("Restore check", "Restore check failed: no file"),
    ]
    assert words(page(browser).css("#beats-1-main tbody td")[-1]) == "Cut short long 2/9"


def test_a_run_without_any_of_it_has_no_such_card(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, "finish"))
    assert page(browser).css_first("#resume") is None


def test_inputs_that_were_cut_short(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"))
    assert page(browser).css_first("#inputs") is None
    counted = {"long": {"expected": 1200, "truncated": 3}, "eval": {"expected": 9, "truncated": 0}}
    recorded(sqlite, event(2, inputs=counted))
    assert facts(page(browser), "#inputs") == {
        "eval": "9, none cut short",
        "long": "3 of 1,200 cut short",
    }
    assert browser.get(f"/api/v1{URL}/a-01").json()["inputs"][1] == {
        "name": "long",
        "expected": 1200,
        "truncated": 3,
    }


def test_what_a_tracker_told_says_so(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start", source="tracker"))
    assert "as told by the tracker" in words(page(browser).css_first("#run"))
    assert rows(page(browser, ""), "runs")[0][2] == "Running as told by the tracker"
    recorded(sqlite, event(1, "start", source="wrapper"))
    assert "as told by the tracker" not in words(page(browser).css_first("main"))


def test_the_next_sign_and_silence_are_said(
    browser: TestClient, sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start", expect_next_s=600))
    assert figures(page(browser))["Last sign"].endswith("| next sign due Tue, 1 Dec, 15:22")
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + 2 * HOUR).isoformat())
    assert figures(page(browser))["Last sign"].endswith("| silent for 2 h, since Tue, 1 Dec, 15:12")


def waiting(browser: TestClient) -> list[str]:
    return [words(line) for line in page(browser, "").css("#waiting li")]


def test_the_list_says_what_is_waited_for(
    browser: TestClient, sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite, deciding(None, p90_s=39_600))
    assert waiting(browser) == [
        "Not started: Control should have begun by Mon, 30 Nov, 08:00, 1 d 7 h ago",
        "Not started: Variant A should have begun by Mon, 30 Nov, 18:00, 21 h 12 min ago",
    ]
    recorded(sqlite, event(1, "start", expect_next_s=600))
    assert [line.split(" should")[0] for line in waiting(browser)] == ["Not started: Variant A"]
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + HOUR).isoformat())
    assert waiting(browser)[1:] == ["Silent: a-01 silent for 1 h, since Tue, 1 Dec, 15:12"]
    recorded(sqlite, event(2, elapsed_s=39_660, at=_at(2)), now=NOW + HOUR)
    assert waiting(browser)[1:] == ["Conflict: a-01 over its time: 11 h 1 min of at most 11 h"]
    assert "over its time: 11 h 1 min of at most 11 h" in rows(page(browser, ""), "runs")[0][2]
    assert "over its time: 11 h 1 min of at most 11 h" in words(page(browser).css_first("#run"))
    closed(sqlite)
    assert waiting(browser) == []


def test_a_draft_promises_no_start(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite, sealed=False)
    assert waiting(browser) == []


def _archived(sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, "fail", exit_code=1))
    recorded(sqlite, event(1, "start", run="b-01", attempt_id=SECOND))


def test_a_run_is_archived_and_brought_back_on_its_page(
    browser: TestClient, sqlite: Database
) -> None:
    _archived(sqlite)
    assert page(browser, "b-01").css_first("#archive") is None
    form = "#archive form"
    refused = submit(browser, f"{URL}/a-01", form, {"reason.archive": " "})
    assert refused.status_code == 422
    assert submit(browser, f"{URL}/a-01", form, {"reason.archive": "a slip"}).status_code == 303
    tree = page(browser)
    assert "Archived Tue, 1 Dec, 15:12 by local: a slip" in words(tree.css_first("#run"))
    assert tree.css_first("#archive") is None
    shown = page(browser, "")
    assert [row[0] for row in rows(shown, "runs")] == ["b-01"]
    links = {words(link): link.attributes["href"] for link in shown.css("#runs p a")}
    away = _read(browser, str(links["1 archived run"]))
    assert [row[0] for row in rows(away, "runs")] == ["a-01"]
    assert words(away.css_first("#runs h2")) == "Archived runs"
    assert submit(browser, f"{URL}/a-01", "#run form").status_code == 303
    assert [row[0] for row in rows(page(browser, ""), "runs")] == ["b-01", "a-01"]


def test_archived_runs_count_in_every_figure(browser: TestClient, sqlite: Database) -> None:
    _archived(sqlite)
    before = browser.get(f"/api/v1/campaigns/{ID}/timeline").json()
    sqlite.write(ID, lambda tx: commands.archive(tx, ID, "a-01", "x", actor=PERSON, now=NOW))
    assert browser.get(f"/api/v1/campaigns/{ID}/timeline").json() == before


def test_all_archived_is_not_the_empty_page_of_a_beginner(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, "finish"))
    sqlite.write(ID, lambda tx: commands.archive(tx, ID, "a-01", "x", actor=PERSON, now=NOW))
    tree = page(browser, "")
    assert words(tree.css_first("#runs .empty-title")) == "All runs are archived"
    none = _read(browser, f"{URL}?archived=1&after=a-01")
    assert words(none.css_first("#runs .empty-title")) == "No archived runs"


def test_the_list_reads_no_event_rows(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, metrics={"loss": 0.5}))
    taken: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        taken.append(statement)

    listen(sqlite.read_engine, "before_cursor_execute", note)
    assert rows(page(browser, ""), "runs")[0][7] == "loss 0.5"
    assert browser.get(f"/api/v1{URL}").status_code == 200
    assert taken
    assert [one for one in taken if "run_events" in one or "late_events" in one] == []


def test_what_came_after_the_close_stands_apart(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"))
    assert page(browser, "").css_first("#late") is None
    closed(sqlite)
    before = words(page(browser).css_first("#attempts"))
    late = [event(n) for n in range(2, 18)]
    recorded(sqlite, *late, event(18, "finish", at="2026-12-01T01:10:00Z"))
    recorded(sqlite, event(1, "start", run="z-01", attempt_id=SECOND))
    tree = page(browser)
    assert words(tree.css_first("#run .notice")) == (
        "came after the close: 17 events; says: completed Tue, 1 Dec, 02:10"
    )
    assert words(tree.css_first("#attempts")) == before
    assert tree.css("main form") == []
    shown = page(browser, "")
    assert [words(line) for line in shown.css("#late li")] == [
        "a-01 came after the close: 17 events; says: completed Tue, 1 Dec, 02:10",
        "z-01 first heard of after the close: 1 event",
    ]
    links = [link.attributes["href"] for link in shown.css("#late a")]
    assert links == [f"{URL}/a-01", f"{URL}/z-01"]
    detail = browser.get(f"/api/v1{URL}/a-01").json()
    assert [(one["events"], one["status"]) for one in detail["came_late"]] == [(17, "completed")]


def test_the_api_tells_all_of_it(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    saved = event(3, "checkpoint", path="c/1", states=STATES, write_s=2.5, size=7, progress=9)
    passed = {"passed": True, "restore_s": 4.5}
    recorded(sqlite, event(1, "start", source="tracker"), saved, event(5, restore=passed))
    found = browser.get(f"/api/v1{URL}/a-01").json()
    assert (found["archived"], found["by_tracker"], found["redone"]) == (False, True, 0)
    assert (found["calendar_s"], found["came_late"]) == (4, [])
    assert found["checkpoint"]["write_s"] == 2.5
    assert found["restore"] == {
        **dict.fromkeys(
            ("reason", "save_s", "size", "compared", "steps", "expected", "found", "path")
        ),
        "at": found["restore"]["at"],
        "passed": True,
        "restore_s": 4.5,
        "states": [],
    }
    (attempt,) = found["attempts"]
    assert attempt["sources"] == [
        {"source": "main", "acknowledged": 0, "last": 5, "gaps": [[1, 2], [4, 4]], "missing": 3},
        {"source": "tracker", "acknowledged": 1, "last": 1, "gaps": [], "missing": 0},
    ]
    assert (attempt["progress"], attempt["checkpoint"]["path"]) == (9, "c/1")


def test_a_superseded_attempt_that_ends_after_all_says_both(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"))
    later = NOW + timedelta(minutes=5)
    again = event(1, "start", attempt_id=SECOND, takeover=True)
    recorded(sqlite, again, now=later)
    recorded(sqlite, event(2, "finish"), now=later + timedelta(minutes=1))
    first, second = rows(page(browser), "attempts")
    assert first[1] == "Completed attempt 2 had taken over"
    assert second[1] == "Running"


def test_a_rule_of_a_run_that_has_just_begun_is_not_judged_yet(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"))
    assert rows(page(browser), "rules")[0][-1] == "Not judged yet"
    recorded(sqlite, event(2, "finish"))
    assert rows(page(browser), "rules")[0][-1] == "Never judged"


def test_a_value_without_a_metric_stands_in_the_register(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite, plan(PlannedStopRule("mine", "custom")))
    said = [{"rule": "mine", "text": "smells", "value": "7"}]
    recorded(sqlite, event(1, "start"), event(2, fired=said))
    assert rows(page(browser), "stops")[0][2] == "7"


def test_whose_clock_the_times_are_by(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    shell = {"attempt_id": None, "elapsed_s": None}
    recorded(sqlite, event(None, "start", **shell), event(None, "finish", **shell))
    assert "by the server's clock" in words(page(browser).css_first(".figures"))


def test_what_came_late_can_be_read_event_by_event(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"), event(2, progress=5))
    closed(sqlite)
    later = NOW + timedelta(days=1)
    recorded(
        sqlite, event(3, metrics={"eval_f1": 0.81}), event(4, "finish", exit_code=0), now=later
    )
    found = rows(page(browser), "late")
    assert [(row[0], row[1], row[2], row[-1]) for row in found] == [
        ("Finish", "1", "main 4", "Exit code 0"),
        ("Beat", "1", "main 3", "Metrics eval_f1 0.81"),
    ]


def test_links_and_said_times_are_shown_with_their_event(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    shell = {"attempt_id": None, "elapsed_s": None}
    said = {"links": {"wandb": "https://wandb.example/x"}, "at": "2026-12-01T03:00:00+00:00"}
    recorded(sqlite, event(None, "start", **{**shell, **said}))
    assert rows(page(browser), "events")[0][-1].startswith(
        "Said time 2026-12-01T03:00:00Z Links wandb https://wandb.example/x"
    )


def test_what_goes_on_is_asked_for_again_and_holds_no_form(
    client: TestClient, database: Database
) -> None:
    opened(database)
    recorded(database, event(1, "start", at=NOW.isoformat(), expect_next_s=60))
    asks = {"HX-Request": "true", "HX-Request-Type": "partial"}
    path = f"/campaigns/{ID}/runs/a-01"
    first = client.get(path, headers=asks)
    live = HTMLParser(first.text)
    block = live.css_first("#live")
    assert block is not None
    assert (block.attributes["hx-get"], live.css("form"), live.css("nav")) == (path, [], [])
    tag = {**asks, "HX-PTag": first.headers["hx-ptag"]}
    assert client.get(path, headers=tag).status_code == 304
    recorded(database, event(2, progress=7, total=9))
    again = client.get(path, headers=tag)
    assert again.status_code == 200
    shown = HTMLParser(again.text).css_first("#live .figures")
    assert shown is not None
    assert "7 of 9" in shown.text()
    recorded(database, event(3, "finish", exit_code=0))
    over = HTMLParser(client.get(path).text).css_first("#live")
    assert over is not None
    assert "hx-get" not in over.attributes
