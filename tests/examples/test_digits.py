"""The whole way of `examples/digits`, once, against a real server with real jobs."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest
import tomllib

from app.db import Database
from app.demo.jobs import EXAMPLE
from app.demo.live import Closed, campaign_file, walk
from app.demo.processes import Processes
from app.demo.server import start_server
from app.exchange.commands import import_path, import_text
from app.plan.commands import prepare
from app.plan.queries import draft
from tests.conftest import NOW, PERSON

CAMPAIGN = "digits"


@dataclass(frozen=True, slots=True)
class Walked:
    """A campaign that was walked to its close, on a server that still serves."""

    address: str
    data: Path
    jobs: Path
    closed: Closed
    said: list[str]

    def get(self, what: str) -> Any:
        """What the API says of the campaign."""
        answer = httpx.get(
            f"{self.address}/api/v1/campaigns/{CAMPAIGN}/{what}", timeout=20, trust_env=False
        )
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    """One walk for all tests of this file."""
    folder = tmp_path_factory.mktemp("digits")
    data, jobs = folder / "data", folder / "jobs"
    data.mkdir()
    jobs.mkdir()
    said: list[str] = []
    with Processes() as processes:
        address, _ = start_server(processes, data)
        closed = walk(address, jobs, processes, said.append)
        yield Walked(address, data, jobs, closed, said)


def test_every_run_ended_as_it_did(walked: Walked) -> None:
    runs = {run["id"]: run for run in walked.get("runs")["items"]}
    assert {name: run["status"] for name, run in runs.items()} == {
        "pilot-01": "completed",
        "restore-check-01": "completed",
        "control-01": "completed",
        "variant-a-01": "stopped",
        "variant-a-02": "completed",
        "variant-b-01": "completed",
        "evaluation-01": "completed",
        "error-analysis-01": "completed",
        "retrieval-01": "completed",
    }
    assert {run["gaps"] for run in runs.values()} == {0}
    assert not any(run["before_seal"] for run in runs.values())
    final = {metric["name"]: metric["final"] for metric in runs["control-01"]["metrics"]}
    assert 0.9 < float(final["accuracy"]) < 1


def test_the_loss_that_ran_away_was_stopped_by_the_rule(walked: Walked) -> None:
    runs = {run["id"]: run for run in walked.get("runs")["items"]}
    stopped, mended = runs["variant-a-01"], runs["variant-a-02"]
    assert stopped["rule"] == "loss-not-finite"
    assert stopped["reason_code"] == "rule:loss-not-finite"
    assert stopped["exit_code"] == 1
    assert stopped["progress"] < stopped["total"]
    assert mended["parent"] == "variant-a-01"
    assert mended["config_sha256"] != stopped["config_sha256"]
    (stop,) = walked.get("report")["stops"]
    assert (stop["run"], stop["step"], stop["reason"]) == (
        "variant-a-01",
        "variant-a",
        "rule:loss-not-finite",
    )
    assert stop["value"] in ("nan", "inf")


def test_every_deliverable_is_accepted_on_all_its_checks(walked: Walked) -> None:
    found = {one["id"]: one for one in walked.get("deliverables")["items"]}
    assert {name: one["state"] for name, one in found.items()} == {
        "predictions": "accepted",
        "error-analysis": "accepted",
        "model": "accepted",
    }
    assert [one["checks"]["passed"] for one in found.values()] == [3, 2, 4]
    assert {one["checks"]["failed"] + one["checks"]["not_run"] for one in found.values()} == {0}
    assert {one["verdict"]["actor"] for one in found.values()} == {"rule"}
    assert "variant-a-01" not in {
        run for one in found.values() for run in one["submission"]["runs"]
    }


def test_the_outcome_follows_from_the_decision_rule(walked: Walked) -> None:
    report, judged = walked.get("report"), walked.get("decisions")["evaluation"]
    control = Fraction(judged["control"]["runs"][0]["value"])
    passing = [
        line["step"]
        for line in judged["variants"]
        if Fraction(line["runs"][0]["value"]) - control >= Fraction("0.01")
    ]
    assert [line["step"] for line in judged["variants"] if line["verdict"] == "passes"] == passing
    assert report["outcome"] == ("positive" if passing else "negative") == walked.closed.outcome
    assert report["conclusion"] == walked.closed.conclusion
    shipped = json.loads((walked.jobs / "digits/home/model/model.json").read_text("utf-8"))["step"]
    assert shipped in (passing or ["control"])


def test_the_report_says_what_was_planned_and_what_came(walked: Walked) -> None:
    report = walked.get("report")
    assert report["closed_at"] is not None
    assert (report["accepted"], report["announced"]) == (3, 3)
    assert report["open_points"] == ["3 accepted deliverables are not retrieved"]
    (money,) = report["money"]
    assert (money["committed"], money["external"], money["unit"]) == ("0.00", "0.00", None)
    steps = {step["step"]: step for step in report["steps"]}
    assert {step["state"] for step in steps.values()} == {"done"}
    assert steps["variant-a"]["planned_s"] == 120
    assert steps["variant-a"]["owed"]
    assert steps["variant-a"]["category"] == "stopped_run"
    assert [name for name, step in steps.items() if step["owed"] and not step["sentence"]] == []
    assert report["head_sha256"] == walked.closed.head_sha256
    (decision,) = report["decisions"]
    assert (decision["choice"], decision["step"]) == ("continue", "pilot-decision")


def test_the_closed_campaign_takes_nothing_more(walked: Walked) -> None:
    listed = httpx.get(f"{walked.address}/api/v1/campaigns", timeout=20, trust_env=False).json()
    (campaign,) = listed["items"]
    assert (campaign["id"], campaign["state"]) == (CAMPAIGN, "closed")
    late = httpx.post(
        f"{walked.address}/api/v1/campaigns/{CAMPAIGN}/steps/data-check/time",
        json={"started_at": "2026-01-01T10:00:00Z", "ended_at": "2026-01-01T10:05:00Z"},
        timeout=20,
        trust_env=False,
    )
    assert late.status_code == 409


def test_what_was_delivered_can_be_read_again(walked: Walked) -> None:
    """The copy at home, by a process that knows nothing of the server."""
    home = walked.jobs / "digits" / "home"
    command = [sys.executable, "reload.py"]
    done = subprocess.run(command, cwd=home / "model", capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "450 of 450 predictions are the same\n")
    rows = (home / "predictions/predictions.csv").read_text("utf-8").splitlines()
    assert rows[0] == "id,digit,control,variant-a,variant-b"
    assert len(rows) == 451
    analysis = (home / "error-analysis/error-analysis.md").read_text("utf-8")
    assert analysis.startswith("# Error analysis\n")


def test_the_record_stands_up_to_an_audit(walked: Walked, tmp_path: Path) -> None:
    head = {"number": walked.closed.head_number, "sha256": walked.closed.head_sha256}
    anchor = tmp_path / "anchor.json"
    anchor.write_text(json.dumps({CAMPAIGN: head}), encoding="utf-8")
    command = [sys.executable, "-c", "from app.command_line import main; main()", "audit"]
    done = subprocess.run(
        [*command, "--anchor", str(anchor), "--data", str(walked.data)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 findings" in done.stdout
    assert f"{CAMPAIGN} {head['number']} {head['sha256']}" in done.stdout


def test_its_lines_say_how_it_went(walked: Walked) -> None:
    assert "variant-a-01 stopped by the rule loss-not-finite" in " ".join(walked.said)
    assert walked.said[-1].startswith(f"closed, {walked.closed.outcome}: ")


def test_the_file_says_the_same_with_its_ids_beside_it_and_in_it(sqlite: Database) -> None:
    assert import_path(sqlite, EXAMPLE / "campaign.toml", PERSON, NOW).campaign_id == CAMPAIGN
    again = import_text(sqlite, campaign_file(), PERSON, NOW)
    assert (again.created, again.changed, again.warnings) == (False, False, ())
    with sqlite.read() as session:
        view = draft(session, CAMPAIGN)
    assert view is not None
    assert prepare(view, NOW).warnings == ()
    (corpus,) = view.plan.corpora
    assert corpus.sha256 == hashlib.sha256((EXAMPLE / "ids.txt").read_bytes()).hexdigest()
    assert corpus.rows == len(set(corpus.ids or ())) == 450


def test_its_readme_names_what_is_there() -> None:
    readme = (EXAMPLE / "README.md").read_text("utf-8")
    with (EXAMPLE / "campaign.toml").open("rb") as stream:
        file = tomllib.load(stream)
    steps = {step["id"] for step in file["steps"] if step["kind"] in ("machine", "transfer")}
    jobs = re.findall(r"^(?:job|punktum restore-check --step) ([\w-]+) ", readme, re.M)
    assert set(jobs) == steps
    verified = set(re.findall(r"--deliverable ([\w-]+)", readme))
    assert verified == {one["id"] for one in file["deliverables"]}
    listed = set(re.findall(r"^\| `(\w+\.py)`", readme, re.M))
    assert set(re.findall(r"python (\w+\.py)", readme)) < listed
    assert listed == {path.name for path in EXAMPLE.glob("*.py")}
