"""A spool sent any number of times, in any company, gives one and the same record."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import punktum
from punktum.events import Identity
from punktum.ledger import read_standing
from punktum.marks import mark_held, marked_held
from punktum.replay import Replay, Replayed
from punktum.server import Server
from punktum.settings import Settings
from punktum.spool import SpoolWriter, spool_files
from tests.punktum_client.box import TOKEN, Box
from tests.punktum_client.loopback import Loopback


def replay(server: Loopback, spool: Path, **options: Any) -> Replayed:
    client = Server(Settings(server.url, TOKEN), timeout_s=2.0)
    done = Replay(client, spool, pause=lambda seconds: None, **options).send()
    client.close()
    return done


def attempt(folder: Path, run: str, number: int, *kinds: str, source: str = "main") -> SpoolWriter:
    writer = SpoolWriter(folder, Identity(run, f"{number:032x}", source))
    for kind in kinds:
        writer.append({"kind": kind, "at": f"2026-12-01T08:00:{number:02}.000Z", "step": "control"})
    return writer


histories = st.lists(
    st.tuples(
        st.sampled_from(["a-01", "a-02", "b"]),
        st.sampled_from(["main", "wrapper", "rank-3"]),
        st.lists(st.sampled_from(["beat", "checkpoint"]), max_size=6),
        st.sampled_from(["finish", "fail", None]),
    ),
    max_size=5,
    unique_by=lambda item: (item[0], item[1]),
)
troubles = st.lists(st.sampled_from(["well", "500", "garbage", "drop", "413"]), max_size=4)


@given(histories, troubles, st.integers(1, 3))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_number_of_replays_gives_the_identical_record(
    tmp_path_factory: Any, history: list[Any], trouble: list[str], times: int
) -> None:
    spool = tmp_path_factory.mktemp("spool")
    for run, source, kinds, end in history:
        attempt(spool, run, 1, "start", *kinds, *([end] if end else []), source=source).close()
    written = {
        (event["run"], event["attempt_id"], event["source"], event["seq"]): event
        for path in spool_files(spool)
        for event in map(json.loads, path.read_text().splitlines())
    }
    before = {path.name: path.read_bytes() for path in spool_files(spool)}
    server = Loopback()
    try:
        for mode in trouble:
            server.mode = mode
            replay(server, spool)
        server.mode = "well"
        for _ in range(times):
            done = replay(server, spool)
            assert (done.trouble, done.refused) == (None, 0)
            assert done.events == len(written)
            assert server.record() == written
    finally:
        server.close()
    assert {path.name: path.read_bytes() for path in spool_files(spool)} == before


def test_many_events_once_and_twice(tmp_path: Path, server: Loopback) -> None:
    writer = SpoolWriter(tmp_path, Identity("a-01", "0f" * 16))
    writer.append({"kind": "start"})
    for number in range(20_000):
        writer.append({"kind": "beat", "progress": number, "metrics": {"loss": 0.5}})
    writer.append({"kind": "finish"})
    writer.close()
    assert replay(server, tmp_path).events == 20_002
    once = server.record()
    assert len(once) == 20_002
    replay(server, tmp_path)
    assert server.record() == once


def test_beside_a_live_writer(tmp_path: Path, server: Loopback) -> None:
    writer = attempt(tmp_path, "a-01", 1, "start", "beat")
    assert replay(server, tmp_path).events == 2
    assert not read_standing(writer.path).acked_seq, "the writer's own standing is left alone"
    writer.append({"kind": "finish"})
    assert replay(server, tmp_path).events == 3
    assert server.kinds("a-01") == ["start", "beat", "finish"]


def test_a_live_run_and_a_replay_at_once(
    box: Box, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUNKTUM_URL", server.url)
    monkeypatch.setenv("PUNKTUM_TOKEN", TOKEN)
    with punktum.run("control", params={}) as run:
        for number in range(50):
            run.metric(f"m{number}", number)
            if number % 10 == 0:
                replay(server, box.spool)
    assert [event["seq"] for event in server.of("control-01")] == [
        event["seq"] for event in box.spooled()
    ]
    assert list(server.record().values()) == box.spooled()


def test_the_start_comes_first_and_the_end_after_what_others_measured(
    tmp_path: Path, server: Loopback
) -> None:
    attempt(tmp_path, "a-01", 1, "start", "beat", "finish", source="wrapper").close()
    attempt(tmp_path, "a-01", 1, "beat", "beat", source="main").close()
    replay(server, tmp_path)
    order = [(event["source"], event["kind"]) for event in server.record().values()]
    assert order == [
        ("wrapper", "start"),
        ("main", "beat"),
        ("main", "beat"),
        ("wrapper", "beat"),
        ("wrapper", "finish"),
    ]


def test_another_step_and_another_id(tmp_path: Path, server: Loopback) -> None:
    attempt(tmp_path, "contorl-01", 1, "start", "beat", "finish").close()
    replay(server, tmp_path, step="control", run="control-01")
    events = server.of("control-01")
    assert [event["step"] for event in events] == ["control"] * 3
    assert server.of("contorl-01") == []


def test_a_refused_start_leaves_its_attempt_and_the_others_pass(
    tmp_path: Path, server: Loopback
) -> None:
    attempt(tmp_path, "a-01", 1, "start", "beat", source="wrapper").close()
    attempt(tmp_path, "a-01", 1, "beat", source="main").close()
    attempt(tmp_path, "a-02", 2, "start", "beat").close()
    server.refuse = lambda event: (409, {"detail": "no"}) if event["run"] == "a-01" else None
    done = replay(server, tmp_path)
    assert (done.refused, done.first_refusals) == (1, ("start 1: no",))
    assert {event["run"] for event in server.record().values()} == {"a-02"}
    server.refuse = lambda event: None
    assert replay(server, tmp_path).refused == 0
    assert len(server.of("a-01")) == 3


def test_an_attempt_held_back_goes_on_once_its_start_is_taken(
    tmp_path: Path, server: Loopback
) -> None:
    writer = attempt(tmp_path, "a-01", 1, "start", "finish")
    mark_held(tmp_path, writer.identity, {"detail": "no"})
    writer.close()
    assert replay(server, tmp_path).events == 2
    assert marked_held(tmp_path, writer.identity) is None


def test_a_copied_and_torn_spool_is_still_good(tmp_path: Path, server: Loopback) -> None:
    """As it arrives from a box that died: no side files, the last line cut."""
    writer = attempt(tmp_path / "box", "a-01", 1, "start", "beat", "beat")
    writer.close()
    raw = writer.path.read_bytes()
    (tmp_path / "home").mkdir()
    copy = tmp_path / "home" / "renamed.jsonl"
    copy.write_bytes(raw[:-20])
    assert replay(server, copy).events == 2
    shutil.copy(writer.path, tmp_path / "home" / writer.path.name)
    assert replay(server, tmp_path / "home").events == 3
    assert server.kinds("a-01") == ["start", "beat", "beat"]


def test_it_gives_up_after_a_few_tries_and_says_why(tmp_path: Path, server: Loopback) -> None:
    attempt(tmp_path, "a-01", 1, "start").close()
    server.mode = "500"
    done = replay(server, tmp_path)
    assert done.trouble == "told to say 500 (500)"
    assert 1 < server.paths.count("/api/v1/events") < 10
