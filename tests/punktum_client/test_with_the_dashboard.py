"""Boxes that report to Punktum itself: run ids that are taken, and attempts that are taken over."""

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

from tests.punktum_client.box import HANG_GUARD_S, Box
from tests.punktum_client.conftest import ROOT
from tests.punktum_client.loopback import wait_until

CAMPAIGN = "digits"
TRAIN = (
    "import os, sys, punktum\n"
    "with punktum.run('control') as run:\n"
    "    run.metric('accuracy', float(sys.argv[1]))\n"
    "print(os.environ['PUNKTUM_RUN_ID'])\n"
)
RULES = """
[[stop_rules]]
id = "collapse"
kind = "custom"

[[stop_rules]]
id = "too-long"
kind = "overtime"
after_hours = "0.0003"
steps = ["variant-b"]

[[stop_rules]]
id = "cut"
kind = "input_truncated"
value = "2"
steps = ["variant-a"]
"""
UNTIL_TOLD = "import os, time\nwhile not os.path.exists('go'): time.sleep(0.02)\n"


@dataclass(frozen=True)
class Dashboard:
    """A running Punktum with one campaign, and a token for its jobs."""

    url: str
    token: str

    def get(self, path: str) -> Any:
        with urlopen(f"{self.url}/api/v1{path}", timeout=HANG_GUARD_S) as answer:
            return json.load(answer)

    def runs(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(f"/campaigns/{CAMPAIGN}/runs")["items"]
        return found

    def box(self, folder: Path, *, online: bool = True) -> Box:
        """Another fresh machine; without the address where it is not online."""
        folder.mkdir()
        made = Box(folder, ROOT, sys.executable)
        if online:
            self.connect(made)
        return made

    def connect(self, box: Box) -> None:
        box.environment.update(PUNKTUM_URL=self.url, PUNKTUM_TOKEN=self.token)


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
        plan = (ROOT / "examples" / "digits" / "campaign.toml").read_text("utf-8")
        plan = plan.replace('ids_file = "ids.txt"\n', "") + RULES
        _post(f"{url}/api/v1/campaigns", plan.encode(), "application/toml")
        made = _post(f"{url}/api/v1/campaigns/{CAMPAIGN}/tokens", b"{}", "application/json")
        yield Dashboard(url, made["token"])
    finally:
        process.terminate()
        process.communicate(timeout=HANG_GUARD_S)


def _train(box: Box, accuracy: str, *words: str) -> str:
    """A training whose configuration is the accuracy it reaches; the run id that it was given."""
    done = box.done(
        box.punktum(
            "run", "--step", "control", *words, "--", box.python, "-c", TRAIN, accuracy
        )
    )  # fmt: skip
    assert done.code == 0, done.err
    return done.out.strip()


def _accuracies(dashboard: Dashboard) -> dict[str, str]:
    """Run id → what it measured, for runs that completed in their only attempt."""
    found = {}
    for run in dashboard.runs():
        assert (run["status"], len(run["attempts"]), run["gaps"]) == ("completed", 1, 0)
        (metric,) = run["metrics"]
        found[run["id"]] = metric["final"]
    return found


def test_fresh_boxes_with_other_configurations_get_other_ids(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    boxes = [dashboard.box(tmp_path / f"box-{number}") for number in range(3)]
    ids = [_train(box, f"0.9{number}") for number, box in enumerate(boxes)]
    assert ids == ["control-01", "control-02", "control-03"]
    expected = {"control-01": "0.9", "control-02": "0.91", "control-03": "0.92"}
    assert _accuracies(dashboard) == expected
    before = dashboard.runs()
    for box in [*boxes, *reversed(boxes)]:
        assert box.run("replay", str(box.spool)).code == 0
    assert dashboard.runs() == before
    assert _train(boxes[1], "0.95") == "control-04", "the box knows its own run by its new id"


def test_a_replay_finds_a_free_id_and_keeps_it(dashboard: Dashboard, tmp_path: Path) -> None:
    offline = dashboard.box(tmp_path / "offline", online=False)
    assert _train(offline, "0.91") == "control-01"
    assert _train(dashboard.box(tmp_path / "online"), "0.9") == "control-01"
    dashboard.connect(offline)
    done = offline.run("replay", str(offline.spool))
    assert done.code == 0
    assert done.err == "punktum: control-01 is taken: this run is recorded as control-02\n"
    assert _accuracies(dashboard) == {"control-01": "0.9", "control-02": "0.91"}
    assert offline.run("replay", str(offline.spool)).err == ""
    assert _accuracies(dashboard) == {"control-01": "0.9", "control-02": "0.91"}


def test_a_named_id_waits_for_a_person(dashboard: Dashboard, tmp_path: Path) -> None:
    assert _train(dashboard.box(tmp_path / "first"), "0.9") == "control-01"
    second = dashboard.box(tmp_path / "second")
    assert _train(second, "0.91", "--run", "control-01") == "control-01"
    assert _accuracies(dashboard) == {"control-01": "0.9"}
    asked = second.run("replay", str(second.spool))
    assert asked.code == 1
    (line,) = [line for line in asked.err.splitlines() if "--run" in line]
    _, _, way = line.partition("punktum replay ")
    assert second.run("replay", *way.split()).code == 0
    assert _accuracies(dashboard) == {"control-01": "0.9", "control-02": "0.91"}


def test_the_old_process_is_told_that_it_was_taken_over_from(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    old, new = dashboard.box(tmp_path / "old"), dashboard.box(tmp_path / "new")
    said = tmp_path / "said"
    words = ("run", "--step", "control", "--beat", "1")
    with said.open("wb") as stderr:
        job = old.punktum(*words, "--", old.python, "-c", UNTIL_TOLD, stderr=stderr)
        wait_until(lambda: "recording control-01, attempt 1" in said.read_text())
        (new.folder / "go").touch()
        took = new.run(*words, "--takeover", "--", new.python, "-c", UNTIL_TOLD)
        assert (took.code, "took over" in took.err) == (0, False)
        wait_until(lambda: "attempt 2 of control-01 took over from this one" in said.read_text())
        assert job.poll() is None, "nothing is stopped"
        (old.folder / "go").touch()
        assert job.wait(HANG_GUARD_S) == 0
    job.communicate()
    assert said.read_text().count("took over") == 1
    (run,) = dashboard.runs()
    assert (run["status"], run["attempt"]) == ("completed", 2)
    assert [(one["number"], one["status"]) for one in run["attempts"]] == [
        (1, "completed"), (2, "completed"),
    ]  # fmt: skip


def test_a_box_that_can_write_nothing_gets_the_next_id_too(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    assert _train(dashboard.box(tmp_path / "first"), "0.9") == "control-01"
    assert _train(dashboard.box(tmp_path / "second"), "0.91", "--output", "/proc/nope") == (
        "control-02"
    )
    found = {
        run["id"]: (run["status"], len(run["attempts"]), run["gaps"], len(run["metrics"]))
        for run in dashboard.runs()
    }
    assert found == {"control-01": ("completed", 1, 0, 1), "control-02": ("completed", 1, 0, 1)}


def test_beside_a_run_that_goes_on_the_line_of_the_message_records_another(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    old, new = dashboard.box(tmp_path / "old"), dashboard.box(tmp_path / "new")
    words = ("run", "--step", "control", "--", old.python, "-c", UNTIL_TOLD)
    jobs = []
    for box, word in ((old, "recording control-01"), (new, "start it again with --takeover\n")):
        said = box.folder / "said"
        with said.open("wb") as stderr:
            jobs.append(box.punktum(*words, stderr=stderr))
        wait_until(lambda said=said, word=word: word in said.read_text())  # type: ignore[misc]
    (message,) = [one for one in said.read_text().splitlines() if "NOT RECORDING" in one]
    assert "control-01 still runs on" in message
    assert ".;" not in message
    way = message.partition("as another run: ")[2].partition(". To take over")[0]
    assert new.typed(way).code == 0
    for box, job in zip((old, new), jobs, strict=True):
        (box.folder / "go").touch()
        assert job.wait(HANG_GUARD_S) == 0
        job.communicate()
    found = {run["id"]: (run["status"], len(run["attempts"])) for run in dashboard.runs()}
    assert found == {"control-01": ("completed", 1), "control-02": ("completed", 1)}
    assert "answers again" not in said.read_text()
