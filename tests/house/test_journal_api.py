"""The journal read from outside: whole, in pages, and with hashes that anybody can check."""

from __future__ import annotations

import functools

from fastapi.testclient import TestClient

from app.db import Database, WriteSession
from app.journal import FIRST, Actor, append, canonical, entry_hash
from app.units import parse_instant
from bench.campaigns import plan_of
from tests.conftest import NOW, PERSON

J = "/api/v1/campaigns/small/journal"


def _note(payload: dict[str, object], tx: WriteSession) -> None:
    append(tx, "small", "note.made", PERSON, payload, NOW)


def test_a_reader_can_check_the_chain_page_by_page(client: TestClient, database: Database) -> None:
    client.post(
        "/api/v1/campaigns",
        content=plan_of("small", 4),
        headers={"Content-Type": "application/toml"},
    )
    for number in range(7):
        database.write("small", functools.partial(_note, {"n": number, "said": "é"}))
    seen, after, previous = 0, 0, FIRST
    while True:
        page = client.get(J, params={"after": after, "limit": 3}).json()
        for item in page["items"]:
            seen += 1
            assert item["number"] == seen
            assert item["previous_sha256"] == previous
            actor = Actor(item["actor_kind"], item["actor_name"])
            payload = canonical(item["payload"]).decode()
            previous = entry_hash(
                previous, "small", seen, parse_instant(item["at"]), actor, item["kind"], payload
            )
            assert item["sha256"] == previous
        if page["next"] is None:
            break
        after = page["next"]
    assert seen == 7


def test_what_is_asked_wrongly_is_said(client: TestClient) -> None:
    assert client.get("/api/v1/campaigns/none/journal").status_code == 404
    client.post(
        "/api/v1/campaigns",
        content=plan_of("small", 4),
        headers={"Content-Type": "application/toml"},
    )
    assert client.get(J, params={"limit": 0}).json()["field"] == "limit"
    assert client.get(J).json() == {"items": [], "next": None}
