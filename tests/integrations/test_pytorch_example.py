"""The example in plain PyTorch: checked, trained, interrupted and resumed."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from tests.integrations.conftest import ROOT, Dashboard, Trainers
from tests.punktum_client.box import Done
from tests.punktum_client.loopback import wait_until

TRAIN = str(ROOT / "examples" / "pytorch" / "train.py")
WHOLE = ["parameters", "optimizer", "scheduler", "random", "data_position", "progress"]


def test_the_restore_check_passes(box: Trainers, dashboard: Dashboard) -> None:
    done = _check(box, TRAIN)
    assert done.code == 0, done.err
    (restore,) = [event["restore"] for event in _events(box) if "restore" in event]
    assert (restore["passed"], restore["steps"], restore["compared"]) == (True, 20, "loss")
    assert restore["states"] == WHOLE


def test_without_the_random_sources_it_fails(box: Trainers, dashboard: Dashboard) -> None:
    source = Path(TRAIN).read_text("utf-8")
    bad = box.folder / "bad.py"
    bad.write_text(source.replace('torch.set_rng_state(found["random"])', "pass"))
    assert _check(box, str(bad)).code == 1
    (restore,) = [event["restore"] for event in _events(box) if "restore" in event]
    assert restore["passed"] is False
    assert restore["expected"] != restore["found"]


def test_an_interrupted_training_goes_on(box: Trainers, dashboard: Dashboard) -> None:
    words = ("run", "--step", "control", "--output", "out", "--", box.python, TRAIN)
    job = box.punktum(*words, "--steps", "200000", "--save-every", "50")
    checkpoint = box.folder / "out" / "checkpoint.pt"
    wait_until(checkpoint.exists)
    job.send_signal(signal.SIGTERM)
    assert box.done(job).code == 143
    first = dashboard.run()
    assert (first["status"], first["reason_code"]) == ("stopped", "infra")
    before = checkpoint.stat().st_mtime_ns
    again = box.punktum(*words, "--steps", "200000", "--save-every", "50", "--resume")
    wait_until(lambda: checkpoint.stat().st_mtime_ns != before)
    again.send_signal(signal.SIGINT)
    assert box.done(again).code == 130
    assert [one["status"] for one in dashboard.run()["attempts"]] == ["stopped", "stopped"]
    saved = [event for event in _events(box) if event["kind"] == "checkpoint"]
    assert saved
    assert all(event["states"] == WHOLE and event["size"] > 1000 for event in saved)


def test_it_trains_to_its_end(box: Trainers, dashboard: Dashboard) -> None:
    done = box.run("run", "--step", "control", "--output", "out", "--", box.python, TRAIN)
    assert done.code == 0, done.err
    run = dashboard.run()
    assert (run["status"], run["progress"], run["total"]) == ("completed", 400, 400)
    assert float(dashboard.metrics()["accuracy"]) > 0.9


def _check(box: Trainers, script: str) -> Done:
    command = f"{box.python} {script}"
    compared = ("--step", "control", "--compare", "loss", "--steps", "20", "--output", "out")
    return box.run("restore-check", *compared, "--save", command, "--resume", f"{command} --resume")


def _events(box: Trainers) -> list[dict[str, Any]]:
    return Trainers(box.folder / "out", ROOT, box.python).spooled()
