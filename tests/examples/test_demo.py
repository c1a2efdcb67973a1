"""The demo: its sample is consistent wherever now lies, and a signal ends all that it started."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from app.db import Database
from app.decisions.queries import evaluation
from app.deliverables.queries import standing_of
from app.demo import showing
from app.demo.living import Life
from app.demo.processes import Ending, Processes
from app.demo.sample import Laid, lay_sample
from app.demo.server import NotServing, start_server
from app.errors import AppError
from app.journal.verify import verify_database
from app.runs.queries import run_of, runs_of, spans_of, stop_records
from app.settings import Settings
from app.timeline.queries import TimelineView, timeline
from tests.conftest import NOW, PERSON

AFTER_THE_CLOCK_WENT_BACK = datetime(2026, 10, 26, 1, 59, 59, tzinfo=UTC)
AFTER_IT_WENT_FORWARD = datetime(2027, 3, 28, 23, 59, 59, tzinfo=UTC)
LONGEST_S = 120.0


def look(database: Database, laid: Laid, now: datetime) -> TimelineView:
    """The sample's timeline."""
    with database.read() as session:
        view = timeline(session, laid.campaign, now)
    assert view is not None
    return view


def test_the_sample_stands_in_the_middle_of_its_window(database: Database) -> None:
    laid = lay_sample(database, PERSON, NOW)
    view = look(database, laid, NOW)
    assert (NOW - laid.zero_at) // timedelta(hours=1) == 31
    assert (view.header.state, view.answer.kind) == ("running", "fits")
    assert view.answer.spare_s is not None
    assert 18 * 3600 < view.answer.spare_s < 19 * 3600
    assert {line.id: line.state for line in view.lines} == {
        "prepare": "done",
        "data-check": "done",
        "pilot": "done",
        "restore-check": "done",
        "pilot-decision": "done",
        "control": "done",
        "variant-a": "running",
        "variant-b": "not_started",
        "longer-context": "dropped",
        "evaluation": "not_started",
        "error-analysis": "not_started",
        "retrieval": "not_started",
    }
    lines = {line.id: line for line in view.lines}
    assert (lines["prepare"].planned_s, lines["prepare"].observed_s) == (4 * 3600, 18360)
    assert verify_database(database.write_engine).findings == ()


def test_its_first_attempt_at_a_was_stopped_and_the_next_one_lives(database: Database) -> None:
    laid = lay_sample(database, PERSON, NOW)
    with database.read() as session:
        runs = {run.id: run for run in runs_of(session, laid.campaign, NOW)}
        (stop,) = stop_records(session, laid.campaign)
        judged = evaluation(session, laid.campaign, NOW)
    assert (stop.run, stop.rule, stop.value) == ("a-01", "loss-not-finite", "nan")
    assert runs["a-01"].status == "stopped"
    going = runs["a-02"]
    assert (going.status, going.silent, going.stalled) == ("running", False, False)
    assert going.parent == "a-01"
    assert going.config_sha256 != runs["a-01"].config_sha256
    assert going.last_seen_at is not None
    assert NOW - going.last_seen_at < timedelta(seconds=60)
    assert judged is not None
    assert judged.control is not None
    assert judged.control.n == 1
    assert judged.proposed == "inconclusive"


def test_one_deliverable_came_and_did_not_pass(database: Database) -> None:
    laid = lay_sample(database, PERSON, NOW)
    with database.read() as session:
        found = standing_of(session, laid.campaign)
    assert {one.id: one.state for one in found} == {
        "predictions": "submitted",
        "error-analysis": "announced",
        "adapter": "announced",
        "metrics": "announced",
    }
    assert (found[0].passed, found[0].failed, found[0].not_run) == (2, 1, 1)


@pytest.mark.parametrize("now", [NOW, AFTER_THE_CLOCK_WENT_BACK, AFTER_IT_WENT_FORWARD])
def test_nothing_happens_twice_at_once(sqlite: Database, now: datetime) -> None:
    laid = lay_sample(sqlite, PERSON, now)
    with sqlite.read() as session:
        intervals = [
            (one.starts_at, one.ends_at)
            for run in runs_of(session, laid.campaign, now)
            for one in run.intervals
        ]
        spans = [
            (span.started_at, span.ended_at or now) for span in spans_of(session, laid.campaign)
        ]
    assert len(intervals) == 5
    assert len(spans) == 3
    for lane in (sorted(intervals), sorted(spans)):
        assert all(before[1] <= after[0] for before, after in pairwise(lane))
        assert lane[0][0] >= laid.zero_at
        assert lane[-1][1] <= now
    assert look(sqlite, laid, now).answer.kind == "fits"


def test_a_second_sample_is_refused(sqlite: Database) -> None:
    lay_sample(sqlite, PERSON, NOW)
    with pytest.raises(AppError):
        lay_sample(sqlite, PERSON, NOW + timedelta(hours=5))


def test_its_running_job_lives_and_obeys(settings: Settings, sqlite: Database) -> None:
    """The sample's run beats at a real server, until a person asks it to stop."""
    laid = lay_sample(sqlite, PERSON, datetime.now(UTC))
    told = laid.going.seq
    with Processes() as processes:
        address, _ = start_server(processes, settings.data)
        where = f"{address}/api/v1/campaigns/{laid.campaign}/runs/a-02"
        with Life(address, laid.campaign, laid.going, every_s=0.05):
            _until(lambda: laid.going.seq > told + 2)
            reason = {"reason": "Somebody else needs the box."}
            asked = httpx.post(f"{where}/ask-to-stop", json=reason, timeout=20, trust_env=False)
            assert asked.status_code == 204
            _until(lambda: _status(where) == "stopped")
    with sqlite.read() as session:
        run = run_of(session, laid.campaign, "a-02", datetime.now(UTC))
    assert run is not None
    assert (run.reason_code, run.gaps) == ("operator", 0)


def _status(where: str) -> str:
    return str(httpx.get(where, timeout=20, trust_env=False).json()["status"])


def _until(holds: Callable[[], bool]) -> None:
    """Wait for something that takes a moment; at most 30 s."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come")


def test_a_signal_ends_everything_that_the_demo_started(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from app.command_line import main; main()", "demo"]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "DATABASE_URL": "postgresql://nobody/no"}
    demo = subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, text=True, env=environment
    )
    watch = threading.Timer(LONGEST_S, demo.kill)
    watch.start()
    try:
        said = _read_up_to(demo, "digits: data checked")
        address = next(word for word in said[0].split() if word.startswith("http://"))
        listed = httpx.get(f"{address}/api/v1/campaigns", timeout=20, trust_env=False).json()
        assert {one["id"] for one in listed["items"]} == {"invoice-adapter", "digits"}
        assert len(_living_in(tmp_path)) >= 2
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(60) == 0
    finally:
        watch.cancel()
        demo.kill()
        demo.wait()
    assert _living_in(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def _read_up_to(process: subprocess.Popen[str], wanted: str) -> list[str]:
    """The lines printed up to the one that begins so."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith(wanted):
            return said
    raise AssertionError(f"never said: {wanted}; but {said}")


def _living_in(folder: Path) -> list[int]:
    """Processes that stand in a folder or below."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            where = link.readlink()
        except OSError:
            continue
        if where.is_relative_to(folder):
            found.append(int(link.parent.name))
    return found


def test_without_its_packages_the_real_campaign_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], settings: Settings
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with Processes() as processes:
        assert showing.start_live("http://127.0.0.1:9", settings, processes) is None
    assert "pip install 'punktum[demo]'" in capsys.readouterr().out


def test_a_port_in_use_is_said_with_the_servers_code(tmp_path: Path) -> None:
    with Processes() as processes:
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        address, _ = start_server(processes, tmp_path / "one")
        with pytest.raises(NotServing) as refused:
            start_server(processes, tmp_path / "two", port=int(address.rpartition(":")[2]))
    assert refused.value.code == 2


def test_nothing_is_started_once_it_ends(tmp_path: Path) -> None:
    processes = Processes(grace_s=0.2)
    sleeping = processes.start(["sleep", "600"], folder=tmp_path, environment=os.environ)
    script = "trap '' TERM; touch deaf; sleep 600 & wait; wait"
    deaf = processes.start(["sh", "-c", script], folder=tmp_path, environment=os.environ)
    _until(lambda: (tmp_path / "deaf").exists())
    processes.end()
    assert sleeping.returncode == -signal.SIGTERM
    assert deaf.returncode == -signal.SIGKILL
    _until(lambda: _living_in(tmp_path) == [])
    with pytest.raises(Ending):
        processes.start(["true"], folder=tmp_path, environment=os.environ)
