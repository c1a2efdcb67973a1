"""Links of a run: what is taken, how the newest word counts, where they are read back."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from app.db import Database
from app.runs.rules.reading import read_event
from app.runs.rules.started import links_of
from app.runs.rules.values import Unreadable
from punktum.links import ALLOWED, is_address
from tests.runs.campaigns import ID, SECOND, event, opened, recorded
from tests.runs.stories import started
from tests.runs.test_run_page import URL, browser, page
from tests.runs.test_stops_named import agrees
from tests.runs.test_viewing import kept

__all__ = ["browser"]
TRACKER = "https://mlflow.example/#/experiments/1/runs/2"
WRONG = [
    "javascript:alert(1)", "JaVaScRiPt://x/%0aalert(1)", "data:text/html,x", "vbscript:x",
    "file:///etc/passwd", "ftp://x.example/", "//x.example/", "/runs/1", "x.example", "", "https:",
    "https://", "https:///x", "https://?x", "http:x.example", " https://x.example",
    "https://x.example/a b", "https://x.example/\u202egnp", "https://\\x.example",
    f"https://x.example/{'a' * 1000}",
]  # fmt: skip
RIGHT = [
    TRACKER,
    "http://127.0.0.1:5000",
    "HTTPS://wandb.example/x?y=1#z",
    "https://bücher.example/ü",
]


@pytest.mark.parametrize("address", WRONG)
@pytest.mark.parametrize("kind", ["start", "beat", "checkpoint", "stop", "fail", "finish"])
def test_only_pages_are_linked_to(kind: str, address: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read_event(event(1, kind, links={"a": TRACKER, "page": address}))
    assert refused.value.field == "links.page"
    assert not is_address(address)
    if len(address) <= 1000:
        assert refused.value.allowed == ALLOWED


@pytest.mark.parametrize("address", RIGHT)
def test_pages_are_kept_as_they_came(address: str) -> None:
    assert read_event(event(1, "start", links={"a": address})).fields["links"] == {"a": address}


@pytest.mark.parametrize(
    "links",
    [
        {str(n): TRACKER for n in range(21)}, {"": TRACKER}, {"a" * 129: TRACKER}, [TRACKER],
        TRACKER, {"a": 1}, {"a": None}, {"a\n": TRACKER},
    ],
)  # fmt: skip
def test_so_many_links_with_names(links: Any) -> None:
    with pytest.raises(Unreadable) as refused:
        read_event(event(1, "start", links=links))
    assert refused.value.field.partition(".")[0] == "links"


def test_a_post_is_refused_by_the_field_and_what_is_right(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    form = {"step": "control", "config_sha256": "a" * 64, "links.x": "data:,"}
    json = {**event(1, "start"), "links": {"x": "javascript:alert(1)"}}
    for body in ({"json": json}, {"data": form}):
        answer = browser.post("/api/v1/runs/a-01/start", params={"campaign": ID}, **body)
        assert answer.status_code == 422
        said = answer.json()
        assert (said["field"], said["allowed"]) == ("links.x", list(ALLOWED))


def test_the_newest_attempts_word_counts_by_name() -> None:
    first = {"links": {"mlflow": "https://old.example/", "wandb": "https://w.example/"}}
    second = {"links": {"mlflow": TRACKER, "before": "javascript:alert(1)"}}
    attempts = [kept(2, [started()], start=second), kept(1, [started()], start=first)]
    expected = (("mlflow", TRACKER), ("wandb", "https://w.example/"))
    assert links_of(attempts) == links_of(attempts[::-1]) == expected
    assert links_of([kept(1, [started()])]) == ()


def _links(tree: HTMLParser) -> list[tuple[str, str | None, str | None]]:
    return [
        (one.text(), one.attributes.get("href"), one.attributes.get("rel"))
        for one in tree.css("#run .links a")
    ]


def test_links_are_on_the_page_and_in_the_api_and_made_again(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start", links={"wandb": "https://w.example/1", "mlflow": TRACKER}))
    recorded(sqlite, event(2, "fail", reason_code="infra"))
    again = event(1, "start", attempt_id=SECOND, links={"wandb": "https://w.example/2"})
    recorded(sqlite, again)
    rel = "noopener noreferrer"
    expected = {"mlflow": TRACKER, "wandb": "https://w.example/2"}
    assert _links(page(browser)) == [(name, where, rel) for name, where in expected.items()]
    assert browser.get(f"/api/v1{URL}/a-01").json()["links"] == expected
    assert [one["links"] for one in browser.get(f"/api/v1{URL}").json()["items"]] == [expected]
    agrees(sqlite)


def test_a_run_without_links_has_no_such_line(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, event(1, "start"))
    assert page(browser).css_first("#run .links") is None
    assert browser.get(f"/api/v1{URL}/a-01").json()["links"] == {}
