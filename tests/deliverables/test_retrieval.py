"""What is only on the rented machine, until when, and what a person may say of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from app import clock
from app.db import Database
from app.deliverables.commands import lose
from app.deliverables.rules.evidence import Posted
from app.deliverables.rules.left import begin_said, left_said
from app.deliverables.rules.retrieval import (
    Pending,
    Whereabouts,
    Window,
    begin_by,
    pending,
    reloaded,
    settled,
    whereabouts,
)
from app.deliverables.rules.standing import Loss, Retrieval, State
from app.errors import AppError, Closed, Conflict, Malformed
from app.main import create_app
from app.plan.rules.model import Check, CheckKind
from app.settings import Settings
from app.units import instant_text
from tests.conftest import NOW
from tests.deliverables.campaigns import JOB, closed, opened, sent, standing
from tests.deliverables.plans import HOME, ID, all_passed, line, submission
from tests.deliverables.test_later_checks import results
from tests.deliverables.test_standing import standing as stands
from tests.pages import submit as press

HOUR = timedelta(hours=1)
WINDOW = Window(NOW - HOUR, NOW + 4 * HOUR)
LATER = Window(NOW + 3 * HOUR, NOW + 9 * HOUR)
PROOF = Retrieval(7, "predictions", 5, NOW, "home", HOME)
LOSS = Loss(8, "predictions", 5, NOW, "local", "the disk was wiped")
PAGE = f"/campaigns/{ID}/deliverables/predictions"
API = f"/api/v1{PAGE}"


@pytest.fixture
def browser(settings: Settings, sqlite: Database) -> TestClient:
    """A browser of an app on SQLite."""
    return TestClient(create_app(settings, sqlite, b"a secret"), follow_redirects=False)


def found(now: datetime = NOW, windows: tuple[Window, ...] = (WINDOW,), **more: Any) -> Any:
    return whereabouts(stands(**more), windows, now)


def test_files_are_there_until_the_window_ends_and_then_nothing_is_known() -> None:
    assert found() == (Whereabouts.THERE, WINDOW.usable_until)
    assert found(WINDOW.usable_until - timedelta(seconds=1))[0] is Whereabouts.THERE
    assert found(WINDOW.usable_until)[0] is Whereabouts.UNPROVEN
    assert found(NOW + 1000 * HOUR)[0] is Whereabouts.UNPROVEN


def test_a_proof_settles_it_whatever_was_said_before() -> None:
    late = NOW + 100 * HOUR
    assert found(late, lost=LOSS)[0] is Whereabouts.LOST
    assert found(late, lost=LOSS, retrieved=PROOF)[0] is Whereabouts.RETRIEVED


def test_only_what_came_and_is_not_rejected_is_somewhere() -> None:
    assert found(newest=None, state=State.ANNOUNCED) is None
    assert found(state=State.REJECTED) is None


def test_without_a_window_nothing_says_until_when() -> None:
    assert found(windows=()) == (Whereabouts.THERE, None)
    assert found(NOW + 1000 * HOUR, windows=()) == (Whereabouts.THERE, None)


@pytest.mark.parametrize(
    ("made_at", "ends_at"),
    [
        (NOW, WINDOW.usable_until),
        (NOW + 3 * HOUR, WINDOW.usable_until),  # both windows hold: the earlier end is the safe one
        (NOW + 5 * HOUR, LATER.usable_until),
        (NOW - 2 * HOUR, LATER.usable_until),  # before any of them
    ],
)
def test_the_window_is_that_of_the_machine_that_verified(
    made_at: datetime, ends_at: datetime
) -> None:
    assert found(windows=(WINDOW, LATER), newest=line(made_at=made_at))[1] == ends_at


def test_what_was_verified_after_every_window_is_on_no_rented_machine() -> None:
    made = line(made_at=WINDOW.usable_until)
    assert found(NOW + 100 * HOUR, newest=made)[0] is Whereabouts.ELSEWHERE


def test_pulling_begins_as_long_before_the_end_as_the_bytes_take() -> None:
    end = WINDOW.usable_until
    assert begin_by([(end, 45 * 10**9)], 100 * 10**6, None) == end - HOUR
    assert begin_by([(end, 1)], 3, 3600) == end - timedelta(seconds=3)  # rounded up
    assert begin_by([(end, 10**12)], None, 3600) == end - HOUR
    assert begin_by([(end, 10**12)], None, None) is None
    assert begin_by([], 1, 1) is None
    assert begin_by([(end, 10**15)], 1, None) == end - timedelta(days=36_500)


ENDS = st.integers(0, 10**5).map(lambda s: NOW + timedelta(seconds=s))


@given(st.lists(st.tuples(ENDS, st.integers(0, 10**12)), min_size=1, max_size=6),
       st.integers(10**6, 10**10))  # fmt: skip
def test_begun_in_time_all_of_it_arrives_in_time(
    sizes: list[tuple[datetime, int]], rate_bps: int
) -> None:
    """One after the other, what ends first first; a second later something would be too late."""

    def arrives(start: datetime) -> bool:
        total = 0
        for ends_at, size in sorted(sizes):
            total += size
            if (ends_at - start) // timedelta(microseconds=1) * rate_bps < total * 8 * 10**6:
                return False
        return True

    start = begin_by(sizes, rate_bps, None)
    assert start is not None
    assert arrives(start)
    assert not arrives(start + timedelta(seconds=1))


def test_the_counts_of_a_campaign_and_how_they_are_said() -> None:
    made = stands(newest=line(size_bytes=45 * 10**9))
    other = stands(id="b", title="B", newest=line(size_bytes=0), retrieved=PROOF)
    gone = stands(id="c", title="C", newest=None, state=State.ANNOUNCED)
    left = pending((made, other, gone), [WINDOW], 100 * 10**6, 60, NOW)
    assert left == Pending(
        ("Predictions",), 45 * 10**9, WINDOW.usable_until - HOUR, True, WINDOW.usable_until, (),
        0, 0,
        (("predictions", Whereabouts.THERE), ("b", Whereabouts.RETRIEVED)),
    )  # fmt: skip
    words = left_said(left)
    assert str(words.there) == "1 deliverable is only on the rented machine"
    assert str(words.size) == "41.9 GiB"
    assert words.unproven is None
    after = left_said(pending((made, other), [WINDOW], None, None, WINDOW.usable_until))
    assert (after.there, after.begin) == (None, None)
    assert str(after.unproven) == "1 deliverable: retrieval not proven, window over"


def test_newest_checkpoints_are_counted_until_their_window_ends() -> None:
    end = WINDOW.usable_until
    saved: list[tuple[datetime, int | None]] = [(NOW, 2**30), (NOW + HOUR, 2**30), (end, 5)]
    left = pending((), [WINDOW], None, None, NOW, saved)
    assert (left.checkpoints, left.checkpoint_bytes) == (2, 2**31)
    said = str(left_said(left).checkpoints)
    assert said == "The newest checkpoints of 2 runs lie on the rented machine (2.0 GiB)."
    unknown = pending((), [WINDOW], None, None, NOW, [*saved, (NOW, None)])
    assert (unknown.checkpoints, unknown.checkpoint_bytes) == (3, None)
    assert "(size not stated)" in str(left_said(unknown).checkpoints)
    assert left_said(pending((), [WINDOW], None, None, end, saved)).checkpoints is None
    assert left_said(pending((), [], None, None, NOW, saved)).checkpoints is None


def test_where_nothing_says_how_long_it_takes_that_is_said() -> None:
    said = begin_said(pending((stands(),), [WINDOW], None, None, NOW))
    assert "Neither a transfer rate nor a retrieval step" in str(said)
    assert "No window is known" in str(begin_said(pending((stands(),), [], 1, 1, NOW)))


def test_a_reload_at_home_is_a_result_of_its_own() -> None:
    check = Check(CheckKind.RELOAD, command="x")
    assert reloaded(results(check, Posted("reload", True))) == "passed"
    assert reloaded(results(check, Posted("reload", False))) == "failed"
    assert reloaded(results(check, Posted("reload", False, not_run=True))) == "not_run"
    assert reloaded(results(check)) == "not_run"
    assert reloaded(results(Check(CheckKind.NON_EMPTY), Posted("reload", True))) is None


def test_a_reload_that_was_tried_stands_until_it_is_tried_again() -> None:
    def after(*said: str | None) -> str | None:
        return settled([replace(PROOF, number=n, reloaded=one) for n, one in enumerate(said)])[
            5
        ].reloaded

    assert after("passed", "not_run") == "passed"
    assert after("passed", "failed", "not_run") == "failed"
    assert after("not_run", "passed") == "passed"
    assert after(None, "not_run") == "not_run"


# -- in a campaign ----------------------------------------------------------------------------


def said_lost(database: Database, reason: str = "the disk was wiped", **more: Any) -> Any:
    def command(tx: Any) -> Loss | AppError:
        return lose(tx, ID, "predictions", reason, actor=JOB, now=NOW, **more)

    return database.write(ID, command)


def prove(database: Database, reload: Posted | None = None) -> None:
    checks = all_passed() if reload is None else (*all_passed()[:3], reload)
    sent(
        database,
        submission(submission_id="9" * 32, machine_id=HOME, host="home", checks=checks,
                   retrieved=True),
    )  # fmt: skip


def test_a_loss_is_one_entry_and_a_later_proof_settles_it(sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    first = said_lost(sqlite)
    assert said_lost(sqlite) == first
    stood = standing(sqlite)
    assert stood.lost is not None
    assert stood.newest is not None
    assert (stood.lost.reason, stood.lost.submission) == ("the disk was wiped", stood.newest.number)
    prove(sqlite)
    assert standing(sqlite).retrieved is not None
    with pytest.raises(Conflict, match="Its retrieval is proven"):
        said_lost(sqlite)


def test_a_loss_needs_a_reason_and_a_submission(sqlite: Database) -> None:
    opened(sqlite)
    with pytest.raises(Conflict, match="nothing can be lost"):
        said_lost(sqlite)
    sent(sqlite, submission())
    with pytest.raises(Malformed, match="How is it known"):
        said_lost(sqlite, "  ")
    with pytest.raises(Conflict, match="A newer submission"):
        said_lost(sqlite, submission=1)
    closed(sqlite)
    with pytest.raises(Closed):
        said_lost(sqlite)


def test_the_loss_of_an_older_submission_is_none_of_a_newer_one(sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    said_lost(sqlite)
    sent(sqlite, submission(submission_id="2" * 32))
    assert standing(sqlite).lost is None


def test_the_api_tells_each_check_with_who_when_and_by_what(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    output = "\n".join(f"line {number}" for number in range(40))
    at = "2026-12-01T13:37:00Z"
    posted = replace(all_passed()[3], evidence={"exit_code": 0, "output": output, "at": at})
    sent(sqlite, submission(checks=(*all_passed()[:3], posted)))
    prove(sqlite, Posted("reload", False, not_run=True, detail="no GPU"))
    told = browser.get(API).json()
    assert told["files_are"] == "retrieved"
    assert told["retrieved"]["reloaded"] == "not_run"
    check = told["evidence"][3]
    assert check["demands"] == "“python reload.py” succeeds in a new process"
    assert (check["status"], check["by"], check["host"], check["tool"]) == (
        "passed", "box", "box-1", "punktum/0.1.0",
    )  # fmt: skip
    assert check["at"] == instant_text(datetime.fromisoformat(at))
    assert check["output"].split("\n") == [f"line {number}" for number in range(28, 40)]
    home = told["at_home"][3]
    assert (home["status"], home["host"], home["tool"]) == ("not_run", "home", "punktum/0.1.0")


def test_the_api_counts_what_is_not_proven_and_takes_a_loss(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    listed = browser.get(f"/api/v1/campaigns/{ID}/deliverables").json()
    assert (listed["retrieval"]["only_there"], listed["retrieval"]["unproven"]) == (1, 0)
    assert listed["retrieval"]["size_bytes"] == listed["items"][0]["submission"]["size_bytes"]
    answer = browser.post(f"{API}/lost", json={"reason": "the disk was wiped"})
    assert (answer.status_code, answer.json()["reason"]) == (201, "the disk was wiped")
    assert browser.get(API).json()["files_are"] == "lost"
    assert browser.post(f"{API}/lost", json={"reason": ""}).status_code == 422
    assert browser.get(f"/api/v1/campaigns/{ID}/deliverables/none").status_code == 404


# -- pages ------------------------------------------------------------------------------------


def words(browser: TestClient, path: str, selector: str) -> list[str]:
    response = browser.get(path)
    assert response.status_code == 200
    tree = LexborHTMLParser(response.text)
    return [" ".join(node.text(separator=" ").split()) for node in tree.css(selector)]


def test_the_pages_count_until_the_end_and_say_that_nothing_is_known_after(
    browser: TestClient, sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    order = {
        "provider": "P", "reference": "1", "price": "47.14", "currency": "USD",
        "starts_at": "2026-12-01T12:00:00Z", "ends_at": "2026-12-02T12:00:00Z",
    }  # fmt: skip
    assert browser.post(f"/api/v1/campaigns/{ID}/orders", json=order).status_code == 201
    for path in (f"/campaigns/{ID}", f"/campaigns/{ID}/deliverables"):
        (there,) = words(browser, path, ".retrieving")
        assert there.startswith("1 deliverable is only on the rented machine (")
    monkeypatch.setattr(clock, "now", lambda: NOW + 300 * HOUR)
    for path in (f"/campaigns/{ID}", f"/campaigns/{ID}/deliverables"):
        assert words(browser, path, ".retrieving") == []
        (unproven,) = words(browser, path, ".unproven")
        assert unproven.startswith("1 deliverable: retrieval not proven, window over")
    pills = words(browser, PAGE, "#standing p:first-of-type")
    assert pills[0].endswith("Retrieval not proven, window over")


def test_a_person_says_lost_with_a_reason(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    sent(sqlite, submission())
    form = "#lost-predictions form"
    assert press(browser, PAGE, form, {"lost.predictions": " "}).status_code == 422
    done = press(browser, PAGE, form, {"lost.predictions": "the provider wiped it"})
    assert done.status_code == 303
    assert "Lost" in words(browser, PAGE, "#standing .badge")
    (act,) = words(browser, PAGE, "#history tbody tr:first-child")
    assert act.startswith("Lost")
    assert act.endswith("the provider wiped it")
    prove(sqlite)
    assert "Lost" not in words(browser, PAGE, "#standing .badge")
    assert words(browser, PAGE, form) == []


def test_the_page_shows_the_last_lines_and_what_was_found_at_home(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    posted = replace(all_passed()[3], evidence={"output": "loading\n0.82 <b>"})
    sent(sqlite, submission(checks=(*all_passed()[:3], posted)))
    assert words(browser, PAGE, "#checks tbody tr:last-child .code code") == ["loading 0.82 <b>"]
    assert words(browser, PAGE, "#home") == []
    prove(sqlite, Posted("reload", False, not_run=True, detail="no GPU at home"))
    assert words(browser, PAGE, "#home > p .badge, #home .card-body > p .badge")[:1] == ["Not run"]
    assert words(browser, PAGE, "#home tbody tr:last-child .ran")[0].startswith("box · home · ")


def test_the_report_tells_the_evidence_and_where_nothing_was_stated(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    posted = replace(all_passed()[3], evidence={"output": "0.82"})
    sent(sqlite, submission(checks=(*all_passed()[:3], posted)))
    path = f"/campaigns/{ID}/report"
    assert words(browser, path, "#accepted .output") == ["0.82"]
    assert any("punktum/0.1.0" in said for said in words(browser, path, "#accepted .ran"))
    rows = words(browser, path, "#accepted tbody tr")
    assert "not stated" in rows[0]
    told = browser.get(f"/api/v1/campaigns/{ID}/report").json()
    (check,) = [one for one in told["deliverables"][0]["evidence"] if one["output"]]
    assert (check["by"], check["status"]) == ("box", "passed")
