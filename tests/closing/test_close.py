"""The close on real databases: explained, refused while open, final, and proven."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from app import clock
from app.closing.queries import closing
from app.db import Database
from app.journal.chain import read_head
from app.journal.verify import rebuild_database, verify_database
from bench.campaigns import plan_of
from tests.pages import fields, read, send, submit
from tests.prepared import API, ordered

SHA = "a" * 64
DESK, CLOSES = "form#desk-form", "#close .actions button"


def _prepared(client: TestClient) -> str:
    """A sealed, ordered campaign of four steps with a control and a variant done."""
    token = ordered(client, hours_ago=9)
    for number, f1 in (("0", "0.70"), ("1", "0.73")):
        _run(client, token, f"r-{number}", f"step-{number}", f1)
    return token


def _run(client: TestClient, token: str, run: str, step: str, f1: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    attempt = hashlib.sha256(run.encode()).hexdigest()[:32]
    common = {"attempt_id": attempt, "source": "main"}
    at = clock.now()
    start = {**common, "seq": 1, "step": step, "config_sha256": SHA, "at": at.isoformat()}
    assert client.post(f"/api/v1/runs/{run}/start", json=start, headers=headers).status_code == 200
    end = {**common, "seq": 2, "at": at.isoformat(), "metrics": {"f1": float(f1), "loss": 0.1}}
    assert client.post(f"/api/v1/runs/{run}/finish", json=end, headers=headers).status_code == 200


def _close(client: TestClient, **changes: object) -> Any:
    body = {
        "outcome": "positive",
        "conclusion": "Variant 1 gains 0.03.",
        "close_with_open_points": True,
    }
    return client.post(f"{API}/close", json={**body, **changes})


def test_a_close_with_open_points_must_be_said(client: TestClient) -> None:
    _prepared(client)
    refused = _close(client, close_with_open_points=False)
    assert refused.status_code == 409
    assert refused.json()["field"] == "close_with_open_points"
    assert _close(client).status_code == 200


@pytest.mark.parametrize(
    ("changes", "status", "field"),
    [
        ({"outcome": "won"}, 422, "outcome"),
        ({"conclusion": "  "}, 422, "conclusion"),
        ({"conclusion": "x" * 4001}, 422, "conclusion"),
        ({"more": 1}, 422, "more"),
    ],
)
def test_what_is_wrong_is_named(
    client: TestClient, changes: dict[str, object], status: int, field: str
) -> None:
    _prepared(client)
    answer = _close(client, **changes)
    assert (answer.status_code, answer.json()["field"]) == (status, field)
    assert client.get(f"{API}/report").json()["closed_at"] is None


def test_a_draft_cannot_be_closed(client: TestClient) -> None:
    client.post(
        "/api/v1/campaigns",
        content=plan_of("small", 4),
        headers={"Content-Type": "application/toml"},
    )
    assert _close(client).status_code == 409


def test_after_the_close_every_write_is_refused(client: TestClient) -> None:
    _prepared(client)
    assert _close(client).status_code == 200
    now = clock.now().isoformat()
    order = {
        "provider": "x",
        "reference": "y",
        "price": None,
        "currency": "USD",
        "starts_at": now,
        "ends_at": now,
    }
    writes = {
        f"{API}/close": {"outcome": "negative", "conclusion": "Again."},
        f"{API}/seal": {"reason": "late"},
        f"{API}/orders": {**order, "ends_at": (clock.now() + timedelta(hours=1)).isoformat()},
        f"{API}/expenses": {
            "kind": "storage",
            "amount": "1.00",
            "currency": "USD",
            "charged_on": "2026-12-01",
        },
        f"{API}/decisions": {"choice": "continue", "reason": "late"},
        f"{API}/explanations": {"step": "prepare", "category": "data", "sentence": "late"},
        f"{API}/steps/prepare/time": {"started_at": now},
    }
    for path, body in writes.items():
        assert client.post(path, json=body).status_code == 409, path
    away = client.post(f"{API}/runs/r-0/archive", json={"reason": "late"})
    assert away.status_code == 409


def test_what_comes_after_the_close_stands_beside_the_report(client: TestClient) -> None:
    token = _prepared(client)
    _close(client)
    before = client.get(f"{API}/report").json()
    assert before["errata"] == []
    runs = client.get(f"{API}/runs").json()
    fail = {"attempt_id": "1" * 32, "seq": 9, "reason_code": "infra", "at": "2026-12-01T02:10:00Z"}
    for name in ("r-0", "r-9"):
        answer = client.post(
            f"/api/v1/runs/{name}/fail", json=fail, headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 200
        assert "changes no figure" in answer.json()["warnings"][0]
    after = client.get(f"{API}/report").json()
    errata = after.pop("errata")
    assert after == {name: value for name, value in before.items() if name != "errata"}
    assert client.get(f"{API}/runs").json() == runs
    assert [(one["run"], one["events"], one["status"]) for one in errata] == [
        ("r-0", 1, "failed"),
        ("r-9", 1, "failed"),
    ]
    assert errata[0]["said"].startswith("came after the close: 1 event; says: failed")
    assert client.get("/campaigns/small/report.json").json()["errata"] == errata
    for page in ("/campaigns/small/report", "/campaigns/small/closing"):
        lines = [line.text() for line in read(client.get(page)).css("#errata li")]
        assert [line.split()[0] for line in lines] == ["r-0", "r-9"]


def test_the_report_says_what_was_committed_accepted_and_decided(client: TestClient) -> None:
    _prepared(client)
    client.post(
        f"{API}/explanations",
        json={"step": "step-0", "category": "estimate", "sentence": "Small data."},
    )
    preview = client.get(f"{API}/report").json()
    head = _close(client).json()
    report = client.get(f"{API}/report").json()
    assert report["outcome"] == "positive"
    assert report["proposed"] == "positive"
    assert (report["head_number"], report["head_sha256"]) == (head["number"], head["sha256"])
    assert report["money"][0]["committed"] == "390.00"
    assert report["accepted"] == 0
    assert [line["verdict"] for line in report["rule"]][:2] == ["control", "passes"]
    rows = {row["step"]: row for row in report["steps"]}
    assert rows["step-0"]["sentence"] == "Small data."
    ended = {"not_started": "never_started"}
    expected = [{**row, "state": ended.get(row["state"], row["state"])} for row in preview["steps"]]
    assert report["steps"] == expected
    assert {row["state"] for row in report["steps"]} == {"done", "never_started"}
    assert report["orders"][0]["reference"] == "IG-1"


def test_the_closed_report_never_changes(client: TestClient, database: Database) -> None:
    _prepared(client)
    _close(client)
    before = client.get(f"{API}/report").json()
    rebuild_database(database.write_engine)
    assert client.get(f"{API}/report").json() == before
    assert verify_database(database.write_engine).findings == ()


def test_the_page_closes_and_then_shows_the_report(client: TestClient) -> None:
    _prepared(client)
    page = "/campaigns/small/closing"
    kept_words = {"outcome": "positive", "conclusion": "Kept words."}
    refused = submit(client, page, DESK, kept_words, CLOSES)
    assert refused.status_code == 409
    area = read(refused).css_first("textarea[name=conclusion]")
    assert area is not None
    assert area.text().strip() == "Kept words."
    said = {"outcome": "positive", "conclusion": "Ship.", "with_open_points": "yes"}
    done = submit(client, page, DESK, said, CLOSES)
    assert done.status_code == 303
    shown = read(client.get(page))
    assert shown.css_first(DESK) is None
    line = shown.css_first("#answer")
    assert line is not None
    assert line.text(strip=True).startswith("Closed: Ship, decided with ")


def test_an_explanation_is_kept_and_shown(client: TestClient) -> None:
    _prepared(client)
    page = "/campaigns/small/closing"
    empty = submit(client, page, DESK, step="step-0", category="data", sentence=" ")
    assert empty.status_code == 422
    kept = submit(client, page, DESK, step="step-0", category="data", sentence="Fewer rows.")
    assert kept.status_code == 303
    row = read(client.get(page)).css_first("#gap-step-0")
    assert row is not None
    assert "Fewer rows." in row.text()


def _typed(tree: HTMLParser) -> dict[str, str | list[str]]:
    form = tree.css_first(DESK)
    assert form is not None
    found = fields(form)
    return {name: found[name] for name in found if name not in ("csrf_token", "proposed")}


def test_no_button_of_the_desk_loses_what_was_typed_for_another(
    client: TestClient, database: Database
) -> None:
    """As a browser without JavaScript sends it: one form, whichever button is pressed."""
    _prepared(client)
    page = "/campaigns/small/closing"
    close = {"outcome": "negative", "conclusion": "Half a\nsentence", "with_open_points": "yes"}
    typed = {**close, "step": "step-1", "category": "data", "sentence": "Fewer rows."}
    picked = submit(client, page, DESK, typed, "#gap-step-2 button")
    assert picked.status_code == 200
    assert _typed(read(picked)) == {**typed, "step": "step-2"}
    refused = send(client, picked, DESK, {"sentence": "x" * 4001})
    assert refused.status_code == 422
    assert _typed(read(refused)) == {**typed, "step": "step-2", "sentence": "x" * 4001}
    unkept = send(client, refused, DESK, {"sentence": "Fewer rows."}, CLOSES)
    assert unkept.status_code == 422
    assert read(unkept).css_first("#f-sentence-error") is not None
    assert _typed(read(unkept)) == {**typed, "step": "step-2"}
    kept = send(client, unkept, DESK)
    assert kept.status_code == 200
    row, notice = read(kept).css_first("#gap-step-2"), read(kept).css_first("#explain .notice")
    assert row is not None
    assert notice is not None
    assert "Fewer rows." in row.text()
    left = _typed(read(kept))
    assert {name: left[name] for name in close} == close
    assert left["sentence"] == ""
    before = _head(database)
    assert send(client, unkept, DESK).status_code == 200
    assert _head(database) == before
    assert send(client, kept, DESK, button=CLOSES).status_code == 303


def _head(database: Database) -> int:
    with database.read() as session:
        return read_head(session, "small").number


def test_the_report_is_one_page_that_needs_nothing_else(client: TestClient) -> None:
    _prepared(client)
    _close(client)
    answer = client.get("/campaigns/small/report")
    tree = read(answer)
    assert tree.css("link[rel=stylesheet], script, img[src]") == []
    assert "'sha256-" in answer.headers["content-security-policy"]
    footer = tree.css_first("footer code")
    assert footer is not None
    assert footer.text() == client.get(f"{API}/report").json()["head_sha256"]


def test_the_other_forms_carry_the_same_data(client: TestClient) -> None:
    _prepared(client)
    _close(client)
    assert (
        json.loads(client.get("/campaigns/small/report.json").text)
        == client.get(f"{API}/report").json()
    )
    table = client.get("/campaigns/small/report.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert len(table.text.strip().split("\r\n")) == 5


def test_something_recorded_meanwhile_asks_for_another_look(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    _prepared(client)

    def then_a_decision(*args: Any) -> Any:
        found = closing(*args)
        client.post(f"{API}/decisions", json={"choice": "continue", "reason": "meanwhile"})
        return found

    monkeypatch.setattr("app.closing.api.closing", then_a_decision)
    assert _close(client).status_code == 409


def test_unknown_campaigns_are_not_there(client: TestClient) -> None:
    for path in ("closing", "report", "report.json", "report.csv"):
        assert client.get(f"/campaigns/none/{path}").status_code == 404
    assert client.get("/api/v1/campaigns/none/report").status_code == 404


def test_work_that_the_plan_does_not_know_stands_in_the_report(client: TestClient) -> None:
    token = _prepared(client)
    _run(client, token, "contorl-01", "contorl", "0.71")
    before = client.get(f"{API}/report").json()["unplanned"]
    assert [(line["title"], line["state"], line["runs"]) for line in before] == [
        ("contorl", "done", ["contorl-01"])
    ]
    assert _close(client).status_code == 200
    assert client.get(f"{API}/report").json()["unplanned"] == before
    main = HTMLParser(client.get("/campaigns/small/report").text).css_first("#steps")
    assert main is not None
    assert "Not planned: contorl" in main.text()
