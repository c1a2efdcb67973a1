"""The loop of a served app, and several processes that watch one database."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlmodel import select

from app import clock, watch
from app.db import Database
from app.rooms import watchers
from app.runs.tables import Flip
from app.web import live
from tests.conftest import NOW
from tests.runs.campaigns import ID, event, opened, posted


def _flips(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.exec(select(Flip.became)))


def test_a_served_app_looks_by_itself(
    app: FastAPI, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(database)
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=1))
    monkeypatch.setattr(watch, "EVERY_S", 0.01)
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(minutes=5))
    with TestClient(app):
        for _ in range(2000):
            if _flips(database):
                break
            time.sleep(0.01)
        assert _flips(database) == ["silent"]


def test_a_failed_look_is_told_and_the_next_one_is_taken(
    app: FastAPI,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked: list[int] = []

    def look(*_: object) -> int:
        asked.append(len(asked))
        if len(asked) == 1:
            raise RuntimeError("the disk is gone for a moment")
        return 0

    monkeypatch.setattr(watch, "EVERY_S", 0.01)
    monkeypatch.setattr(watch, "look", look)
    with TestClient(app):
        for _ in range(2000):
            if len(asked) > 1:
                break
            time.sleep(0.01)
    assert len(asked) > 1
    assert [record.message for record in caplog.records if record.name == "punktum.watch"] == [
        "failed to look"
    ]


def test_many_watchers_at_once_note_a_thing_once(database: Database) -> None:
    opened(database)
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=60))
    due = NOW + timedelta(minutes=5)
    others = [Database(database.write_engine, database.read_engine) for _ in range(3)]
    gate = threading.Barrier(len(others))

    def look(mine: Database) -> None:
        gate.wait()
        watch.look(mine, watchers(), due)

    threads = [threading.Thread(target=look, args=(one,)) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _flips(database) == ["silent"]
    for one in others:
        one._writer.close()


@pytest.mark.parametrize("room", ["runs", "timeline"])
def test_silence_is_a_new_version_of_a_page_within_its_minute(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch, room: str
) -> None:
    opened(database)
    posted(database, event(1, "start", at=NOW.isoformat(), expect_next_s=1))
    monkeypatch.setattr(live, "_KEEP_S", 0)
    minute = (NOW + timedelta(minutes=5)).replace(second=0, microsecond=0)
    asks = {"HX-Request": "true", "HX-Request-Type": "partial"}

    def poll(at: datetime, tag: str = "") -> tuple[int, str]:
        monkeypatch.setattr(clock, "now", lambda: at)
        answer = client.get(f"/campaigns/{ID}/{room}", headers={**asks, "HX-PTag": tag})
        return answer.status_code, answer.headers["hx-ptag"]

    _, tag = poll(minute + timedelta(seconds=1))
    later = minute + timedelta(seconds=59)
    assert poll(later, tag) == (304, tag)
    watch.look(database, watchers(), later)
    status, newer = poll(later, tag)
    assert (status, newer != tag) == (200, True)
    assert poll(later, newer) == (304, newer)
