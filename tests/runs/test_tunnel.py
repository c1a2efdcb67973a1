"""A rented box reached by ssh: the blocks of the page Connect, through a tunnel and by files."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.punktum_client.loopback import wait_until
from tests.runs.boxes import CAMPAIGN, HANG_GUARD_S, TRAIN, Box, Served, ask, serving
from tests.runs.rented import RentedBox, with_ssh

KINDS = [
    "ours",
    pytest.param(
        "system",
        marks=pytest.mark.skipif(
            not (shutil.which("ssh") and shutil.which("scp")), reason="this machine has no ssh"
        ),
    ),
]
IN_TWO_PARTS = (
    "import os, time, punktum\n"
    "with punktum.run('control', beat_s=0.1) as run:\n"
    "    for n in range(1, 41):\n"
    "        run.metric('accuracy', n / 64)\n"
    "        run.progress(n, 40)\n"
    "        if n == 20:\n"
    "            open('half', 'w').close()\n"
    "            while not os.path.exists('go'): time.sleep(0.02)\n"
    "    open('all', 'w').close()\n"
    "    while not os.path.exists('end'): time.sleep(0.02)\n"
)

RUNS_AWAY = (
    "import punktum\n"
    "with punktum.run('control') as run:\n"
    "    run.metric('loss', float('nan'))\n"
    "    print('went on')\n"
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The server is another machine than the box: it has another address of the loopback."""
    with serving(tmp_path_factory.mktemp("server"), "127.0.0.3") as running:
        yield running


@pytest.fixture
def box(tmp_path: Path) -> Iterator[RentedBox]:
    made = RentedBox(tmp_path / "box")
    yield made
    made.close()


@pytest.fixture(params=KINDS)
def laptop(request: pytest.FixtureRequest, tmp_path: Path) -> Box:
    """The machine that the server runs on."""
    return with_ssh(Box(tmp_path / "laptop"), request.param)


@contextmanager
def tunnel(laptop: Box, line: str, port: int) -> Iterator[subprocess.Popen[str]]:
    """The line of the laptop in its terminal, until it is ended."""
    process = laptop.start("bash", "-c", f"exec {line}")
    try:
        wait_until(lambda: process.poll() is not None or _answers(port))
        assert process.poll() is None, process.communicate()[1]
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=HANG_GUARD_S)


def _answers(port: int) -> bool:
    """Whether the server is behind the port; one that is just being closed may hang."""
    try:
        return ask(f"http://127.0.0.1:{port}/api/v1/sheet", most_s=2).status == 401
    except OSError:
        return False


def _blocks(served: Served, way: str, box: RentedBox) -> list[str]:
    return served.blocks("?" + urlencode({"way": way, "step": "control", "box": box.address}))


def test_a_box_reports_through_the_tunnel_and_reaches_nothing_else(
    served: Served, laptop: Box, box: RentedBox
) -> None:
    line, block = _blocks(served, "tunnel", box)
    before = len(served.runs())
    (box.home / "train.py").write_text(TRAIN)
    port = served.jobs_port
    with tunnel(laptop, line, port):
        done = box.paste(block, typed=f"{served.token}\n")
        assert done.returncode == 0, done.stderr
        assert served.token not in done.stdout + done.stderr
        runs = served.runs()
        assert len(runs) == before + 1
        assert {one["status"] for one in runs} == {"completed"}
        job = {"Authorization": f"Bearer {served.token}"}
        through = f"http://127.0.0.1:{port}"
        assert ask(f"{through}/api/v1/sheet", job).status == 200
        sheet = json.loads(ask(f"{through}/api/v1/sheet", job).body)
        assert sheet["campaign"]["id"] == CAMPAIGN
        for path in (
            "/", "/campaigns", f"/campaigns/{CAMPAIGN}", f"/campaigns/{CAMPAIGN}/connect",
            f"/campaigns/{CAMPAIGN}/connect/spool", "/offers", "/healthz", "/static/app.css",
            "/api/v1/campaigns", f"/api/v1/campaigns/{CAMPAIGN}/runs", "/api/v1/openapi.json",
            f"/api/v1/campaigns/{CAMPAIGN}/tokens", f"/api/v1/campaigns/{CAMPAIGN}/budget",
            f"/api/v1/campaigns/{CAMPAIGN}/journal", "/api/v1/offers",
        ):  # fmt: skip
            assert ask(through + path).status == 404, path
            assert ask(through + path, job).status == 404, path
            assert ask(f"{served.url}{path}").status != 404 or path == "/static/app.css", path
        assert ask(f"{through}/punktum.py").status == 401
    wait_until(lambda: not _answers(port))


def test_a_tunnel_that_breaks_in_the_middle_of_a_run_loses_nothing(
    served: Served, laptop: Box, box: RentedBox
) -> None:
    line, block = _blocks(served, "tunnel", box)
    (box.home / "train.py").write_text(IN_TWO_PARTS)
    known = {one["id"] for one in served.runs()}

    def progress() -> int | None:
        found = [one for one in served.runs() if one["id"] not in known]
        return max((one["progress"] or 0 for one in found), default=None)

    with tunnel(laptop, line, served.jobs_port) as ssh:
        job = box.start("bash", "-c", block)
        assert job.stdin is not None
        job.stdin.write(f"{served.token}\n")
        job.stdin.flush()
        wait_until(lambda: (box.home / "half").exists() and progress() == 20)
        ssh.send_signal(signal.SIGKILL)
        ssh.wait(HANG_GUARD_S)
        wait_until(lambda: not _answers(served.jobs_port))
    (box.home / "go").touch()
    wait_until(lambda: (box.home / "all").exists())
    assert job.poll() is None, "the training does not wait for a tunnel"
    assert progress() == 20
    with tunnel(laptop, line, served.jobs_port):
        wait_until(lambda: progress() == 40, 100)
        (box.home / "end").touch()
        _, err = job.communicate(timeout=HANG_GUARD_S)
        assert job.returncode == 0, err
        (run,) = [one for one in served.runs() if one["id"] not in known]
        assert (run["status"], run["gaps"], run["metrics"][0]["final"]) == ("completed", 0, "0.625")
        before = served.runs()
        box.variables = {
            "PUNKTUM_URL": f"http://127.0.0.1:{served.jobs_port}", "PUNKTUM_TOKEN": served.token
        }  # fmt: skip
        assert box.run("python3", "punktum.py", "replay", ".").returncode == 0
        assert served.runs() == before


def test_a_box_without_a_connection_gets_all_as_files_and_its_spool_comes_home(
    served: Served, laptop: Box, box: RentedBox
) -> None:
    take, alone, bring = _blocks(served, "offline", box)
    before = len(served.runs())
    taken = laptop.paste(take, typed=f"{served.token}\n")
    assert taken.returncode == 0, taken.stderr + taken.stdout
    folder = box.home / f"punktum-{CAMPAIGN}"
    assert sorted(one.name for one in folder.rglob("*.*")) == ["punktum.py", "sheet.json"]
    assert not (box.home / ".punktum-token").exists()
    code = box.home / "code"
    code.mkdir()
    (code / "train.py").write_text(TRAIN)
    box.variables = {"PUNKTUM_URL": "http://127.0.0.1:9"}
    done = box.paste(alone, cwd=code)
    assert done.returncode == 0, done.stderr
    assert '"control" is in the plan' in done.stdout
    (code / "train.py").write_text(RUNS_AWAY)
    away = box.paste(alone, cwd=code)
    assert "went on" not in away.stdout
    assert "loss-not-finite" in away.stderr
    assert len(served.runs()) == before
    for _ in range(2):
        home = laptop.paste(bring)
        assert home.returncode == 0, home.stderr
        runs = served.runs()
        assert len(runs) == before + 2
    found = {one["id"]: one for one in runs[before:]}
    assert [one["status"] for one in found.values()] == ["completed", "stopped"]
    assert [one["gaps"] for one in found.values()] == [0, 0]
    (stopped,) = [one for one in found.values() if one["status"] == "stopped"]
    assert stopped["reason_code"] == "rule:loss-not-finite"
