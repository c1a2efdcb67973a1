"""A replay under another id or step changes what was wrong, and nothing else in the spool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from punktum.delivery import Delivery
from punktum.events import Identity
from punktum.marks import mark_held, marked_held, marked_named, write_whole
from punktum.mending import NotClear, attempts_in, new_names
from punktum.naming import known_attempts, propose_run
from punktum.server import Server
from punktum.settings import Settings
from punktum.spool import SpoolWriter
from punktum.status import spool_status
from tests.punktum_client.box import TOKEN, Box
from tests.punktum_client.loopback import Event, Loopback
from tests.punktum_client.test_replay import replay


def attempt(folder: Path, run: str, number: int, **more: Any) -> SpoolWriter:
    """A whole attempt; ``held`` when its start was refused."""
    writer = SpoolWriter(folder, Identity(run, f"{number:032x}", more.pop("source", "main")))
    held = more.pop("held", False)
    at = f"2026-12-01T08:00:{number:02}.000Z"
    start = {"step": "control", "config_sha256": "a" * 64, **more}
    writer.append({"kind": "start", "at": at, **start})
    writer.append({"kind": "beat", "at": at, "progress": 1})
    writer.append({"kind": "finish", "at": at})
    writer.close()
    if held:
        mark_held(folder, writer.identity, {"detail": "no"})
    return writer


def runs(server: Loopback) -> dict[str, set[str]]:
    """Attempt number → the ids it was recorded under."""
    found: dict[str, set[str]] = {}
    for run, attempt_id, _, _ in server.record():
        found.setdefault(attempt_id.lstrip("0"), set()).add(run)
    return found


def steps(server: Loopback) -> dict[str, str]:
    """Run id → the step its start names."""
    return {
        event["run"]: event["step"]
        for event in server.record().values()
        if event["kind"] == "start"
    }


def test_another_id_is_for_the_attempt_whose_start_was_refused(
    tmp_path: Path, server: Loopback
) -> None:
    attempt(tmp_path, "a-01", 1)
    attempt(tmp_path, "a-01", 2, config_sha256="b" * 64, held=True)
    attempt(tmp_path, "b-01", 3)
    done = replay(server, tmp_path, run="a-02")
    assert (done.attempts, done.refused) == (3, 0)
    assert runs(server) == {"1": {"a-01"}, "2": {"a-02"}, "3": {"b-01"}}


def test_it_keeps_its_new_id_in_every_later_replay(tmp_path: Path, server: Loopback) -> None:
    attempt(tmp_path, "a-01", 1)
    held = attempt(tmp_path, "a-01", 2, config_sha256="b" * 64, held=True)
    replay(server, tmp_path, run="a-02")
    record = server.record()
    assert marked_held(tmp_path, held.identity) is None
    for _ in range(2):
        assert replay(server, tmp_path).refused == 0
    assert server.record() == record
    assert [source.recorded_as for source in spool_status(tmp_path).sources] == [None, "a-02"]


def test_a_new_id_that_is_refused_as_well_is_not_kept(tmp_path: Path, server: Loopback) -> None:
    held = attempt(tmp_path, "a-01", 1, held=True)
    server.refuse = lambda event: (409, {"detail": "no"})
    assert replay(server, tmp_path, run="a-02").refused == 1
    assert marked_named(tmp_path, held.identity) == {}
    assert marked_held(tmp_path, held.identity) is not None
    server.refuse = lambda event: None
    replay(server, tmp_path, run="a-03")
    assert runs(server) == {"1": {"a-03"}}


def test_the_next_proposal_counts_on_from_the_new_names(tmp_path: Path, server: Loopback) -> None:
    attempt(tmp_path, "a-01", 1, config_sha256="b" * 64, held=True, step="contorl")
    replay(server, tmp_path, run="a-02", step="control")
    assert [(one.run, one.step) for one in known_attempts(tmp_path)] == [("a-02", "control")]
    assert propose_run(tmp_path, "control", "b" * 64).run == "a-03"


def test_the_process_that_still_writes_goes_on_under_the_new_id(
    tmp_path: Path, server: Loopback
) -> None:
    client = Server(Settings(server.url, TOKEN))
    writer = SpoolWriter(tmp_path, Identity("a-01", "1" * 32, "wrapper"))
    live = Delivery(client, writer.path, writer=writer)
    server.refuse = lambda event: (409, {"detail": "no"}) if event["run"] == "a-01" else None
    writer.append({"kind": "start", "step": "control"})
    assert live.send_next().held
    assert replay(server, tmp_path, run="a-02").refused == 0
    writer.append({"kind": "finish"})
    assert live.send_next().sent == 1
    assert [(event["run"], event["kind"]) for event in server.record().values()] == [
        ("a-02", "start"),
        ("a-02", "finish"),
    ]
    client.close()


def test_where_several_runs_may_be_meant_a_file_is_to_be_named(
    tmp_path: Path, server: Loopback
) -> None:
    first = attempt(tmp_path, "a-01", 1)
    attempt(tmp_path, "a-02", 2)
    with pytest.raises(NotClear, match=r"name its file instead of the folder:\n.*--main\.jsonl"):
        new_names(attempts_in(tmp_path), tmp_path, run="a-03", step=None)
    replay(server, first.path, run="a-03")
    replay(server, tmp_path)
    assert runs(server) == {"1": {"a-03"}, "2": {"a-02"}}


def test_two_refused_configurations_are_two_runs(tmp_path: Path) -> None:
    attempt(tmp_path, "a-01", 1, held=True)
    attempt(tmp_path, "a-01", 2, held=True)
    assert len(new_names(attempts_in(tmp_path), tmp_path, run="a-02", step=None)) == 2
    attempt(tmp_path, "a-01", 3, held=True, config_sha256="b" * 64)
    with pytest.raises(NotClear):
        new_names(attempts_in(tmp_path), tmp_path, run="a-02", step=None)


def test_another_step_is_for_the_runs_whose_step_the_plan_does_not_have(
    tmp_path: Path, server: Loopback
) -> None:
    sheet = {"format": "punktum-sheet/1", "steps": [{"id": "control"}, {"id": "variant"}]}
    attempt(tmp_path, "v-01", 1, step="variant")
    attempt(tmp_path, "c-01", 2, step="contorl")
    with pytest.raises(NotClear):
        new_names(attempts_in(tmp_path), tmp_path, run=None, step="control")
    write_whole(tmp_path / "sheet.json", sheet)
    assert replay(server, tmp_path, step="control").kept == ()
    assert steps(server) == {"v-01": "variant", "c-01": "control"}
    assert replay(server, tmp_path, step="control").kept == (), "it is so already"


def test_a_step_that_was_recorded_stays_and_that_is_said(tmp_path: Path, server: Loopback) -> None:
    attempt(tmp_path, "c-01", 1, step="contorl")
    replay(server, tmp_path)
    done = replay(server, tmp_path, step="control")
    for again in (done, replay(server, tmp_path, step="control")):
        assert again.kept == ("c-01 was recorded before; its step stays what it was then",)
    assert [source.recorded_as for source in spool_status(tmp_path).sources] == [None]
    assert steps(server) == {"c-01": "contorl"}


def test_all_sources_of_an_attempt_move_together(tmp_path: Path, server: Loopback) -> None:
    attempt(tmp_path, "a-01", 1, source="wrapper", held=True)
    inside = SpoolWriter(tmp_path, Identity("a-01", f"{1:032x}", "main"))
    inside.append({"kind": "beat", "progress": 4})
    inside.close()
    assert replay(server, tmp_path, run="a-02").events == 4
    assert runs(server) == {"1": {"a-02"}}


def test_the_command_says_what_it_could_not_do(box: Box, server: Loopback) -> None:
    def refused(event: Event) -> tuple[int, dict[str, Any]] | None:
        again = event["config"]["params"].get("x") if event["kind"] == "start" else None
        return (409, {"detail": "no", "next_id": "a-02"}) if again and "1" in event["run"] else None

    box.reports_to(server)
    server.refuse = refused
    for params in ((), ("--param", "x=2")):
        box.run_job("pass", "--run", "a-01", *params)
    box.run_job("pass", "--run", "b-01", step="other")
    mended = box.run("replay", str(box.spool), "--run", "a-02")
    assert (mended.code, len(server.of("a-01")), len(server.of("a-02"))) == (0, 2, 2)
    unclear = box.run("replay", str(box.spool), "--run", "a-03")
    assert unclear.code == 2
    assert unclear.err.count("punktum:   ") == 3
    kept = box.run("replay", str(next(box.spool.glob("b-01--*.jsonl"))), "--step", "control")
    assert kept.code == 1
    assert "b-01 was recorded before" in kept.err
