"""Every page of a closed campaign: what is offered works, and what is not offered says why not."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from app import rooms
from tests.closing.test_after import BASE, _submitted
from tests.closing.test_close import _close, _prepared
from tests.pages import read
from tests.prepared import API

TAKEN = {
    f"{BASE}/deliverables/predictions/places",
    f"{BASE}/connect/spool",
    f"{BASE}/connect/revoke",
}
"""What may still be sent: where files lie, a spool that came home, and a token's end."""
MONEY = (f"{BASE}/orders/", f"{BASE}/budget")
"""Where refunds and the rows of invoices are still taken: what else is sent there is refused."""
SHOWS = {f"{BASE}/closing"}
"""Posts that only show a page as it was typed."""
VALUES = {
    "campaign_id": "small",
    "deliverable": "predictions",
    "run_id": "r-0",
    "act": "lost",
    "slug": "lots",
    "step": "step-0",
    "step_id": "step-0",
}
FIELDS = {
    "step": "prepare",
    "starts": "2026-11-30T08:00",
    "ends": "2026-11-30T09:00",
    "reason": "late",
    "name": "box",
    "confirmed": "small",
    "id": "small",
}


def _closed(client: TestClient) -> dict[str, str]:
    """A closed campaign with an order, an expense, a deliverable and a span of people's time;
    returns the numbers of the order and the expense, by their rooms."""
    token = _prepared(client)
    _submitted(client, token)
    span = {"started_at": "2026-11-30T08:00:00Z", "ended_at": "2026-11-30T09:00:00Z"}
    logged = client.post(f"{API}/steps/prepare/time", json=span)
    assert logged.status_code == 201
    paid = {"kind": "storage", "amount": "3.00", "currency": "USD", "charged_on": "2026-12-01"}
    expense = client.post(f"{API}/expenses", json=paid).json()["number"]
    order = client.get(f"{API}/orders").json()["items"][0]["number"]
    assert _close(client).status_code == 200
    return {"orders": order, "budget": expense, "span": f"{logged.json()['number']}"}


def _pages(client: TestClient) -> Iterator[tuple[str, HTMLParser]]:
    """Every page of the campaign that a link leads to; of those with a question, one. None of the
    links leads to a refusal."""
    waiting, seen = [BASE], {BASE}
    while waiting:
        path = waiting.pop()
        answer = client.get(path)
        assert answer.status_code == 200, path
        if "html" not in answer.headers["content-type"]:
            continue
        tree = read(answer)
        yield path, tree
        for link in tree.css("a[href]"):
            href = (link.attributes["href"] or "").partition("#")[0].partition("?")[0]
            if href.startswith(f"{BASE}/") and href not in seen:
                seen.add(href)
                waiting.append(href)


def test_only_what_is_still_taken_has_a_form(client: TestClient) -> None:
    _closed(client)
    visited, offered = set(), set()
    for path, tree in _pages(client):
        visited.add(path)
        forms = [form for form in tree.css("main form") if form.attributes["method"] == "post"]
        offered |= {form.attributes["action"] for form in forms}
        buttons = tree.css("main button[formaction]")
        offered |= {(button.attributes["formaction"] or "").partition("#")[0] for button in buttons}
    rooms = ("plan", "orders", "runs", "timeline", "budget", "deliverables", "decisions", "closing")
    assert visited >= {f"{BASE}/{room}" for room in rooms}
    assert {one for one in offered if not (one or "").startswith(MONEY)} <= TAKEN
    assert f"{BASE}/deliverables/predictions/places" in offered


def _routes(router: APIRouter) -> Iterator[APIRoute]:
    """The routes of a room, also of the routers that it is made of."""
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        if isinstance(inner, APIRouter):
            yield from _routes(inner)
        elif isinstance(route, APIRoute):
            yield route


def _posts(numbers: dict[str, str]) -> Iterator[str]:
    """The address of every form of a campaign."""
    for route in (route for router in rooms.routers() for route in _routes(router)):
        path, is_page = route.path, ".pages" in route.endpoint.__module__
        if (
            is_page
            and "POST" in (route.methods or ())
            and path.startswith("/campaigns/{campaign_id}/")
        ):
            number = numbers.get(path.split("/")[3], "1")
            yield path.format(**VALUES, number=number)


def test_every_other_form_is_refused_in_words(client: TestClient) -> None:
    numbers = _closed(client)
    form = read(client.get(f"{BASE}/connect/spool")).css_first("input[name=csrf_token]")
    assert form is not None
    token = {"csrf_token": str(form.attributes["value"]), "span.prepare": numbers["span"]}
    sent, before = 0, client.get(f"{API}/journal").json()
    for path in _posts(numbers):
        if path in TAKEN | SHOWS:
            continue
        answer = client.post(path, data={**FIELDS, **token})
        if path.startswith(MONEY) and answer.status_code in (404, 422):
            continue
        assert answer.status_code == 409, (path, answer.status_code)
        main = read(answer).css_first("main")
        assert main is not None
        assert "closed" in main.text().lower(), path
        sent += 1
    assert sent > 20
    assert client.get(f"{API}/journal").json() == before
