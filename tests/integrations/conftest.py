"""A dashboard of its own process, and a box whose jobs report to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.punktum_client.box import HANG_GUARD_S, Box, Done

ROOT = Path(__file__).resolve().parents[2]
JOBS = Path(__file__).parent / "jobs"
CAMPAIGN = "trainers"
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
PLAN = """
format = "punktum/1"
[campaign]
id = "trainers"
question = "Do the trainers of others report here?"
zone = "Europe/Berlin"
currency = "USD"
[decision_rule]
metric = "loss"
better = "lower"
take = "final"
threshold = "0.5"
yes = "Go on."
no = "Do not."
[[lots]]
id = "lot-1"
gpus = 1
hours = 72
price = "47.14"
[[steps]]
id = "control"
title = "Control"
kind = "machine"
class = "essential"
gpus = 1
p50 = "2h"
role = "control"
[[stop_rules]]
id = "loss-not-finite"
kind = "non_finite"
metric = "loss"
for = 1
act = "stop"
"""

collect_ignore_glob = [] if os.environ.get("PUNKTUM_INTEGRATIONS") else ["test_*.py"]


@dataclass(frozen=True)
class Dashboard:
    """A running Punktum with one campaign, and a token for its jobs."""

    url: str
    token: str

    def get(self, path: str) -> Any:
        with urlopen(f"{self.url}/api/v1/campaigns/{CAMPAIGN}{path}", timeout=HANG_GUARD_S) as said:
            return json.load(said)

    def runs(self) -> list[dict[str, Any]]:
        """All runs as the API lists them."""
        found: list[dict[str, Any]] = self.get("/runs")["items"]
        return found

    def run(self) -> dict[str, Any]:
        """The only run."""
        (found,) = self.runs()
        return found

    def metrics(self) -> dict[str, str]:
        """The only run's metrics, each with its last value."""
        return {one["name"]: one["last"] for one in self.run()["metrics"]}


class Trainers(Box):
    """A box on which scripts of ``jobs/`` are started, alone or under the wrapper."""

    def alone(self, script: str, *words: str, **environment: str) -> Done:
        """A script without a wrapper, until its end."""
        self.environment.update(environment)
        return self.done(self.start(self.python, str(JOBS / script), *words))

    def wrapped(self, script: str, *words: str, launcher: tuple[str, ...] = ()) -> Done:
        """A script under ``punktum run``, until its end."""
        return self.done(self.start_wrapped(script, *words, launcher=launcher))

    def start_wrapped(
        self, script: str, *words: str, launcher: tuple[str, ...] = (), grace: str = "20"
    ) -> subprocess.Popen[bytes]:
        """The same, still running; ``launcher`` stands where the interpreter would."""
        begin = launcher or (self.python,)
        ours = ("run", "--step", "control", "--grace", grace, "--")
        return self.punktum(*ours, *begin, str(JOBS / script), *words)


def _post(url: str, body: bytes, kind: str) -> Any:
    request = Request(url, body, {"Content-Type": kind}, method="POST")
    with urlopen(request, timeout=HANG_GUARD_S) as answer:
        return json.load(answer)


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[Dashboard]:
    """A server of its own process and folder."""
    command = [sys.executable, "-m", "bench.start", "serve", "--port", "0", "--data"]
    environment = {
        **{name: said for name, said in os.environ.items() if not name.startswith("PUNKTUM_")},
        "PUNKTUM_LOG_LEVEL": "warning",
    }
    process = subprocess.Popen(
        [*command, str(tmp_path / "data")],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        url = "http://" + process.stdout.readline().strip().rpartition("http://")[2]
        _post(f"{url}/api/v1/campaigns", PLAN.encode(), "application/toml")
        _post(f"{url}/api/v1/campaigns/{CAMPAIGN}/seal", b"{}", "application/json")
        made = _post(f"{url}/api/v1/campaigns/{CAMPAIGN}/tokens", b"{}", "application/json")
        yield Dashboard(url, made["token"])
    finally:
        process.terminate()
        process.communicate(timeout=HANG_GUARD_S)


@pytest.fixture
def box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dashboard: Dashboard
) -> Iterator[Trainers]:
    """A fresh machine that knows the dashboard, and none of our other variables."""
    for name in [name for name in os.environ if name.startswith(("PUNKTUM_", "MLFLOW_"))]:
        monkeypatch.delenv(name)
    folder = tmp_path / "box"
    folder.mkdir()
    made = Trainers(folder, ROOT, sys.executable)
    made.environment.update(
        PUNKTUM_URL=dashboard.url,
        PUNKTUM_TOKEN=dashboard.token,
        CUDA_VISIBLE_DEVICES="",
        HF_HUB_OFFLINE="1",
        OMP_NUM_THREADS="1",
        KERAS_BACKEND="torch",
        KERAS_HOME=str(tmp_path / "keras"),
    )
    yield made
    for process in made.processes:
        if process.poll() is None:
            process.kill()
            process.wait()
