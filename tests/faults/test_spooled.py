"""A spool that comes home late gives the record that a live server would have, once or twice.

`PUNKTUM_EVENTS=100000` in the environment replays so many.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any

from bench import spools
from punktum.spool import read_lines, spool_files
from tests.faults.conftest import Serve
from tests.faults.records import everything, timeless
from tests.faults.servers import ID, Served, ask
from tests.house.source import ROOT
from tests.punktum_client.box import Box

EVENTS = int(os.environ.get("PUNKTUM_EVENTS", "5000"))
JOB = """
import os, punktum, signal, time
with punktum.run("step-0", beat_s=1) as run:
    for n in range(1, 21):
        run.metric("loss", 1 / n)
        run.progress(n, 20)
    {more}
"""
JOBS = {
    "completes": ("pass", "completed", None),
    "not-finite": ("run.metric('loss', float('nan'))", "stopped", "rule:loss-not-finite"),
    "fails": ("raise ValueError('no data')", "failed", "code_error"),
    "killed": (
        """while '"progress":20' not in run.spool_file.read_text(): time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGKILL)""",
        "failed",
        "infra",
    ),
}
"""What a job does at its end, and how the record says that it ended."""
OF_RULES = ("exit_code", "reason_text")


def _box(folder: Path, server: Served) -> Box:
    """A rented machine that knows the server's address, whether or not it answers there."""
    folder.mkdir()
    made = Box(folder, ROOT, sys.executable)
    made.environment.update(PUNKTUM_URL=server.url, PUNKTUM_TOKEN=server.token)
    return made


def _replay(box: Box, spool: Path) -> dict[str, Any]:
    done = box.run("replay", "--json", str(spool))
    assert done.code == 0, done.err
    found: dict[str, Any] = done.json()
    assert (found["refused"], found["trouble"]) == (0, None)
    return found


def _posted_live(server: Served, spool: Path) -> None:
    """The same events as a live server had got them: in the order of their time, a few at once."""
    events = sorted(
        (line.event() for path in spool_files(spool) for line in read_lines(path)),
        key=lambda event: str(event["at"]),
    )
    chance, connection = random.Random(1), server.connection()
    while events:
        size = chance.randint(1, 40)
        said = {"events": events[:size]}
        status, answer = ask(connection, "POST", "/api/v1/events", said, server.job_headers())
        assert status == 200
        assert {one["status"] for one in answer["results"]} == {200}
        events = events[size:]
    connection.close()


def test_a_spool_once_twice_and_live_are_one_record(serve: Serve, tmp_path: Path) -> None:
    home, live = serve().opened(), serve().opened()
    box = _box(tmp_path / "box", home)
    count = spools.write(box.spool, EVENTS)
    assert _replay(box, box.spool)["events"] == count
    once = everything(home)
    assert len(once["run_events"]) == count
    assert _replay(box, box.spool)["events"] == count
    assert everything(home) == once
    _posted_live(live, box.spool)
    assert timeless(live) == timeless(home)
    kinds = [kind for kind, *_ in timeless(home)["journal"]]
    assert kinds.count("run.started") == spools.ATTEMPTS
    assert kinds.count("run.ended") == spools.ATTEMPTS - 1
    assert "run.stop_recorded" in kinds


def test_a_server_that_was_dead_for_the_whole_job_knows_all_of_it(
    serve: Serve, tmp_path: Path
) -> None:
    dead, live = serve().opened(), serve().opened()
    offline, online = _box(tmp_path / "offline", dead), _box(tmp_path / "online", live)
    dead.kill()
    for run, (more, _, _) in JOBS.items():
        offline.run_job(JOB.format(more=more), "--run", run, step="step-0")
    dead.start()
    assert _runs(dead) == {}
    _replay(offline, offline.spool)
    found = _runs(dead)
    ends = {name: (run["status"], run["reason_code"]) for name, run in found.items()}
    assert ends == {name: (status, reason) for name, (_, status, reason) in JOBS.items()}
    assert {name: (run["gaps"], run["progress"]) for name, run in found.items()} == dict.fromkeys(
        JOBS, (0, 20)
    )
    for run, (more, _, _) in JOBS.items():
        online.run_job(JOB.format(more=more), "--run", run, step="step-0")
    told = _runs(live)
    for name in JOBS:
        assert _told(told[name]) == _told(found[name])


def _runs(server: Served) -> dict[str, dict[str, Any]]:
    connection = server.connection()
    found = ask(connection, "GET", f"/api/v1/campaigns/{ID}/runs")[1]["items"]
    connection.close()
    return {run["id"]: run for run in found}


def _told(run: dict[str, Any]) -> dict[str, Any]:
    """What is told of a run but its process and its times.

    A box without a server has no rules yet: the server finds at the replay what the box finds with
    one, so the job had gone on, and ended by itself.
    """
    other = {"attempts", "rules"} if run["rule"] is None else {*OF_RULES, "attempts", "rules"}
    kept = {
        name: said
        for name, said in run.items()
        if name not in other and not name.endswith(("_at", "_s"))
    }
    rules = {rule["rule"]: (rule["fired"], rule["last"]) for rule in run["rules"]}
    return {**kept, "rules": rules}


def test_the_spool_of_a_dead_box_is_as_good_as_its_own_copy(serve: Serve, tmp_path: Path) -> None:
    """The files alone, carried home: without what the client wrote beside them."""
    home, other = serve().opened(), serve().opened()
    box = _box(tmp_path / "box", home)
    box.run_job(JOB.format(more="pass"), "--run", "a-01", step="step-0")
    carried = tmp_path / "carried"
    carried.mkdir()
    for path in spool_files(box.spool):
        shutil.copy(path, carried / path.name)
    away = _box(tmp_path / "away", other)
    _replay(away, carried)
    assert json.dumps(timeless(other)) == json.dumps(timeless(home))
