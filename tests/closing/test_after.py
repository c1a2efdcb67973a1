"""After the close: what stood open stays as it was sealed, and what came since stands apart."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from app import clock
from app.closing.rules.checklist import Point, Standing, checklist
from app.closing.rules.plain import from_record, to_record
from app.closing.rules.report import Report
from app.db import Database
from app.journal import append
from app.journal.verify import rebuild_database, verify_database
from app.texts import text
from tests.closing.test_close import DESK, _close, _prepared
from tests.closing.test_rules import _report
from tests.conftest import PERSON
from tests.pages import read, submit
from tests.prepared import API, ordered

BASE = "/campaigns/small"
PLACE = "/deliverables/predictions/places"
SUBMISSIONS = "/api/v1/deliverables/predictions/submissions"
MANIFEST = {"files": [{"path": "a.csv", "size": 9, "sha256": "b" * 64}], "runs": ["r-0"]}
EVIDENCE = {"submission_id": "c" * 32, "manifest": MANIFEST, "machine_id": "1" * 64}
SHOWN = (f"{BASE}/closing", f"{BASE}/report")


def _points(tree: HTMLParser) -> list[tuple[str, str | None, bool]]:
    """What each line of the checklist says, its mark, and whether it is red."""
    return [
        (
            " ".join(line.text(separator=" ").split()),
            line.css_first("svg use").attributes["href"],  # type: ignore[union-attr]
            "c-fail" in (line.attributes.get("class") or "").split(),
        )
        for line in tree.css("#open-points .checklist li")
    ]


def _said(tree: HTMLParser, where: str) -> list[str]:
    return [" ".join(line.text(separator=" ").split()) for line in tree.css(where)]


def _submitted(client: TestClient, token: str) -> None:
    checks = [{"kind": "non_empty", "passed": True}]
    answer = client.post(
        SUBMISSIONS,
        json={**EVIDENCE, "checks": checks},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert (answer.status_code, answer.json()["state"]) == (201, "accepted")


def _after_the_close(client: TestClient, token: str) -> None:
    """Every kind of thing that is taken after the close."""
    headers = {"Authorization": f"Bearer {token}"}
    checks = [{"kind": "non_empty", "passed": True}]
    proof = {**EVIDENCE, "checks": checks, "retrieved": True, "machine_id": "2" * 64}
    kept = client.post(SUBMISSIONS, json={**proof, "host": "desk"}, headers=headers)
    assert kept.status_code == 201, kept.text
    where = {"where.predictions": "shelf 4", "seen_on.predictions": "2026-11-30"}
    page = f"{BASE}/deliverables/predictions"
    assert submit(client, page, f'form[action="{BASE}{PLACE}"]', where).status_code == 303
    fail = {"attempt_id": "1" * 32, "seq": 9, "reason_code": "infra"}
    for run in ("r-0", "r-9"):
        posted = client.post(f"/api/v1/runs/{run}/fail", json=fail, headers=headers)
        assert posted.status_code == 200


def test_what_was_open_at_the_close_stays_as_it_stood(
    client: TestClient, database: Database
) -> None:
    token = _prepared(client)
    started = {"attempt_id": "e" * 32, "source": "main", "seq": 1, "step": "step-2"}
    headers = {"Authorization": f"Bearer {token}"}
    body = {**started, "config_sha256": "d" * 64}
    assert client.post("/api/v1/runs/r-2/start", json=body, headers=headers).status_code == 200
    _submitted(client, token)
    before = _points(read(client.get(f"{BASE}/closing")))
    left = [said for said, mark, _ in before if not (mark or "").endswith("done")]
    assert "Still going: r-2" in left
    assert "1 accepted deliverable is not retrieved" in left
    _close(client)
    _after_the_close(client, token)
    for page in SHOWN:
        tree = read(client.get(page))
        assert _points(tree) == before
        count = tree.css_first("#open-points b")
        assert count is not None
        assert count.text() == f"Closed with {len(left)} open points"
    kept = client.get(f"{API}/report").json()
    assert [one["said"] for one in kept["checklist"] if one["is_open"]] == kept["open_points"]
    assert len(kept["checklist"]) == len(before)
    rebuild_database(database.write_engine)
    assert verify_database(database.write_engine).findings == ()
    assert _points(read(client.get(f"{BASE}/closing"))) == before


def test_red_marks_are_kept(client: TestClient) -> None:
    ordered(client)
    assert _close(client).status_code == 200
    red = ["Stop rule loss-not-finite was never judged"]
    kept = client.get(f"{API}/report").json()["checklist"]
    assert [one["said"] for one in kept if one["is_red"]] == red
    for page in SHOWN:
        assert [said for said, _, is_red in _points(read(client.get(page))) if is_red] == red


def test_what_an_earlier_version_did_not_keep_is_said_so(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    _prepared(client)

    def as_before(report: Report) -> Any:
        return {name: kept for name, kept in to_record(report).items() if name != "checklist"}

    monkeypatch.setattr("app.closing.commands.to_record", as_before)
    _close(client)
    found = client.get(f"{API}/report").json()
    assert found["checklist"] is None
    for page in SHOWN:
        tree = read(client.get(page))
        shown = [said for said, _, _ in _points(tree)]
        assert shown == found["open_points"] != []
        note = tree.css_first("#open-points > .note")
        assert note is not None
        assert "not recorded" in note.text()


def test_what_came_since_stands_apart_with_its_links(client: TestClient) -> None:
    token = _prepared(client)
    _submitted(client, token)
    _close(client)
    before = client.get(f"{API}/report").json()
    for page in SHOWN:
        nothing = read(client.get(page)).css_first("#errata .none")
        assert nothing is not None
        assert nothing.text() == "Nothing has come since."
    _after_the_close(client, token)
    after = client.get(f"{API}/report").json()
    names = ("errata", "retrievals", "places")
    since = {name: after.pop(name) for name in names}
    assert after == {name: value for name, value in before.items() if name not in names}
    assert [(one["run"], one["known"]) for one in since["errata"]] == [
        ("r-0", True),
        ("r-9", False),
    ]
    assert [(one["deliverable"], one["host"]) for one in since["retrievals"]] == [
        ("predictions", "desk")
    ]
    assert [(one["place"], one["seen_on"]) for one in since["places"]] == [
        ("shelf 4", "2026-11-30")
    ]
    assert client.get(f"{BASE}/report.json").json() == client.get(f"{API}/report").json()
    for page in SHOWN:
        tree = read(client.get(page))
        links = [link.attributes["href"] or "" for link in tree.css("#errata a")]
        assert links[:2] == [f"{BASE}/runs/r-0", f"{BASE}/runs/r-9"]
        assert all(client.get(href).status_code == 200 for href in links)
        assert _said(tree, "#errata #late li")[1].startswith("r-9 first heard of after the close")
        assert _said(tree, "#errata #retrieved li")[0].startswith("Predictions : retrieved ")
        assert _said(tree, "#errata #placed li")[0].startswith("Predictions : shelf 4 seen there")


def test_money_that_came_since_stands_apart(client: TestClient, database: Database) -> None:
    _prepared(client)
    number = client.get(f"{API}/orders").json()["items"][0]["number"]
    _close(client)
    before = client.get(f"{API}/report").json()
    common = {"currency": "USD", "after_close": True}
    refund = {
        **common, "order": number, "kind": "refund", "amount_minor": -500, "provider": "iteragpu",
        "reference": "IG-1", "plan_version": 1, "on": "2026-12-02", "reason": "Two hours down.",
    }  # fmt: skip
    invoice = {
        **common, "kind": "storage", "amount_minor": 320, "charged_on": "2026-12-02",
        "note": None, "reference": "INV-7", "corrects": None,
    }  # fmt: skip
    for kind, said in (("order.reversed", refund), ("expense.charged", invoice)):
        _append(database, kind, said)
    after = client.get(f"{API}/report").json()
    charges = after.pop("charges")
    assert before.pop("charges") == []
    assert after == before
    assert [(one["order"], one["kind"], one["amount"], one["why"]) for one in charges] == [
        ("iteragpu IG-1", None, "-5.00", "Two hours down."),
        (None, "storage", "3.20", "INV-7"),
    ]
    for page in SHOWN:
        first, second = _said(read(client.get(page)), "#errata #charged li")
        assert first.startswith("iteragpu IG-1 : −5.00 USD Two hours down.")
        assert second.startswith("Storage : 3.20 USD INV-7")


def _append(database: Database, kind: str, said: dict[str, Any]) -> None:
    database.write("small", lambda tx: append(tx, "small", kind, PERSON, said, clock.now()))


def test_a_preview_has_no_life_after_the_close(client: TestClient) -> None:
    _prepared(client)
    tree = read(client.get(f"{BASE}/report"))
    assert tree.css_first("#errata") is None
    head = tree.css_first("#open-points h2")
    assert head is not None
    assert head.text() == "What is still open"


def test_what_a_stale_desk_sends_is_refused_in_words(client: TestClient) -> None:
    _prepared(client)
    desk = client.get(f"{BASE}/closing")
    form = read(desk).css_first(f"{DESK} input[name=csrf_token]")
    assert form is not None
    token = {"csrf_token": str(form.attributes["value"])}
    _close(client)
    stale = {
        f"{BASE}/close": {"outcome": "positive", "conclusion": "x", "sentence": "half"},
        f"{BASE}/closing/silent": {"how": "lost", "silent_reason": ""},
        f"{BASE}/closing/explanations": {"step": "none", "category": "data", "sentence": ""},
    }
    for path, said in stale.items():
        answer = client.post(path, data={**said, **token})
        assert answer.status_code == 409, path
        words = read(answer).css_first("main")
        assert words is not None
        assert "This campaign was closed. Its record is not changed any more." in words.text()


@pytest.mark.parametrize("path", ["close", "closing/explanations", "closing/silent"])
def test_where_a_form_is_sent_to_leads_a_reader_to_its_page(client: TestClient, path: str) -> None:
    """A refused form stands at that address, where another language may be chosen."""
    ordered(client)
    for _ in range(2):
        answer = client.get(f"{BASE}/{path}")
        assert (answer.status_code, answer.headers["location"]) == (303, f"{BASE}/closing")
        _close(client)


def test_silent_runs_have_a_point_of_their_own() -> None:
    points = checklist(Standing((), (), (), (), 0, 0, ("a",), 0, silent=("b", "c")))
    assert [str(point.said) for point in points if point.is_open] == [
        "Still going: a",
        "Silent, and nobody said how it ended: b, c",
    ]


def test_a_record_without_a_checklist_is_read_as_it_was() -> None:
    kept = _report(checklist=(Point(text("Never judged"), True, "runs", is_red=True),))
    assert from_record(Report, to_record(kept)) == kept
    older = {name: value for name, value in to_record(kept).items() if name != "checklist"}
    assert from_record(Report, older).checklist is None
