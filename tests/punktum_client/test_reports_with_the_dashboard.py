"""What the client's newer reports come to in Punktum itself, live and by a later replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.punktum_client.box import Box
from tests.punktum_client.test_restoring import TRAIN
from tests.punktum_client.test_with_the_dashboard import Dashboard, dashboard

__all__ = ["dashboard"]


def only(dashboard: Dashboard) -> dict[str, Any]:
    (run,) = dashboard.runs()
    return run


def sealed(box: Box) -> None:
    """The sheet is fetched while there is a server, as before a journey."""
    assert box.run("check").code in (0, 1)


def offline(box: Box) -> dict[str, str]:
    """Cut the box off; the way back."""
    way, box.environment = box.environment, {}
    return way


@pytest.mark.parametrize("live", [True, False], ids=["live", "replayed"])
@pytest.mark.parametrize(("forget", "code"), [("", 0), ("--forget random", 1)])
def test_a_restore_check_is_a_run_with_its_result(
    dashboard: Dashboard, tmp_path: Path, live: bool, forget: str, code: int
) -> None:
    box = dashboard.box(tmp_path / "one")
    sealed(box)
    way = {} if live else offline(box)
    done = box.run(
        *("restore-check", "--compare", "loss", "--steps", "5", "--states", "parameters"),
        *("--save", f"{TRAIN} --steps 10 --save-at 5", "--resume", f"{TRAIN} --resume {forget}"),
    )
    assert done.code == code, done.err
    if not live:
        box.environment = way
        assert box.run("replay", str(box.spool)).code == 0
    run = only(dashboard)
    assert (run["id"], run["step"]) == ("restore-check-01", "restore-check")
    assert run["status"] == ("failed" if code else "completed")
    (attempt,) = run["attempts"]
    told = attempt["restore"]
    assert (told["passed"], told["steps"], told["compared"]) == (code == 0, 5, "loss")
    assert told["states"] == ["parameters"]
    assert told["size"] > 100
    assert (told["expected"] == told["found"]) is (code == 0)


def test_a_jobs_own_stop_by_a_custom_rule(dashboard: Dashboard, tmp_path: Path) -> None:
    box = dashboard.box(tmp_path / "one")
    code = (
        "import punktum\n"
        "with punktum.run('control') as run: run.stop('all the same', rule='collapse')\n"
    )
    assert box.run_job(code).code == 1
    run = only(dashboard)
    assert (run["status"], run["attempts"][0]["rule"]) == ("stopped", "collapse")
    assert [one["fired"] for one in run["rules"] if one["rule"] == "collapse"] == [True]


def test_inputs_that_were_cut_stop_the_run(dashboard: Dashboard, tmp_path: Path) -> None:
    box = dashboard.box(tmp_path / "one")
    sealed(box)
    code = (
        "import punktum\n"
        "with punktum.run('variant-a') as run:\n"
        "    for _ in range(10): run.input_truncated('eval', 1, 10)\n"
    )
    done = box.run_job(code, step="variant-a")
    assert done.code == 1
    assert "3 of 30 eval are truncated" in done.err
    run = only(dashboard)
    assert (run["status"], run["attempts"][0]["rule"]) == ("stopped", "cut")


def test_a_rule_of_time_that_fired_on_the_box_is_confirmed_at_the_replay(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    box = dashboard.box(tmp_path / "one")
    sealed(box)
    way = offline(box)
    code = "import time; time.sleep(60)"
    assert box.run_job(code, "--beat", "0.3", step="variant-b").code == 143
    box.environment = way
    for _ in range(2):
        assert box.run("replay", str(box.spool)).code == 0
    run = only(dashboard)
    assert (run["status"], run["attempts"][0]["rule"]) == ("stopped", "too-long")
    assert [one["fired"] for one in run["rules"] if one["rule"] == "too-long"] == [True]


def test_a_renamed_run_names_the_one_it_follows(dashboard: Dashboard, tmp_path: Path) -> None:
    boxes = [dashboard.box(tmp_path / f"box-{number}") for number in range(3)]
    for number, box in enumerate(boxes):
        assert box.run_job("pass", "--param", f"number={number}").code == 0
    parents = {run["id"]: run["parent"] for run in dashboard.runs()}
    assert parents == {"control-01": None, "control-02": "control-01", "control-03": "control-01"}


def test_a_resume_says_where_it_goes_on(dashboard: Dashboard, tmp_path: Path) -> None:
    box = dashboard.box(tmp_path / "one")
    code = (
        "import punktum\n"
        "with punktum.run('control', params={}, resumed_at=8) as run: list(run.track(range(10)))\n"
    )
    assert box.python_code(code).code == 0
    (attempt,) = only(dashboard)["attempts"]
    assert (attempt["progress"], attempt["redone"]) == (18, 0)


def test_what_a_limit_left_out_is_no_gap(dashboard: Dashboard, tmp_path: Path) -> None:
    box = dashboard.box(tmp_path / "one")
    box.environment["PUNKTUM_SPOOL_LIMIT"] = "3k"
    code = (
        "import punktum\n"
        "with punktum.run('control', params={}) as run:\n"
        "    for step in range(200):\n"
        "        run._beats._beat_at = None\n"
        "        run.progress(step + 1, 200)\n"
    )
    assert box.python_code(code).code == 0
    run = only(dashboard)
    assert (run["status"], run["gaps"], run["progress"]) == ("completed", 0, 200)
