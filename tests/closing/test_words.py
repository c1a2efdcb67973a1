"""What a person writes at the close, and how the report says what others wrote as codes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app import clock
from bench.campaigns import plan_of
from tests.pages import read

C = "/api/v1/campaigns/small"
PAGE = "/campaigns/small"
WHY = {"step": "prepare", "category": "data", "sentence": "Fewer rows."}


def _sealed(client: TestClient) -> None:
    headers = {"Content-Type": "application/toml"}
    assert client.post("/api/v1/campaigns", content=plan_of("small", 4), headers=headers).is_success
    assert client.post(f"{C}/seal", json={}).status_code == 200


def _order(client: TestClient, hours: int) -> None:
    starts = clock.now() - timedelta(hours=1)
    body = {
        "provider": "iteragpu", "reference": "IG-1", "price": "390.00", "currency": "USD",
        "starts_at": starts.isoformat(), "ends_at": (starts + timedelta(hours=hours)).isoformat(),
    }  # fmt: skip
    assert client.post(f"{C}/orders", json=body).status_code == 201


def _close(client: TestClient, **changes: object) -> Any:
    body = {"outcome": "abandoned", "conclusion": "No.", "close_with_open_points": True, **changes}
    return client.post(f"{C}/close", json=body)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"step": "nowhere"}, "step"),
        ({"step": ""}, "step"),
        ({"sentence": "a\x00b"}, "sentence"),
        ({"sentence": "bell\x07"}, "sentence"),
        ({"sentence": " \r\n "}, "sentence"),
        ({"category": "luck"}, "category"),
    ],
)
def test_an_explanation_of_nothing_is_refused(
    client: TestClient, change: dict[str, str], field: str
) -> None:
    _sealed(client)
    refused = client.post(f"{C}/explanations", json={**WHY, **change})
    assert (refused.status_code, refused.json()["field"]) == (422, field)
    assert client.post(f"{C}/explanations", json=WHY).status_code == 201


def test_a_draft_owes_no_explanation(client: TestClient) -> None:
    headers = {"Content-Type": "application/toml"}
    client.post("/api/v1/campaigns", content=plan_of("small", 4), headers=headers)
    assert client.post(f"{C}/explanations", json=WHY).status_code == 409


@pytest.mark.parametrize("conclusion", ["a\x00b", "\x1b[31mred", "\x7f", "\u0085"])
def test_a_conclusion_without_signs_that_nobody_sees(client: TestClient, conclusion: str) -> None:
    _sealed(client)
    refused = _close(client, conclusion=conclusion)
    assert (refused.status_code, refused.json()["field"]) == (422, "conclusion")


def test_lines_of_a_conclusion_are_kept_in_one_form(client: TestClient) -> None:
    _sealed(client)
    assert _close(client, conclusion=" Two\r\nlines, e\u0301 ").status_code == 200
    assert client.get(f"{C}/report").json()["conclusion"] == "Two\nlines, \u00e9"


@pytest.mark.parametrize("hours", [3, 72])
def test_what_is_left_counts_to_the_close_whatever_the_forecast_was(
    client: TestClient, hours: int
) -> None:
    """Work of 31 h is still ahead: in a lot of 3 h the forecast exceeds, the close does not."""
    _sealed(client)
    _order(client, hours)
    _close(client)
    spare = client.get(f"{C}/report").json()["spare_s"]
    assert abs(spare - (hours - 1) * 3600) < 120
    shown = float(client.get(f"{C}/timeline").json()["spare_hours"])
    assert abs(shown * 3600 - spare) < 2


def test_without_an_order_and_a_start_there_is_no_window_to_count(client: TestClient) -> None:
    _sealed(client)
    _close(client)
    assert client.get(f"{C}/report").json()["spare_s"] is None
    assert client.get(f"{C}/timeline").json()["spare_hours"] is None


def test_amounts_are_text_in_their_currency(client: TestClient) -> None:
    _sealed(client)
    _order(client, 72)
    charge = {"kind": "storage", "amount": "7071", "currency": "JPY", "charged_on": "2026-12-01"}
    assert client.post(f"{C}/expenses", json=charge).status_code == 201
    _close(client)
    report = client.get(f"{C}/report").json()
    assert (report["orders"][0]["price"], report["orders"][0]["net"]) == ("390.00", "390.00")
    assert [(row["amount"], row["currency"]) for row in report["expenses"]] == [("7071", "JPY")]
    assert [(line["committed"], line["external"], line["unit"]) for line in report["money"]] == [
        ("390.00", "0.00", None),
        ("0", "7071", None),
    ]


@pytest.mark.parametrize("path", [f"{PAGE}/closing", f"{PAGE}/report"])
@pytest.mark.parametrize(
    ("language", "choice", "kind"),
    [("en", "Continue", "Storage"), ("de", "Fortfahren", "Speicher"), ("vi", "", "")],
)
def test_codes_are_said_in_words(
    client: TestClient, path: str, language: str, choice: str, kind: str
) -> None:
    _sealed(client)
    client.post(f"{C}/decisions", json={"choice": "continue", "reason": "So it is."})
    charge = {"kind": "storage", "amount": "7.00", "currency": "USD", "charged_on": "2026-12-01"}
    client.post(f"{C}/expenses", json=charge)
    _close(client)
    tree = read(client.get(path, headers={"Accept-Language": language}))
    said = tree.css_first("#decisions li")
    assert said is not None
    assert "continue (" not in said.text()
    assert "continue:" not in said.text()
    assert choice in said.text()
    table = tree.css_first("#committed table")
    assert table is not None
    assert "storage" not in table.text()
    assert "2026-12-01" not in table.text()
    assert kind in table.text()


def test_a_step_that_never_ran_is_not_told_as_yet_to_come(client: TestClient) -> None:
    _sealed(client)
    _close(client)
    tree = read(client.get(f"{PAGE}/report"))
    cells = [" ".join(cell.text().split()) for cell in tree.css("#steps td.num")]
    assert any("it did not run" in cell for cell in cells)
    assert not any("not yet" in cell for cell in cells)
